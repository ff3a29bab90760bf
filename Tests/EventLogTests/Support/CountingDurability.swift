import EventLog
import Synchronization

/// Commits every batch locally, and counts the commits.
final class CountingDurability: BatchDurability {
    private let calls = Atomic<Int>(0)
    var count: Int { calls.load(ordering: .relaxed) }

    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        calls.add(1, ordering: .relaxed)
        try commitLocally(batch)
    }
}
