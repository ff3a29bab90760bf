internal import Caches
package import Loyalty

/// A number of tokens that refills over a period. One token comes back every `periodSeconds / burst` seconds, until there are `burst`
/// tokens.
///
/// In any window of one period, at most twice `burst` can be taken: a full burst, and the tokens that come back meanwhile.
package struct Allowance: Hashable, Sendable {
    package let burst: Int
    package let periodSeconds: Int64

    package init(_ burst: Int, perSeconds: Int64) {
        (self.burst, periodSeconds) = (max(burst, 1), max(perSeconds, 1))
    }
}

/// One allowance for each key, as a value that the caller guards with its own lock.
///
/// A key's state is one number, the moment at which all of its tokens are back (the generic cell rate algorithm, ITU-T I.371). Checking for
/// tokens and taking them are two steps. So a caller can first check several tables, and then take tokens from all of these tables or from
/// none. Memory is bounded by two generations of `keysMax` keys. The keys that were idle for longest are evicted first, and nothing is kept
/// across a restart. Times are those of the steady clock.
package struct Allowances<Key: Hashable & Sendable>: Sendable {
    private var fullAt: GenerationalCache<Key, Int64>
    /// Microseconds in which one token is refilled.
    private let interval: Int64
    /// Microseconds in which all tokens are refilled.
    private let fill: Int64

    package init(_ allowance: Allowance, keysMax: Int) {
        interval = max(1, allowance.periodSeconds * 1_000_000 / Int64(allowance.burst))
        fill = interval * Int64(allowance.burst)
        fullAt = GenerationalCache(limit: keysMax)
    }

    /// Whole seconds until `tokens` are available; nil if they are available now. `tokens` MUST NOT be more than the burst, because more
    /// tokens are never available.
    package mutating func secondsToWait(_ key: Key, tokens: Int = 1, at now: Instant) -> Int64? {
        let full = max(fullAt[key] ?? 0, now.microseconds) + interval * Int64(tokens)
        let wait = full - now.microseconds - fill
        return wait > 0 ? (wait + 999_999) / 1_000_000 : nil
    }

    /// Takes tokens that are available; MUST come after ``secondsToWait(_:tokens:at:)`` returned nil, under the same lock.
    package mutating func take(_ key: Key, tokens: Int = 1, at now: Instant) {
        fullAt[key] = max(fullAt[key] ?? 0, now.microseconds) + interval * Int64(tokens)
    }

    /// Returns a token that turned out not to be needed.
    package mutating func giveBack(_ key: Key) {
        fullAt.update(key) { $0 -= interval }
    }
}
