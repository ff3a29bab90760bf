import Caches
import CommandService
import Loyalty
import Synchronization

/// Allows a few failures in a period, then makes the client wait, so that codes cannot be guessed.
///
/// The caller decides what counts as a failure, in one of two ways:
/// - ``take(_:)`` counts in advance, in the same step that checks the budget; ``forgive(_:)`` takes it back.
/// - ``begin(_:)`` and ``end(_:failed:)`` enclose an attempt whose outcome decides. No more attempts of one key run concurrently than it
///   has failures left; the others wait. So sixty-four concurrent attempts get no further than sequential ones, and if they race for one
///   valid code, all of them are answered.
///
/// In memory and bounded: a restart forgives, and so do more failing keys than the limit. The requests in progress bound the number of
/// waiting attempts. Time is the steady clock's. May be used concurrently.
final class FailureBudget<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// The times of each key's failures, oldest first, at most `failuresMax`.
        var failures: GenerationalCache<Key, [Instant]>
        /// Attempts begun and not ended yet.
        var underWay: [Key: Int] = [:]
        /// Attempts that wait for others to end. Only for keys that are in ``underWay``.
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

    /// Counts a failure, unless there have been too many; then it counts nothing.
    ///
    /// - Throws: `rateLimited` with the seconds after which the oldest of the failures no longer counts.
    func take(_ key: Key) throws(Problem) {
        let now = clock.steady()
        let wait = state.withLock { state in
            let wait = secondsToWait(key, in: &state, at: now)
            if wait == nil { count(key, in: &state, at: now) }
            return wait
        }
        if let wait { throw Problem(.rateLimited, retryAfterSeconds: wait) }
    }

    /// Takes back the newest failure, because the attempt counted in advance succeeded.
    func forgive(_ key: Key) {
        state.withLock { state in
            guard var failures = state.failures[key], failures.popLast() != nil else { return }
            state.failures[key] = failures.isEmpty ? nil : failures
        }
    }

    /// Begins an attempt, which MUST be ended. Waits while as many attempts run as may still fail.
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

    /// Ends an attempt that was begun.
    func end(_ key: Key, failed: Bool) {
        let now = clock.steady()
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if failed { count(key, in: &state, at: now) }
            let left = (state.underWay[key] ?? 1) - 1
            state.underWay[key] = left > 0 ? left : nil
            guard let waiting = state.waiting[key] else { return [] }
            // Resumes as many waiters as can begin now; all of them if none ever can, so that they are refused.
            let free = failuresMax - failures(of: key, in: &state, at: now)
            let turns = free <= 0 ? waiting.count : min(max(free - left, 0), waiting.count)
            state.waiting[key] = turns < waiting.count ? Array(waiting[turns...]) : nil
            return Array(waiting[..<turns])
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until the state may have changed.
    private func turn(of key: Key) async {
        await withCheckedContinuation { continuation in
            let now = clock.steady()
            let mustWait = state.withLock { state in
                // The running attempts may have ended meanwhile.
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

    /// Failures that still count.
    private func failures(of key: Key, in state: inout State, at now: Instant) -> Int {
        state.failures[key]?.count { now < $0.advanced(bySeconds: windowSeconds) } ?? 0
    }

    /// Seconds until the key may fail again; nil if it may now.
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

/// A limited number of slots, of which one key may take only some. Any task may call.
final class Slots<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var count = 0
        var byKey: [Key: Int] = [:]
    }

    private let taken = Mutex(State())
    private let limit: Int
    private let perKey: Int

    init(_ limit: Int, perKey: Int) {
        (self.limit, self.perKey) = (limit, perKey)
    }

    /// Takes a slot, which MUST be given back.
    ///
    /// - Throws: `overloaded` if all are taken, or the key has its maximum.
    func take(_ key: Key) throws(Problem) {
        let isFree = taken.withLock { taken in
            guard taken.count < limit, taken.byKey[key, default: 0] < perKey else { return false }
            taken.count += 1
            taken.byKey[key, default: 0] += 1
            return true
        }
        guard isFree else { throw Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds) }
    }

    func giveBack(_ key: Key) {
        taken.withLock { taken in
            taken.count -= 1
            let left = taken.byKey[key, default: 1] - 1
            taken.byKey[key] = left > 0 ? left : nil
        }
    }
}
