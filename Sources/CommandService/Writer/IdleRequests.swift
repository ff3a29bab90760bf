import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// Requests with an idempotency key that were accepted and changed nothing: no event tells of them, so that this alone knows what their
/// keys were used for.
///
/// Bounded in number and in time; ``IdleRequestFile`` keeps them over a restart. Any thread may ask.
final class IdleRequests: Sendable {
    /// One request: what it was, and where the log stood then.
    private struct Entry {
        let digest: UInt128
        let position: Position
        let at: Instant
    }

    private struct State {
        var entries: GenerationalCache<UInt128, Entry>
        var file: IdleRequestFile?
    }

    private let state: Mutex<State>
    private let clock: any Clock

    /// A memory that ends with the process.
    init(clock: any Clock, limit: Int = Limits.idleRequestsMax) {
        self.clock = clock
        state = Mutex(State(entries: GenerationalCache(limit: limit), file: nil))
    }

    /// A memory that goes on with what a file holds.
    ///
    /// - Throws: what the file system says.
    init(clock: any Clock, path: String, of log: EventLog) throws {
        self.clock = clock
        let (file, stored) = try IdleRequestFile.open(path, log: log.created)
        var entries = GenerationalCache<UInt128, Entry>(limit: Limits.idleRequestsMax)
        let (now, steady) = (clock.now(), clock.steady())
        for entry in stored where entry.position <= log.head.rawValue {
            // An entry in the future was made while the clock was ahead: its day begins now.
            let age = max(0, now.microseconds - entry.at.microseconds)
            let at = Instant(microseconds: steady.microseconds - age)
            entries[entry.request] = Entry(digest: entry.digest, position: Position(entry.position), at: at)
        }
        state = Mutex(State(entries: entries, file: file))
    }

    /// Remembers a request, from before it is answered.
    ///
    /// - Throws: where it cannot be kept; then it MUST NOT be answered as accepted.
    func note(_ mark: RequestMark, at position: Position) throws {
        let entry = Entry(digest: mark.digest, position: position, at: clock.steady())
        let stored = IdleRequestFile.Entry(request: mark.request, digest: mark.digest, position: position.rawValue, at: clock.now())
        try state.withLock { state in
            try state.file?.add(stored)
            state.entries[mark.request] = entry
        }
    }

    /// Where the log stood when the key was used, and whether that was for this very request; nil where it was not, or long ago.
    func find(_ mark: RequestMark) -> (position: Position, isSame: Bool)? {
        guard let entry = state.withLock({ $0.entries[mark.request] }) else { return nil }
        guard clock.steady() < entry.at.advanced(bySeconds: Limits.idleRequestSeconds) else { return nil }
        return (entry.position, entry.digest == mark.digest)
    }

    /// Closes the file; nothing may be noted any more.
    func close() {
        state.withLock { state in
            try? state.file?.close()
            state.file = nil
        }
    }
}
