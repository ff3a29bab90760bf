import Loyalty
import Synchronization

/// A clock that never goes back while the process runs, so that nothing that has expired can come alive again.
///
/// The writer, the reads and the ids share one, so that a preview and the command that follows it judge by the same time.
/// Any thread may ask; it costs one atomic maximum.
final class ForwardClock: Clock {
    private let source: any Clock
    /// The latest moment told, in microseconds since 1970.
    private let latest: Atomic<Int64>

    /// - Parameter earliest: the moment that no answer lies before.
    init(_ source: any Clock, notBefore earliest: Instant) {
        self.source = source
        latest = Atomic(earliest.microseconds)
    }

    func now() -> Instant {
        Instant(microseconds: latest.max(source.now().microseconds, ordering: .relaxed).newValue)
    }
}
