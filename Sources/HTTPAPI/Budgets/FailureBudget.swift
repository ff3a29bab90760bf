import CommandService
import Loyalty
import Synchronization

/// Lets somebody fail a few times in a while, then makes them wait: codes cannot be guessed by trying.
///
/// Failures are counted when the last request of those that were on their way together is answered. So many requests that
/// arrive at once, all for the one code that only one of them can have, each get their own answer; whoever sends one after the
/// other is stopped at the limit. A named number of failures in one such bunch is the end of it, or a guesser would never let
/// the bunch end.
///
/// In memory and bounded: a restart forgives, and so does a crowd of more failing keys than the named number.
/// Any task may call anything.
final class FailureBudget<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// Keys with requests on their way; bounded by the connections.
        var busy: [Key: Bunch] = [:]
        /// When each key failed, oldest first, at most `failuresMax` times; two generations.
        var young: [Key: [Instant]] = [:]
        var old: [Key: [Instant]] = [:]
    }

    private struct Bunch {
        var requests = 0
        var failures = 0
    }

    private let state = Mutex(State())
    private let clock: any Clock
    private let failuresMax: Int
    private let windowSeconds: Int64
    private let keysMax: Int

    init(
        clock: any Clock, failuresMax: Int = Limits.failuresMax, windowSeconds: Int64 = Limits.failureWindowSeconds,
        keysMax: Int = Limits.budgetedKeysMax
    ) {
        self.clock = clock
        self.failuresMax = failuresMax
        self.windowSeconds = windowSeconds
        self.keysMax = keysMax
    }

    /// A request is on its way; `leave` must follow, once.
    ///
    /// - Throws: `rateLimited` with the seconds after which the oldest of the failures no longer counts.
    func arrive(_ key: Key) throws(Problem) {
        let now = clock.now()
        let wait = state.withLock { state -> Int64? in
            if let wait = secondsToWait(of: key, in: state, now: now) { return wait }
            state.busy[key, default: Bunch()].requests += 1
            return nil
        }
        if let wait { throw Problem(.rateLimited, retryAfterSeconds: wait) }
    }

    /// The request is answered.
    func leave(_ key: Key, failed: Bool) {
        let now = clock.now()
        state.withLock { state in
            guard var bunch = state.busy[key] else { return }
            bunch.requests -= 1
            bunch.failures += failed ? 1 : 0
            guard bunch.requests == 0 else { return state.busy[key] = bunch }
            state.busy[key] = nil
            if bunch.failures > 0 { count(bunch.failures, of: key, in: &state, now: now) }
        }
    }

    private func secondsToWait(of key: Key, in state: State, now: Instant) -> Int64? {
        if let bunch = state.busy[key], bunch.failures >= Limits.concurrentFailuresMax { return windowSeconds }
        guard let failures = state.young[key] ?? state.old[key], failures.count >= failuresMax else { return nil }
        let over = failures[failures.count - failuresMax].advanced(bySeconds: windowSeconds)
        guard now < over else { return nil }
        return (over.microseconds - now.microseconds + 999_999) / 1_000_000
    }

    private func count(_ failures: Int, of key: Key, in state: inout State, now: Instant) {
        let earlier = state.young[key] ?? state.old[key] ?? []
        if state.young[key] == nil, state.young.count >= keysMax {
            state.old = state.young
            state.young = [:]
        }
        state.young[key] = (earlier + Array(repeating: now, count: min(failures, failuresMax))).suffix(failuresMax)
    }
}
