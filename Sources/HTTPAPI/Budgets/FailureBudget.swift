import CommandService
import Loyalty
import Synchronization

/// Lets somebody fail a few times in a while, then makes them wait: codes cannot be guessed by trying.
///
/// What counts as a failure is its caller's to say. Requests that were on their way together when the last allowed failure was
/// answered are heard; everything after it is not.
///
/// In memory and bounded: a restart forgives, and so does a crowd of more failing keys than the named number.
/// Any task may call anything.
final class FailureBudget<Key: Hashable & Sendable>: Sendable {
    /// When each key failed, oldest first, at most `failuresMax` times; two generations.
    private struct State {
        var young: [Key: [Instant]] = [:]
        var old: [Key: [Instant]] = [:]
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

    /// Lets a key try, unless it has failed too often.
    ///
    /// - Throws: `rateLimited` with the seconds after which the oldest of the failures no longer counts.
    func check(_ key: Key) throws(Problem) {
        let now = clock.now()
        let failures = state.withLock { $0.young[key] ?? $0.old[key] }
        guard let failures, failures.count >= failuresMax else { return }
        let over = failures[failures.count - failuresMax].advanced(bySeconds: windowSeconds)
        guard now < over else { return }
        throw Problem(.rateLimited, retryAfterSeconds: (over.microseconds - now.microseconds + 999_999) / 1_000_000)
    }

    /// Takes back the newest failure: what was counted beforehand went well.
    func forgive(_ key: Key) {
        state.withLock { state in
            _ = state.young[key]?.popLast()
            if state.young[key]?.isEmpty == true { state.young[key] = nil }
        }
    }

    /// Counts a failure.
    func count(_ key: Key) {
        let now = clock.now()
        state.withLock { state in
            let earlier = state.young[key] ?? state.old[key] ?? []
            if state.young[key] == nil, state.young.count >= keysMax {
                state.old = state.young
                state.young = [:]
            }
            state.young[key] = (earlier + [now]).suffix(failuresMax)
        }
    }
}
