import Caches
import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// Recent answers to signing in and refreshing, kept for retries. One instance keeps answers for minutes, for retries with an idempotency
/// key or a cookie. Another instance keeps answers to refreshes for seconds, by the spent refresh token, so that two tabs of one browser
/// may refresh concurrently.
///
/// The answers hold secrets, which no log may contain, so they are kept only here, in memory of bounded size. If they were not kept, a
/// client that lost the answer to a refresh would present its spent token again. The service would then take the token for a stolen one and
/// end the session. This still happens after a restart, or once the answer is no longer kept. The answers of one phone number or session
/// push out their own, never those of others, and only once they are right: a failed attempt pushes out nothing.
///
/// A repeated request waits for the answer to the first request if that request is still running. A refused request is not remembered. Any
/// thread may call.
final class SessionAnswers: Sendable {
    private struct Entry {
        let request: UInt128
        let number: UInt64
        let digest: UInt128
        let at: Instant
        /// The attempt runs in a task of its own, so that the answer is made even if the client hangs up.
        let attempt: Task<OpenedSession, any Error>
    }

    private struct State {
        var entries: SharedPool<Entry>
        /// The place of each request's entry in the pool.
        var places: [UInt128: UInt64] = [:]
        /// The attempts that have not ended. There are never more than open requests.
        var underWay: [UInt128: Entry] = [:]
        var lastNumber: UInt64 = 0

        mutating func remove(_ request: UInt128) {
            underWay[request] = nil
            if let place = places.removeValue(forKey: request) { entries.remove(place) }
        }
    }

    private let state: Mutex<State>
    private let clock: any Clock
    /// The seconds for which an answer is kept.
    private let seconds: Int64

    init(_ pool: Pools, clock: any Clock, seconds: Int64) {
        (self.clock, self.seconds) = (clock, seconds)
        state = Mutex(State(entries: SharedPool(pool.terms)))
    }

    /// The answer to the request: the remembered one, which is a replay, or else the one that this attempt makes.
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
            var session: OpenedSession
            do { session = try await entry.attempt.value } catch {
                forget(entry, of: mark)
                throw error
            }
            if isNew {
                keep(entry, of: attempt.holder)
                forgetInTime(entry, of: mark)
            }
            if !isNew { session.isReplay = true }
            if try isNew || attempt.isOpen(session) { return session }
            forget(entry, of: mark)
        }
    }

    private func entry(of mark: RequestMark, for attempt: SessionAttempt) -> (entry: Entry, isNew: Bool) {
        let now = clock.steady()
        return state.withLock { state in
            if let running = state.underWay[mark.request] { return (running, false) }
            if let place = state.places[mark.request], let known = state.entries[place], now < known.at.advanced(bySeconds: seconds) {
                state.entries.use(place)
                return (known, false)
            }
            state.remove(mark.request)
            state.lastNumber += 1
            let entry = Entry(
                request: mark.request, number: state.lastNumber, digest: mark.digest, at: now, attempt: Task { try await attempt.open() })
            state.underWay[mark.request] = entry
            return (entry, true)
        }
    }

    /// Keeps the answer of an attempt that succeeded, among those of its holder.
    private func keep(_ entry: Entry, of holder: UInt128) {
        var share = PoolClient.share
        share.account = holder
        state.withLock { [share] state in
            state.underWay[entry.request] = nil
            let added = state.entries.add(entry, of: share)
            for displaced in added?.displaced ?? [] { state.places[displaced.request] = nil }
            state.places[entry.request] = added?.id
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
            let known = state.underWay[mark.request] ?? state.places[mark.request].flatMap { state.entries[$0] }
            if known?.number == entry.number { state.remove(mark.request) }
        }
    }
}

/// A request to open or refresh a session.
///
/// The parts are in one value because of a fault of Swift 6.3.1. In debug builds, an asynchronous function that had these parts as separate
/// parameters crashed on return, because together they take many machine words.
struct SessionAttempt: Sendable {
    /// The hash of the key under which the answer is kept (an idempotency key or a refresh token), and the hash of the request's content.
    /// Nil if the answer is not kept.
    let mark: RequestMark?
    /// The phone number or the session whose share of the kept answers this one uses up.
    let holder: UInt128
    /// Whether the session of an earlier answer is still open. If not, the earlier answer is dropped and the request is decided again.
    let isOpen: @Sendable (OpenedSession) throws -> Bool
    /// Called before a request is refused because its idempotency key was already used for other content. Such a request may be a guess at
    /// a code or a password, so the closure may count it.
    var refused: @Sendable () throws -> Void = {}
    /// Opens or refreshes the session. A refusal by this closure is not remembered.
    let open: @Sendable () async throws -> OpenedSession
}

/// A session that was begun or refreshed, with its answer.
struct OpenedSession: Sendable {
    let session: SessionID
    let answer: SessionAnswer
    let position: Position
    /// Whether this repeats the answer to an earlier request.
    var isReplay = false
}
