import Caches
import CommandService
import Loyalty
import Synchronization

/// Allows each key a few failures in a period, so that codes cannot be guessed.
///
/// - ``take(_:)`` records a failure with the check; ``forgive(_:)`` takes it back.
/// - ``begin(_:)`` and ``end(_:failed:)`` enclose an attempt. A key runs only as many at once as it has failures left, so concurrent
///   attempts cannot guess more often. Attempts that race for one valid code need not count as failures.
///
/// Failures are in memory of bounded size and lost at a restart. Waiting attempts never exceed open requests. Times are of the steady
/// clock. Any task may call.
final class FailureBudget<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// Oldest first, at most `failuresMax`.
        var failures: GenerationalCache<Key, [Instant]>
        var underWay: [Key: Int] = [:]
        /// The end of another attempt of the key wakes them.
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

    /// Records a failure of the key, unless it has too many.
    ///
    /// - Throws: `rateLimited` with the seconds until the oldest failure is forgotten.
    func take(_ key: Key) throws(Problem) {
        let now = clock.steady()
        let wait = state.withLock { state in
            let wait = secondsToWait(key, in: &state, at: now)
            if wait == nil { count(key, in: &state, at: now) }
            return wait
        }
        if let wait { throw Problem(.rateLimited, retryAfterSeconds: wait) }
    }

    /// Takes back the newest failure, because the attempt succeeded.
    func forgive(_ key: Key) {
        state.withLock { state in
            guard var failures = state.failures[key], failures.popLast() != nil else { return }
            state.failures[key] = failures.isEmpty ? nil : failures
        }
    }

    /// Begins an attempt, which MUST be ended with ``end(_:failed:)``. Waits while running attempts could use up the failures left.
    ///
    /// - Throws: `rateLimited`; then nothing was begun.
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

    func end(_ key: Key, failed: Bool) {
        let now = clock.steady()
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if failed { count(key, in: &state, at: now) }
            let left = (state.underWay[key] ?? 1) - 1
            state.underWay[key] = left > 0 ? left : nil
            guard let waiting = state.waiting[key] else { return [] }
            // Without failures left, all waiting attempts resume to be refused.
            let free = failuresMax - failures(of: key, in: &state, at: now)
            let turns = free <= 0 ? waiting.count : min(max(free - left, 0), waiting.count)
            state.waiting[key] = turns < waiting.count ? Array(waiting[turns...]) : nil
            return Array(waiting[..<turns])
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until another attempt of the key has ended, unless this one may begin or none runs.
    private func turn(of key: Key) async {
        await withCheckedContinuation { continuation in
            let now = clock.steady()
            let mustWait = state.withLock { state in
                // The running attempts may have ended since the first check, and nothing would wake this one.
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

    private func failures(of key: Key, in state: inout State, at now: Instant) -> Int {
        state.failures[key]?.count { now < $0.advanced(bySeconds: windowSeconds) } ?? 0
    }

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
