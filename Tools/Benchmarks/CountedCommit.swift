import EventLog
import Synchronization

/// The local commit, counted: how many flushes a measurement took, and how long it waited for them.
final class CountedCommit: BatchDurability {
    /// What a run of commits came to.
    struct Tally {
        var flushes = 0
        var events = 0
        var seconds = 0.0
    }

    private let tally = Mutex(Tally())

    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        let clock = ContinuousClock()
        let began = clock.now
        try commitLocally(batch)
        let seconds = (clock.now - began) / .seconds(1)
        tally.withLock { tally in
            tally.flushes += 1
            tally.events += batch.count
            tally.seconds += seconds
        }
    }

    /// What was counted since the last call.
    func taken() -> Tally {
        tally.withLock { tally in
            defer { tally = Tally() }
            return tally
        }
    }
}
