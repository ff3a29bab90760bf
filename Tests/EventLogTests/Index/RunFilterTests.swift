import Seeds
import Testing

@testable import EventLog

/// Tests the filter of a part of a run. Tags of the part always pass the filter, and other tags almost never do.
@Suite struct RunFilterTests {
    private static let key: UInt64 = 1 << 32 | 1 << 31

    /// Creates a part with one list for each of `count` random spreads (hashes of tags). Returns the part's bytes and the spreads.
    private func part(_ count: Int, _ generator: inout SeededRandom) -> (bytes: [UInt8], spreads: [UInt64]) {
        var builder = PartBuilder()
        let spreads = (0..<count).map { _ in generator.next() }
        for spread in spreads { builder.add(spread, .stamped) }
        return (builder.finish(Self.key), spreads)
    }

    @Test("A filter passes each list of its part", arguments: [1, 31, 32, 33, 7_000, 65_536, 65_537])
    func whatIsInAPartPasses(_ count: Int) throws {
        var generator = SeededRandom.announced("whatIsInAPartPasses(\(count))")
        let seed = generator.seed
        let (bytes, spreads) = part(count, &generator)
        guard let part = RunPart(bytes.span, key: Self.key) else { return #expect(Bool(false), "no part") }
        for spread in spreads {
            let passes = try part.mayHold(FilterMask(spread, nil)) && part.mayHold(FilterMask(spread, .stamped))
            #expect(passes, "seed \(seed)")
        }
    }

    /// The test uses 100,000 absent tags. The expected rates are those in the comment of ``FilterMask``, with a margin for randomness.
    @Test("A filter seldom passes an absent tag")
    func whatIsNotInAPartSeldomPasses() throws {
        var generator = SeededRandom.announced("whatIsNotInAPartSeldomPasses")
        let seed = generator.seed
        let (bytes, spreads) = part(IndexLayout.tagsPerPart, &generator)
        guard let part = RunPart(bytes.span, key: Self.key) else { return #expect(Bool(false), "no part") }
        var (tags, tagsWithType, types) = (0, 0, 0)
        for number in 0..<100_000 {
            let spread = generator.next()
            if try part.mayHold(FilterMask(spread, nil)) { tags += 1 }
            if try part.mayHold(FilterMask(spread, .stamped)) { tagsWithType += 1 }
            if try part.mayHold(FilterMask(spreads[number % spreads.count], .closed)) { types += 1 }
        }
        #expect(tags < 2_000 && tagsWithType < 400 && types < 14_000, "seed \(seed): \(tags) \(tagsWithType) \(types)")
    }

    @Test("The filter of an empty part passes nothing")
    func anEmptyPartHoldsNothing() throws {
        var generator = SeededRandom(seed: 1)
        let (bytes, _) = part(0, &generator)
        guard let part = RunPart(bytes.span, key: Self.key) else { return #expect(Bool(false), "no part") }
        for _ in 0..<1_000 {
            let passes = try part.mayHold(FilterMask(generator.next(), nil))
            #expect(!passes)
        }
    }

    @Test("A line that lost bits is noticed, and never excludes a list")
    func aDamagedLineExcludesNothing() throws {
        var generator = SeededRandom.announced("aDamagedLineExcludesNothing")
        let seed = generator.seed
        let (whole, spreads) = part(500, &generator)
        for spread in spreads {
            var bytes = whole
            let lines = (bytes.count - IndexLayout.filterAt) / IndexLayout.lineBytes
            let at = IndexLayout.filterAt + FilterMask(spread, .stamped).line(of: lines) * IndexLayout.lineBytes
            for offset in at..<at + generator.pick([1, 16, 64]) { bytes[offset] = 0 }
            guard let part = RunPart(bytes.span, key: Self.key) else { return #expect(Bool(false), "no part") }
            let passes = try? part.mayHold(FilterMask(spread, .stamped))
            #expect(passes != false, "seed \(seed)")
        }
    }

    @Test("A part with another key or length is refused")
    func aPartOfAnotherPlaceIsRefused() {
        var generator = SeededRandom(seed: 1)
        let (bytes, _) = part(10, &generator)
        let isThere = { (count: Int, key: UInt64) in RunPart(bytes.span.extracting(first: count), key: key) != nil }
        #expect(isThere(bytes.count, Self.key))
        #expect(!isThere(bytes.count, Self.key + 1) && !isThere(bytes.count - 1, Self.key) && !isThere(0, Self.key))
    }
}
