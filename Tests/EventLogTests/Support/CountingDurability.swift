import EventLog
import Synchronization

/// A local commit that counts its calls.
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
