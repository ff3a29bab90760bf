internal import Synchronization

extension HeadSignal {
    /// Whether nothing will be published any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }
}
