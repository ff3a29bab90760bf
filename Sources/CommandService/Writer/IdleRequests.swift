import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// Requests with an idempotency key that were accepted and changed nothing: no event tells of them, so that this memory alone knows what
/// their keys were used for.
///
/// Bounded in number and in time, and gone with the process; then such a request is judged anew. Any thread may ask.
final class IdleRequests: Sendable {
    /// One request: what it was, and where the log stood then.
    private struct Entry {
        let digest: UInt128
        let position: Position
        let at: Instant
    }

    private let entries: Mutex<GenerationalCache<UInt128, Entry>>
    private let clock: any Clock

    init(clock: any Clock, limit: Int = Limits.idleRequestsMax) {
        self.clock = clock
        entries = Mutex(GenerationalCache(limit: limit))
    }

    /// Remembers a request.
    func note(_ mark: RequestMark, at position: Position) {
        let entry = Entry(digest: mark.digest, position: position, at: clock.steady())
        entries.withLock { $0[mark.request] = entry }
    }

    /// Where the log stood when the key was used, and whether that was for this very request; nil where it was not, or long ago.
    func find(_ mark: RequestMark) -> (position: Position, isSame: Bool)? {
        guard let entry = entries.withLock({ $0[mark.request] }) else { return nil }
        guard clock.steady() < entry.at.advanced(bySeconds: Limits.idleRequestSeconds) else { return nil }
        return (entry.position, entry.digest == mark.digest)
    }
}
