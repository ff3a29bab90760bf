import Synchronization

@testable import EventLog

extension HeadSignal {
    /// The number of waiting threads and tasks.
    var waiterCount: Int { state.withLock { $0.queue.count } }
}
