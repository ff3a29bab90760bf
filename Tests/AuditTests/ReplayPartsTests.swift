import Dispatch
import EventLog
import Histories
import Loyalty
import Patience
import Projections
import Seeds
import Testing

@testable import Audit
@testable import ReadModels

/// The parts of which a replay consists: numbers for ids, queues between threads, and the order of rows.
@Suite struct ReplayPartsTests {
    @Test("A place index finds the same places as a dictionary, even if many hashes collide")
    func placeIndex() {
        var random = SeededRandom.announced("places")
        var (index, ids, known) = (PlaceIndex(capacity: 1), [UInt128](), [UInt128: Int]())
        for _ in 0..<20_000 {
            let id = UInt128(random.next() % 8_000) << UInt128(random.next() % 3 * 40)
            // The hashes have few different values, so many ids collide.
            let hash = PlaceIndex.hash(id) % 5_000
            #expect(index.place(of: hash) { ids[$0] == id } == known[id])
            if known[id] == nil {
                known[id] = index.insert(hash)
                ids.append(id)
            }
        }
        #expect(index.count == known.count && ids.count == known.count)
        #expect(ids.enumerated().allSatisfy { known[$1] == $0 })
    }

    @Test("Equal neighbours are merged in place, and equal elements further apart are not")
    func mergedNeighbours() {
        for numbers in [[], [1], [1, 1], [1, 2, 2, 3], [2, 2, 2, 1, 1, 2], [1, 2, 3]] {
            var (merged, expected) = (numbers.map { (number: $0, count: 1) }, [[Int]]())
            merged.merge(where: { $0.number == $1.number }, by: { $0.count += $1.count })
            for number in numbers {
                if expected.last?[0] == number { expected[expected.count - 1][1] += 1 } else { expected.append([number, 1]) }
            }
            #expect(merged.map { [$0.number, $0.count] } == expected)
        }
    }

    @Test("Items are distributed to their owners in order, and an owner without items has an empty list")
    func distribution() {
        var random = SeededRandom.announced("dealt")
        let things = (0..<500).map { (owner: Int(random.next() % 20), number: $0) }
        var dealt = DealtOut(things.count, among: 21) { things[$0].owner }
        var placed = things
        for thing in things { placed[dealt.place(for: thing.owner)] = thing }
        #expect(placed.map { [$0.owner, $0.number] } == things.map { [$0.owner, $0.number] }.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(dealt.starts.first == 0 && dealt.starts.last == 500 && dealt.starts.count == 22)
        // The last of the 21 owners has no item, so its empty list begins after all 500 items.
        #expect(dealt.starts[20] == 500)
    }

    @Test("Every read model has a replay, with an expected table for each of its tables")
    func everyModel() throws {
        let log = try TestData().log()
        for model in ReadModels.models {
            #expect(try Replay(of: log, models: [model.name]).tables(of: model.name).map(\.name) == model.tables.map(\.name))
        }
    }

    @Test("A model without a replay is refused, so that it is never reported as equal")
    func modelWithoutReplay() throws {
        let log = try TestData().log()
        let error = #expect(throws: AuditError.self) { try Replay(of: log, models: [CardProgress.name, "feedback-counts"]) }
        #expect(error?.code == .model && error?.detail.contains("feedback-counts") == true)
    }

    @Test("A value that is requested several times is made once")
    func madeOnce() {
        let value = Once<Int>()
        var made = 0
        func make() -> Int {
            made += 1
            return 7
        }
        for _ in 0..<3 { #expect(value(make) == 7) }
        #expect(made == 1)
    }

    @Test("Batches reach the folding thread and come back to the reading thread in order", .timeLimit(.minutes(1)))
    func batchOrder() throws {
        let queue = BatchQueue()
        let (rounds, seen, came, ended) = (2_000, Once<[UInt64]>(), Once<[UInt64]>(), DispatchSemaphore(value: 0))
        let folding = Workers(1, named: "other") { _ in
            _ = seen {
                var positions: [UInt64] = []
                while let batch = queue.next() {
                    positions += batch.events.map(\.position)
                    queue.giveBack(batch)
                }
                return positions
            }
            ended.signal()
        }
        let reading = Workers(1, named: "reader") { _ in
            _ = came {
                var positions: [UInt64] = []
                for round in 0..<rounds {
                    var batch = ReplayBatch()
                    for number in 0..<3 { batch.append(ReplayedEvent(.registered, at: UInt64(round * 3 + number), 0), naming: nil) }
                    queue.put(batch)
                    positions += queue.takeBack().events.map(\.position)
                }
                return positions
            }
            queue.close()
            ended.signal()
        }
        for _ in 0..<2 { try ended.waitInTime("both threads end") }
        withExtendedLifetime((folding, reading)) {}
        let returned = came { [] } + queue.rest.flatMap { $0.events.map(\.position) }
        let expected = (0..<UInt64(rounds * 3)).map { $0 }
        #expect(seen { [] } == expected && returned == expected)
    }

    /// Either of two threads may find the earlier one.
    @Test(
        "A replay reports the earlier of two refused events, however far apart they are", arguments: [true, false],
        [1, ReplayBatch.size * 3 / 2])
    func firstRefusal(_ cardFirst: Bool, _ apart: Int) throws {
        let sample = try AuditSample("refusals", count: 2_600)
        let facts = sample.history.facts
        let opened = try #require(facts.first { if case .cardOpened = $0.event { true } else { false } })
        let review = try #require(facts.first { if case .reviewPosted = $0.event { true } else { false } })
        var events = (0..<(6 * ReplayBatch.size)).map { number -> (AccountID, LoyaltyEvent) in
            let account = AccountID(UInt128(number) << 64 | 77)
            let event = AccountRegistered(account: account, phone: Secret(account.value), sealedPhone: Sealed([1, 2, 3]))
            return (account, .accountRegistered(event))
        }
        let bad = cardFirst ? [opened, review] : [review, opened]
        events.insert((bad[1].actor, bad[1].event), at: apart - 1)
        events.insert((bad[0].actor, bad[0].event), at: 0)
        let first = UInt64(facts.count) + 1
        let again = zip(first..., events).map { Fact(position: $0, time: opened.time, actor: $1.0, event: $1.1) }
        let log = try sample.data.log()
        try log.append(again[...], with: try log.appender())
        for models in [nil, [ShopRatings.name, CardProgress.name, Notices.name]] {
            let error = #expect(throws: AuditError.self) { try Replay(of: log, models: models) }
            #expect(error?.code == .event && error?.position == Position(first))
        }
        #expect(throws: Never.self) { try Replay(of: log, until: .position(Position(first - 1))) }
    }
}
