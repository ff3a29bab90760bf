import Caches
import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// Recent answers to signing in and refreshing, kept for retries: by idempotency key for minutes, and by the spent refresh token for
/// seconds, so that two tabs of one browser may refresh concurrently.
///
/// The answers hold secrets, which no log may contain, so they are kept only here, in memory of bounded size. Without them, a client that
/// lost the answer to a refresh would present a spent token again, and its session would be ended as stolen. That still happens once the
/// answer is no longer kept, or after a restart: the reuse of a spent token then ends all tokens of its session.
///
/// A repeated request waits for the first one's answer if the first request is still running. A refused request is not remembered. Any
/// thread may call.
final class SessionAnswers: Sendable {
    private struct Entry {
        let number: UInt64
        let digest: UInt128
        let at: Instant
        /// The attempt runs in a task of its own, so that the answer is made even if the client hangs up.
        let attempt: Task<OpenedSession, any Error>
    }

    private struct State {
        var entries: GenerationalCache<UInt128, Entry>
        var lastNumber: UInt64 = 0
    }

    private let state: Mutex<State>
    private let clock: any Clock
    /// The seconds for which an answer is kept.
    private let seconds: Int64

    init(clock: any Clock, seconds: Int64, limit: Int = Limits.sessionAnswersMax) {
        (self.clock, self.seconds) = (clock, seconds)
        state = Mutex(State(entries: GenerationalCache(limit: limit)))
    }

    /// The answer to the request: the remembered one, or else the one that this attempt makes.
    ///
    /// - Throws: ``ProblemCode/idempotencyKeyReused``, and errors of the attempt.
    func answer(to attempt: SessionAttempt) async throws -> OpenedSession {
        guard let mark = attempt.mark else { return try await attempt.open() }
        while true {
            let (entry, isNew) = entry(of: mark, for: attempt)
            guard entry.digest == mark.digest else {
                try attempt.refused()
                throw Problem(.idempotencyKeyReused)
            }
            let session: OpenedSession
            do { session = try await entry.attempt.value } catch {
                forget(entry, of: mark)
                throw error
            }
            if isNew { forgetInTime(entry, of: mark) }
            if try isNew || attempt.isOpen(session) { return session }
            forget(entry, of: mark)
        }
    }

    private func entry(of mark: RequestMark, for attempt: SessionAttempt) -> (entry: Entry, isNew: Bool) {
        let now = clock.steady()
        return state.withLock { state in
            if let known = state.entries[mark.request], now < known.at.advanced(bySeconds: seconds) {
                return (known, false)
            }
            state.lastNumber += 1
            let entry = Entry(number: state.lastNumber, digest: mark.digest, at: now, attempt: Task { try await attempt.open() })
            state.entries[mark.request] = entry
            return (entry, true)
        }
    }

    /// Schedules the removal of an answer after `seconds`. The answer is removed even if there are no further requests.
    private func forgetInTime(_ entry: Entry, of mark: RequestMark) {
        Task.detached { [weak self, seconds] in
            try? await Task.sleep(for: .seconds(seconds))
            self?.forget(entry, of: mark)
        }
    }

    /// Removes the entry, unless another entry has taken its place.
    private func forget(_ entry: Entry, of mark: RequestMark) {
        state.withLock { state in
            if state.entries[mark.request]?.number == entry.number { state.entries[mark.request] = nil }
        }
    }
}

/// A request to open or refresh a session.
///
/// All arguments are in one value because of a fault of Swift 6.3.1: in debug builds, an asynchronous function crashed on return if its
/// arguments took that many machine words.
struct SessionAttempt: Sendable {
    /// The hashes of the request's idempotency key and of its content; nil if the request has no key.
    let mark: RequestMark?
    /// Whether the session of an earlier answer is still open. If not, the earlier answer is dropped and the request is decided again.
    let isOpen: @Sendable (OpenedSession) throws -> Bool
    /// Called if the request's idempotency key was already used for other content, before the request is refused. Such a request may be a
    /// guess at a code or a password.
    var refused: @Sendable () throws -> Void = {}
    /// Does the work of the request. Its refusals are not remembered.
    let open: @Sendable () async throws -> OpenedSession
}

/// A session that was begun or refreshed, with its answer.
struct OpenedSession: Sendable {
    let session: SessionID
    let answer: SessionAnswer
    let position: Position
}
