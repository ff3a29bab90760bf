import Caches
import CommandService
import Loyalty
import Synchronization

/// Allows each key a few failures in a period, and then refuses its attempts for a time, so that codes cannot be guessed.
///
/// The caller decides which attempts are failures, in one of two ways:
/// - ``take(_:)`` records a failure in advance, in the same step that checks the budget; ``forgive(_:)`` takes the failure back.
/// - ``begin(_:)`` and ``end(_:failed:)`` enclose an attempt, and a failure is recorded only if the attempt fails. A key may run only as
///   many attempts at once as it has failures left; further attempts wait. So concurrent attempts, however many, cannot make more guesses
///   than sequential ones. Several attempts may race for one valid code. If the caller does not count those that come too late as failures,
///   all of them get an answer.
///
/// Failures are kept in memory of bounded size. They are forgotten at a restart. If too many keys fail, the failures of those keys that
/// were not used for the longest time are forgotten. There are never more waiting attempts than open requests. Times are those of the
/// steady clock. The methods may be called concurrently.
final class FailureBudget<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// The times of each key's failures, oldest first, at most `failuresMax`.
        var failures: GenerationalCache<Key, [Instant]>
        /// For each key, the number of attempts that were begun and have not ended.
        var underWay: [Key: Int] = [:]
        /// For each key, the attempts that wait until other attempts of the same key end. The end of an attempt wakes them.
        var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state: Mutex<State>
    private let clock: any Clock
    private let failuresMax: Int
    private let windowSeconds: Int64

    init(
        clock: any Clock, failuresMax: Int = Limits.failuresMax, windowSeconds: Int64 = Limits.failureWindowSeconds,
        keysMax: Int = Limits.budgetedKeysMax
    ) {
        self.clock = clock
        self.failuresMax = failuresMax
        self.windowSeconds = windowSeconds
        state = Mutex(State(failures: GenerationalCache(limit: keysMax)))
    }

    /// Records a failure of the key. If the key has had too many failures, records nothing and throws.
    ///
    /// - Throws: `rateLimited` with the seconds until the oldest of the failures is forgotten.
    func take(_ key: Key) throws(Problem) {
        let now = clock.steady()
        let wait = state.withLock { state in
            let wait = secondsToWait(key, in: &state, at: now)
            if wait == nil { count(key, in: &state, at: now) }
            return wait
        }
        if let wait { throw Problem(.rateLimited, retryAfterSeconds: wait) }
    }

    /// Takes back the key's newest failure, because the attempt that was counted in advance has succeeded.
    func forgive(_ key: Key) {
        state.withLock { state in
            guard var failures = state.failures[key], failures.popLast() != nil else { return }
            state.failures[key] = failures.isEmpty ? nil : failures
        }
    }

    /// Begins an attempt, which MUST be ended with ``end(_:failed:)``. Waits as long as the running attempts of the key would use up its
    /// remaining failures if all of them failed.
    ///
    /// - Throws: `rateLimited`, like ``take(_:)``; then nothing was begun.
    func begin(_ key: Key) async throws(Problem) {
        while true {
            let now = clock.steady()
            let (wait, isBegun) = state.withLock { state -> (Int64?, Bool) in
                if let wait = secondsToWait(key, in: &state, at: now) { return (wait, false) }
                guard hasRoom(key, in: &state, at: now) else { return (nil, false) }
                state.underWay[key, default: 0] += 1
                return (nil, true)
            }
            if let wait { throw Problem(.rateLimited, retryAfterSeconds: wait) }
            if isBegun { return }
            await turn(of: key)
        }
    }

    /// Ends an attempt that was begun, and records a failure of the key if the attempt failed.
    func end(_ key: Key, failed: Bool) {
        let now = clock.steady()
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if failed { count(key, in: &state, at: now) }
            let left = (state.underWay[key] ?? 1) - 1
            state.underWay[key] = left > 0 ? left : nil
            guard let waiting = state.waiting[key] else { return [] }
            // Resumes as many waiting attempts as may begin now. If no failures are left, resumes all of them, so that they are refused.
            let free = failuresMax - failures(of: key, in: &state, at: now)
            let turns = free <= 0 ? waiting.count : min(max(free - left, 0), waiting.count)
            state.waiting[key] = turns < waiting.count ? Array(waiting[turns...]) : nil
            return Array(waiting[..<turns])
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until another attempt of the key has ended. Returns at once if the attempt may already begin, or if no attempt of the key is
    /// running.
    private func turn(of key: Key) async {
        await withCheckedContinuation { continuation in
            let now = clock.steady()
            let mustWait = state.withLock { state in
                // The running attempts may have ended since the first check. This attempt must not wait then, because nothing would wake
                // it.
                guard !hasRoom(key, in: &state, at: now), state.underWay[key] != nil else { return false }
                state.waiting[key, default: []].append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    private func hasRoom(_ key: Key, in state: inout State, at now: Instant) -> Bool {
        failures(of: key, in: &state, at: now) + (state.underWay[key] ?? 0) < failuresMax
    }

    /// The number of the key's failures in the period that ends now.
    private func failures(of key: Key, in state: inout State, at now: Instant) -> Int {
        state.failures[key]?.count { now < $0.advanced(bySeconds: windowSeconds) } ?? 0
    }

    /// Seconds until the key may try again; nil if it may now.
    private func secondsToWait(_ key: Key, in state: inout State, at now: Instant) -> Int64? {
        guard failures(of: key, in: &state, at: now) >= failuresMax, let oldest = state.failures[key]?.first else {
            return nil
        }
        return (oldest.advanced(bySeconds: windowSeconds).microseconds - now.microseconds + 999_999) / 1_000_000
    }

    private func count(_ key: Key, in state: inout State, at now: Instant) {
        state.failures[key] = ((state.failures[key] ?? []) + [now]).suffix(failuresMax)
    }
}
