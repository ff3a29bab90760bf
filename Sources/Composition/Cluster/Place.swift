internal import Synchronization

/// The part that a node's service has now. Any thread may call.
final class Place: Sendable {
    private struct State {
        var writer: WriterSeat?
        var following: Following?
    }

    private let state = Mutex(State())

    /// Nil unless this node writes.
    var writer: WriterSeat? { state.withLock { $0.writer } }
    /// Nil unless this node follows.
    var following: Following? { state.withLock { $0.following } }

    func write(_ writer: WriterSeat) { state.withLock { ($0.writer, $0.following) = (writer, nil) } }
    func follow(_ following: Following) { state.withLock { ($0.writer, $0.following) = (nil, following) } }
    func leave() { state.withLock { ($0.writer, $0.following) = (nil, nil) } }
}
