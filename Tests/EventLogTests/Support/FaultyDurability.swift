import EventLog
import Synchronization

/// Makes one commit throw an error. The events of that commit are either lost or stored, as after a real failure with an unknown outcome.
final class FaultyDurability: BatchDurability {
    enum Fault: Sendable, CaseIterable {
        case lost, stored
    }

    private let fault = Mutex<Fault?>(nil)

    func failNext(_ fault: Fault) { self.fault.withLock { $0 = fault } }

    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        let fault = fault.withLock { fault in
            defer { fault = nil }
            return fault
        }
        if fault != .lost { try commitLocally(batch) }
        if fault != nil { throw EventLogError(.io, "injected") }
    }
}
