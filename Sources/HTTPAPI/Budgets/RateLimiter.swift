import Loyalty
import Synchronization

/// A token bucket for each key: full after a rest, emptied by requests, filled at a steady rate.
///
/// A bucket is one number, the moment at which it will be full again (the "theoretical arrival time" of the generic cell rate
/// algorithm, ITU-T I.371): a request moves it by the time that one token takes to come, and is refused where it would come to lie
/// further ahead than a whole burst. So a look costs one lock of one of several parts, one look-up and one addition.
///
/// In memory and bounded: a restart forgives, and so does a crowd of more keys than the named number. Any task may call anything.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// One of the parts that keys are spread over, so that requests of different keys seldom wait for each other.
    private final class Part: Sendable {
        /// When each key's bucket is full again, in microseconds of the steady time; two generations.
        struct State {
            var young: [Key: Int64] = [:]
            var old: [Key: Int64] = [:]
        }

        let state = Mutex(State())
    }

    private let parts: [Part]
    private let keysMax: Int
    /// Microseconds in which one token comes.
    private let interval: Int64
    /// Microseconds in which a whole bucket fills.
    private let fill: Int64

    /// - Parameters:
    ///   - partCount: a power of two.
    ///   - keysMax: keys remembered in each generation, all parts together.
    init(_ rate: RequestRate, partCount: Int = Limits.rateParts, keysMax: Int = Limits.ratedKeysMax) {
        parts = (0..<partCount).map { _ in Part() }
        self.keysMax = max(keysMax / partCount, 1)
        interval = 1_000_000 / Int64(rate.perSecond)
        fill = interval * Int64(rate.burst)
    }

    /// Takes a token.
    ///
    /// - Parameter now: by a clock that nobody sets.
    /// - Throws: `rateLimited` with the seconds after which there is one, where there is none; then nothing is taken.
    func take(_ key: Key, at now: Instant) throws(Problem) {
        let time = now.microseconds
        let part = parts[key.hashValue & (parts.count - 1)]
        let wait = part.state.withLock { state -> Int64 in
            let full = max(state.young[key] ?? state.old[key] ?? time, time) + interval
            let wait = full - time - fill
            guard wait <= 0 else { return wait }
            if state.young.count >= keysMax, state.young[key] == nil {
                state.old = state.young
                state.young = [:]
            }
            state.young[key] = full
            return 0
        }
        guard wait > 0 else { return }
        throw Problem(.rateLimited, retryAfterSeconds: (wait + 999_999) / 1_000_000)
    }

    /// Takes tokens for what a request turned out to cost, even if the key has fewer. Its next request waits for them, for at most
    /// ``Limits/rateDebtSecondsMax``: several long answers that are made concurrently are not all charged.
    func charge(_ key: Key, tokens: Int, at now: Instant) {
        let time = now.microseconds
        let latest = time + fill + Limits.rateDebtSecondsMax * 1_000_000
        parts[key.hashValue & (parts.count - 1)].state.withLock { state in
            let full = max(state.young[key] ?? state.old[key] ?? time, time) + interval * Int64(tokens)
            state.young[key] = min(full, latest)
        }
    }

    /// Keys remembered, of both generations.
    var count: Int { parts.reduce(0) { $0 + $1.state.withLock { $0.young.count + $0.old.count } } }
}
