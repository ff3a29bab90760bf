import Synchronization

@testable import EventLog

extension HeadSignal {
    /// The number of threads and tasks that wait for the signal.
    var waiterCount: Int { state.withLock { $0.queue.count } }
}
