import EventLog
import Histories
import Loyalty
import Seeds
import Synchronization
import Testing

@testable import Projections
@testable import ReadModels

/// A follower keeps its decoded state between batches. A second reference would make every batch copy that state.
@Suite(.timeLimit(.minutes(15))) struct InPlaceTests {
    private final class Kept: Sendable {}

    private final class Tally: Sendable {
        let batches = Mutex((all: 0, shared: 0))
    }

    /// Advances one event per batch. Like a real follower, it is too large for an existential's inline buffer.
    private struct Follower: ModelFollower {
        var position: Position
        let applied = 0
        var kept = Kept()
        let tally: Tally
        let size = (0, 0, 0, 0)

        @available(*, noasync)
        mutating func advance(towards head: Position) throws(ReadModelError) {
            let isShared = !isKnownUniquelyReferenced(&kept)
            tally.batches.withLock { batches in
                batches.all += 1
                if isShared { batches.shared += 1 }
            }
            position = position.next
        }

        mutating func settle() {}
    }

    @Test("A follower's state has only one reference whenever a batch begins")
    func oneReference() async throws {
        var history = RandomHistory(random: SeededRandom.announced("in place"))
        history.grow(to: 100)
        let open = try OpenData(try TestData.with(history.facts))
        let tally = Tally()
        let waiting = WaitingModel(
            name: "probe", position: .start, reason: nil, generation: Generation(schemaVersion: 1, number: 1),
            follower: { () throws(ReadModelError) -> any ModelFollower in Follower(position: .start, tally: tally) }, close: {})
        let runner = ModelRunner(waiting, following: open.log)
        #expect(await runner.reached(open.log.head, timeoutSeconds: 600))
        try runner.stop()
        let (all, shared) = tally.batches.withLock { $0 }
        #expect(all == history.facts.count && shared == 0)
        try open.close()
    }
}
