import Caches
import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// Recent answers to signing in and refreshing, kept for retries: by idempotency key for minutes, and by the refresh token that was spent
/// for seconds, so that two tabs of one browser may refresh at once.
///
/// The answers hold secrets, which enter no log: this memory alone has them, bounded in number, and a restart forgets them. After one, a
/// spent token ends its family even within those seconds. A second request that comes while the first still runs waits for its answer. A
/// refused request leaves nothing behind. Any thread may ask.
///
/// Answers are kept in memory because they hold secrets, which no log may have. Without them, a client that lost the answer to a refresh
/// would present a spent token, and the session would end as if it were stolen. Without an idempotency key a token's answer is kept for ten
/// seconds, for two tabs that refresh concurrently; a later reuse ends the session, and so does a reuse after a restart.
final class SessionAnswers: Sendable {
    private struct Entry {
        let number: UInt64
        let digest: UInt128
        let at: Instant
        /// A task of its own: a client that hangs up must not take the answer along.
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

    /// The answer to the request, from memory or from this attempt.
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

    /// Nobody has to ask for what is over, for it to be forgotten.
    private func forgetInTime(_ entry: Entry, of mark: RequestMark) {
        Task.detached { [weak self, seconds] in
            try? await Task.sleep(for: .seconds(seconds))
            self?.forget(entry, of: mark)
        }
    }

    /// Unless another has taken its place.
    private func forget(_ entry: Entry, of mark: RequestMark) {
        state.withLock { state in
            if state.entries[mark.request]?.number == entry.number { state.entries[mark.request] = nil }
        }
    }
}

/// A request to open or refresh a session.
///
/// One value for all of it: an asynchronous function of as many words of arguments did not find its way back in debug builds (Swift 6.3.1).
struct SessionAttempt: Sendable {
    /// The request's mark; nil without a key.
    let mark: RequestMark?
    /// Whether a session that was answered goes on; if not, the request is judged anew.
    let isOpen: @Sendable (OpenedSession) throws -> Bool
    /// Called before another request under the same key is refused: that may be a guess.
    var refused: @Sendable () throws -> Void = {}
    /// Does what is asked for. What it refuses is not remembered.
    let open: @Sendable () async throws -> OpenedSession
}

/// A session that was begun or refreshed, as it was answered.
struct OpenedSession: Sendable {
    let session: SessionID
    let answer: SessionAnswer
    let position: Position
}
