internal import Caches
package import Loyalty

/// A number of tokens that refills over a period. In any window of one period, at most twice `burst` can be taken.
package struct Allowance: Hashable, Sendable {
    package let burst: Int
    package let periodSeconds: Int64

    package init(_ burst: Int, perSeconds: Int64) { (self.burst, periodSeconds) = (max(burst, 1), max(perSeconds, 1)) }
}

/// One allowance for each key, as a value that the caller guards with its own lock.
///
/// A key's state is the moment at which all its tokens are back (generic cell rate algorithm, ITU-T I.371), by the steady clock. Checking
/// and taking are two steps, so that a caller can check several tables first.
package struct Allowances<Key: Hashable & Sendable>: Sendable {
    private var fullAt: GenerationalCache<Key, Int64>
    private let interval: Int64
    /// Microseconds until all tokens are back.
    private let fill: Int64

    package init(_ allowance: Allowance, keysMax: Int) {
        interval = max(1, allowance.periodSeconds * 1_000_000 / Int64(allowance.burst))
        fill = interval * Int64(allowance.burst)
        fullAt = GenerationalCache(limit: keysMax)
    }

    /// Whole seconds until `tokens` are available; nil if they are now. `tokens` MUST NOT be more than the burst.
    package mutating func secondsToWait(_ key: Key, tokens: Int = 1, at now: Instant) -> Int64? {
        let full = max(fullAt[key] ?? 0, now.microseconds) + interval * Int64(tokens)
        let wait = full - now.microseconds - fill
        return wait > 0 ? (wait + 999_999) / 1_000_000 : nil
    }

    /// Takes tokens; MUST follow a nil of ``secondsToWait(_:tokens:at:)`` under the same lock.
    package mutating func take(_ key: Key, tokens: Int = 1, at now: Instant) {
        fullAt[key] = max(fullAt[key] ?? 0, now.microseconds) + interval * Int64(tokens)
    }

    /// Returns a token that turned out not to be needed.
    package mutating func giveBack(_ key: Key) { fullAt.update(key) { $0 -= interval } }
}
