import Seeds
import Testing

import struct EventLog.Tag

@testable import EventLog

/// Cases that random histories do not produce: long lists, tags chosen to collide, and more flushes than merges.
@Suite(.temporaryFolder) struct RunShapeTests {
    @Test("A long list is read from any position in both directions")
    func aLongListIsReadFromAnywhereInBothDirections() throws {
        let seeded = SeededRandom.announced("aLongListIsReadFromAnywhereInBothDirections"), seed = seeded.seed
        var generator = seeded
        let runs = try StoredRuns(factor: 3)
        let members = try fill(runs, &generator)
        for round in 0..<3 {
            for _ in 0..<60 {
                let (first, last) = (UInt64(generator.int(1...31_000)), UInt64(generator.int(1...31_000)))
                let limit = generator.pick([1, 3, 100, 5_000, .max])
                let inRange = members.filter { $0 >= first && $0 <= last }
                for backwards in [true, false] {
                    let range = PositionRange(first: first, last: last, backwards: backwards, limit: limit)
                    let wanted = Array((backwards ? inRange.reversed() : inRange).prefix(limit))
                    #expect(try runs.store.page(shop(7), types: [], in: range) == wanted, "seed \(seed): \(range), round \(round)")
                }
                let newest = try runs.store.newest(of: shop(7), type: .stamped, through: last)
                #expect(newest == members.last { $0 <= last }, "seed \(seed): newest through \(last), round \(round)")
            }
            for _ in 0..<(round == 0 ? 2 : 10_000) where try !runs.step() { break }
        }
        #expect(try runs.store.count(of: shop(7), types: [], enough: .max) == members.count)
    }

    /// Stores thirty thousand events, most of which share one tag.
    private func fill(_ runs: StoredRuns, _ generator: inout SeededRandom) throws -> [UInt64] {
        var members: [UInt64] = []
        for number in 0..<6 {
            let first = UInt64(number * 5_000 + 1)
            var part = MemoryPart(first: first)
            for position in first..<first + 5_000 {
                let isMember = !generator.oneIn(4)
                if isMember { members.append(position) }
                try part.insert(isMember ? [shop(7), card(UInt128(position))] : [], at: position)
            }
            try runs.flush(part)
        }
        return members
    }

    /// Tags with the same hash (``Tag/spread``) are all in one part and one line of its filter. Look-ups are then slower, but still exact.
    @Test("Tags with the same hash are distinguished")
    func tagsChosenToCollideAreToldApart() throws {
        let runs = try StoredRuns(factor: 2)
        let tags = (0..<3_000).map { Self.tag(colliding: UInt64($0)) }
        try #require(Set(tags.map(\.spread)).count == 1 && Set(tags).count == 3_000)
        for number in 0..<4 {
            var part = MemoryPart(first: UInt64(number * 750 + 1))
            for index in number * 750..<number * 750 + 750 { try part.insert([tags[index]], at: UInt64(index + 1)) }
            try runs.flush(part)
        }
        for _ in 0..<2 {
            for index in stride(from: 0, to: 3_000, by: 7) {
                #expect(try runs.store.newest(of: tags[index], type: nil, through: 3_000) == UInt64(index + 1))
            }
            #expect(try runs.store.newest(of: Self.tag(colliding: 3_000), type: nil, through: 3_000) == nil)
            try runs.settle()
        }
    }

    /// Returns a tag with the given low half. The tag's high half cancels the effect of the low half on the hash, so all such tags have the
    /// same ``Tag/spread``.
    private static func tag(colliding low: UInt64) -> Tag {
        var bits = low ^ (UInt64(TagKind.card.rawValue) &* 0x9E37_79B9_7F4A_7C15)
        bits = (bits ^ (bits >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return card(UInt128(bits ^ (bits >> 29)) << 64 | UInt128(low))
    }

    /// A filter has a maximum number of lists. A part with more lists has no filter, so each look-up searches the run's blocks.
    @Test("A part with too many lists for a filter gives exact answers")
    func aPartWithTooManyListsForAFilterIsStillExact() throws {
        let runs = try StoredRuns(factor: 2)
        var part = MemoryPart(first: 1)
        for position: UInt64 in 1...66_000 { try part.insert([card(UInt128(position))], at: position) }
        // All tags are in one part, as if an attacker had chosen them.
        var writer = RunWriter(9, first: 1, tags: 1)
        var positions: [UInt64] = []
        for ranked in part.tagsInRunOrder() { writer.add(ranked, of: part, &positions) }
        let run = writer.finish(last: 66_000, level: 0)
        var output = try RunOutput(runs.store.path(of: 9))
        try output.append(writer.takeFinished())
        let file = RunFile(try output.finish(run), in: runs.store.directory)
        try runs.store.publish([file], IndexCoverage(position: 66_000), nextNumber: 10)
        for position: UInt64 in [1, 2, 33_333, 66_000] {
            #expect(try runs.store.newest(of: card(UInt128(position)), type: nil, through: 66_000) == position)
        }
        #expect(try runs.store.newest(of: card(0), type: .stamped, through: 66_000) == nil)
    }

    @Test("An index with many runs that are not merged is crowded")
    func manyFlushesWithoutAMergeAreTooMany() throws {
        let runs = try StoredRuns(factor: 3)
        var history = RandomHistory(generator: SeededRandom(seed: 1))
        for _ in 0..<5 { try runs.flush(history.events(3)) }
        #expect(!runs.keeper.isCrowded)
        try runs.flush(history.events(3))
        #expect(runs.keeper.isCrowded)
        while try runs.step(), runs.keeper.isCrowded {}
        #expect(!runs.keeper.isCrowded)
    }

    /// A step of a merge reads and writes about a megabyte, however long the merged runs are.
    @Test("A step of a merge reads and writes a bounded number of bytes")
    func aStepOfAMergeIsBounded() throws {
        let runs = try StoredRuns(factor: 2)
        for number in 0..<2 {
            let first = UInt64(number * 40_000 + 1)
            var part = MemoryPart(first: first)
            for position in first..<first + 40_000 { try part.insert([card(UInt128(position)), shop(UInt128(position))], at: position) }
            try runs.flush(part)
        }
        var merge = RunMerge(runs.keeper.files, into: 99)
        var (steps, bytes) = (0, 0)
        while true {
            let (values, run) = try merge.step()
            (steps, bytes) = (steps + 1, bytes + values.reduce(0) { $0 + $1.bytes.count })
            #expect(values.reduce(0) { $0 + $1.bytes.count } < 2 << 20)
            if run != nil { break }
        }
        #expect(steps > 3 && bytes > 3 << 20)
    }
}
