import Synchronization

@testable import EventLog

extension HeadSignal {
    /// How many threads and tasks wait at it.
    var waiterCount: Int { state.withLock { $0.queue.count } }
}
