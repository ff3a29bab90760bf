import CommandService
import Loyalty
import LoyaltyCodec
import Synchronization

/// Answers to signing in and refreshing that may have got lost on the way, for whoever asks again under the same key.
///
/// They hold secrets, which enter no log: so this memory alone has them, for minutes, bounded in number, and gone with the process. A
/// second request that comes while the first still runs waits for its answer. Any thread may ask.
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

    init(clock: any Clock, limit: Int = Limits.sessionAnswersMax) {
        self.clock = clock
        state = Mutex(State(entries: GenerationalCache(limit: limit)))
    }

    /// What the request was answered, or is now.
    ///
    /// - Parameters:
    ///   - isOpen: whether a session that was answered goes on; if not, the request is judged anew.
    ///   - open: does what is asked for. What it refuses is not remembered.
    /// - Throws: ``ProblemCode/idempotencyKeyReused``; what `open` throws.
    func answer(
        to mark: RequestMark, isOpen: (OpenedSession) throws -> Bool, open: @escaping @Sendable () async throws -> OpenedSession
    ) async throws -> OpenedSession {
        while true {
            let (entry, isNew) = entry(for: mark, open)
            guard entry.digest == mark.digest else { throw Problem(.idempotencyKeyReused) }
            do {
                let session = try await entry.attempt.value
                if try isNew || isOpen(session) { return session }
            } catch {
                forget(entry, of: mark)
                throw error
            }
            forget(entry, of: mark)
        }
    }

    private func entry(
        for mark: RequestMark, _ open: @escaping @Sendable () async throws -> OpenedSession
    ) -> (entry: Entry, isNew: Bool) {
        let now = clock.steady()
        return state.withLock { state in
            if let known = state.entries[mark.request], now < known.at.advanced(bySeconds: Limits.sessionAnswerSeconds) {
                return (known, false)
            }
            state.lastNumber += 1
            let entry = Entry(number: state.lastNumber, digest: mark.digest, at: now, attempt: Task { try await open() })
            state.entries[mark.request] = entry
            return (entry, true)
        }
    }

    /// Unless another has taken its place.
    private func forget(_ entry: Entry, of mark: RequestMark) {
        state.withLock { state in
            if state.entries[mark.request]?.number == entry.number { state.entries[mark.request] = nil }
        }
    }
}
