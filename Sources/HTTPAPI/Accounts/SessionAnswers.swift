import Caches
import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// Recent answers to signing in (kept for minutes) and refreshing (for seconds, by the spent token, so that two tabs may refresh at once).
///
/// The answers hold secrets, which no log may contain, so they stay in memory of bounded size. A client that lost an answer would otherwise
/// present its spent token and lose its session as stolen; this still happens after a restart. A phone number or session pushes out only
/// its own answers, and only on success.
///
/// A repeated request waits for a running first one. Refusals are not remembered. Any thread may call.
final class SessionAnswers: Sendable {
    private struct Entry {
        let request: UInt128
        let number: UInt64
        let digest: UInt128
        let at: Instant
        /// In a task of its own, so that it completes even if the client hangs up.
        let attempt: Task<OpenedSession, any Error>
    }

    private struct State {
        var entries: SharedPool<Entry>
        var places: [UInt128: UInt64] = [:]
        /// Never more than open requests.
        var underWay: [UInt128: Entry] = [:]
        var lastNumber: UInt64 = 0

        mutating func remove(_ request: UInt128) {
            underWay[request] = nil
            if let place = places.removeValue(forKey: request) { entries.remove(place) }
        }
    }

    private let state: Mutex<State>
    private let clock: any Clock
    private let seconds: Int64

    init(_ pool: Pools, clock: any Clock, seconds: Int64) {
        (self.clock, self.seconds) = (clock, seconds)
        state = Mutex(State(entries: SharedPool(pool.terms)))
    }

    /// The remembered answer (a replay), or the one that this attempt makes.
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
                forget(entry)
                throw error
            }
            if isNew {
                keep(entry, of: attempt.holder)
                forgetInTime(entry)
                return session
            }
            session.isReplay = true
            if try attempt.isOpen(session) { return session }
            forget(entry)
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

    /// Removes the answer after `seconds`, also without further requests.
    private func forgetInTime(_ entry: Entry) {
        Task.detached { [weak self, seconds] in
            try? await Task.sleep(for: .seconds(seconds))
            self?.forget(entry)
        }
    }

    private func forget(_ entry: Entry) {
        state.withLock { state in
            let known = state.underWay[entry.request] ?? state.places[entry.request].flatMap { state.entries[$0] }
            if known?.number == entry.number { state.remove(entry.request) }
        }
    }
}

/// A request to open or refresh a session. One value because of a fault of Swift 6.3.1: in debug builds, an asynchronous function with
/// these parts as parameters crashed on return.
struct SessionAttempt: Sendable {
    /// The hashes of the key (idempotency key or refresh token) and of the content. Nil if the answer is not kept.
    let mark: RequestMark?
    /// The number or session whose share the answer uses up.
    let holder: UInt128
    /// If the earlier answer's session has ended, the request is decided again.
    let isOpen: @Sendable (OpenedSession) throws -> Bool
    /// Called before a reused key is refused. Such a request may be a guess at a code or password, so the closure may count it.
    var refused: @Sendable () throws -> Void = {}
    let open: @Sendable () async throws -> OpenedSession
}

struct OpenedSession: Sendable {
    let session: SessionID
    let answer: SessionAnswer
    let position: Position
    var isReplay = false
}
