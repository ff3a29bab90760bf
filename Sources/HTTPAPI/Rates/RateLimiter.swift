import Caches
import CommandService
import Loyalty
import Synchronization

/// A token bucket for each key. Each request takes a token, tokens are refilled at a steady rate, and after a pause the bucket is full.
///
/// A bucket is one number, the moment at which it will be full again (the "theoretical arrival time" of the generic cell rate algorithm,
/// ITU-T I.371). A request moves this moment later by the time that refills one token. It is refused if the moment would then be further
/// away than the time that fills a whole bucket. So a check locks only one of the limiter's parts, and takes one look-up and one addition.
///
/// Buckets are kept in memory of bounded size. They are forgotten at a restart. If there are too many keys, the buckets that were not used
/// for the longest time are forgotten. May be used concurrently.
///
/// Requests are limited twice, by address and by account; see `RateMiddleware`. The machine's own address is limited like any other, except
/// in development. `X-Forwarded-For` is believed only from a trusted proxy.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// One of the parts over which keys are spread, so that requests of different keys rarely wait for each other.
    private final class Part: Sendable {
        /// The moment at which each key's bucket is full again, in microseconds of the steady clock.
        let fullAt: Mutex<GenerationalCache<Key, Int64>>

        init(keysMax: Int) { fullAt = Mutex(GenerationalCache(limit: keysMax)) }
    }

    private let parts: [Part]
    /// Microseconds in which one token is refilled.
    private let interval: Int64
    /// Microseconds in which an empty bucket becomes full.
    private let fill: Int64

    /// - Parameters:
    ///   - partCount: the number of parts, a power of two.
    ///   - keysMax: keys remembered in each generation, over all parts.
    init(_ rate: RequestRate, partCount: Int = Limits.rateParts, keysMax: Int = Limits.ratedKeysMax) {
        parts = (0..<partCount).map { _ in Part(keysMax: max(keysMax / partCount, 1)) }
        interval = 1_000_000 / Int64(rate.perSecond)
        fill = interval * Int64(rate.burst)
    }

    /// Takes a token from the key's bucket.
    ///
    /// - Parameter now: the time by the steady clock.
    /// - Throws: `rateLimited` with the seconds to wait if there is no token; then nothing is taken.
    func take(_ key: Key, at now: Instant) throws(Problem) {
        let time = now.microseconds
        let part = parts[key.hashValue & (parts.count - 1)]
        let wait = part.fullAt.withLock { fullAt -> Int64 in
            let full = max(fullAt[key] ?? time, time) + interval
            let wait = full - time - fill
            guard wait <= 0 else { return wait }
            fullAt[key] = full
            return 0
        }
        guard wait > 0 else { return }
        throw Problem(.rateLimited, retryAfterSeconds: (wait + 999_999) / 1_000_000)
    }

    /// Takes the tokens that a request cost in addition to its first one, even if the key has fewer. The key's next request then has to
    /// wait until the missing tokens are refilled. At most the tokens that are refilled in ``Limits/rateDebtSecondsMax`` are taken beyond
    /// an empty bucket. Because of this maximum, several long answers that are made concurrently may be charged less than they cost.
    func charge(_ key: Key, tokens: Int, at now: Instant) {
        let time = now.microseconds
        let latest = time + fill + Limits.rateDebtSecondsMax * 1_000_000
        parts[key.hashValue & (parts.count - 1)].fullAt.withLock { fullAt in
            let full = max(fullAt[key] ?? time, time) + interval * Int64(tokens)
            fullAt[key] = min(full, latest)
        }
    }

    /// The number of tokens that are missing from the key's bucket.
    func missing(_ key: Key, at now: Instant) -> Int {
        let full = parts[key.hashValue & (parts.count - 1)].fullAt.withLock { $0[key] } ?? 0
        return Int(max(full - now.microseconds, 0) / interval)
    }

    /// The number of keys whose buckets are in memory, in both generations of the cache.
    var count: Int { parts.reduce(0) { $0 + $1.fullAt.withLock { $0.count } } }
}

/// Limits the request rate of each client by address and, for IPv6, also by /48 network. One customer may have a whole /48 network, whose
/// 65,536 /64 networks would otherwise have as many separate limits. May be used concurrently.
final class ClientRate: Sendable {
    private let addresses: RateLimiter<ClientAddress>
    private let networks: RateLimiter<ClientAddress>

    init(_ rate: RequestRate) {
        addresses = RateLimiter(rate)
        let factor = Limits.networkRateFactor
        networks = RateLimiter(RequestRate(burst: rate.burst * factor, perSecond: rate.perSecond * factor))
    }

    /// Takes a token of the address, and then one of its network. So an address that is above its own rate takes nothing from its network.
    ///
    /// - Throws: `rateLimited`, like `RateLimiter`.
    func take(_ address: ClientAddress, at now: Instant) throws(Problem) {
        try addresses.take(address, at: now)
        if let network = address.network { try networks.take(network, at: now) }
    }

    /// The number of tokens that are missing from the address's own bucket.
    func missing(_ address: ClientAddress, at now: Instant) -> Int { addresses.missing(address, at: now) }

    func charge(_ address: ClientAddress, tokens: Int, at now: Instant) {
        addresses.charge(address, tokens: tokens, at: now)
        if let network = address.network { networks.charge(network, tokens: tokens, at: now) }
    }
}

/// A rate of requests: a burst, and a number per second in the long run.
public struct RequestRate: Hashable, Sendable {
    /// The number of requests that may come at once after a pause.
    public let burst: Int
    /// Requests per second in the long run.
    public let perSecond: Int

    /// - Parameters:
    ///   - burst: at least 1.
    ///   - perSecond: 1 to 1,000,000; a value outside this range is replaced by the nearest bound.
    public init(burst: Int, perSecond: Int) {
        (self.burst, self.perSecond) = (max(burst, 1), min(max(perSecond, 1), 1_000_000))
    }
}

/// The request rates of an account and of an address.
public struct RequestRates: Hashable, Sendable {
    /// The rate of one account.
    public let account: RequestRate
    /// The rate of one address for the API and the pages, for all accounts together.
    public let address: RequestRate
    /// The rate of one address for proofs, health, metrics and other files that cost little; see `RateMiddleware`.
    public let machine: RequestRate
    /// The rate of rows that the requests of one account look at; see `ReadMeter`.
    public let accountRows: RequestRate
    /// The rate of rows that the requests of one address for the API and for pages look at.
    public let addressRows: RequestRate

    /// The default rates.
    public static let standard = RequestRates(
        account: Limits.accountRate, address: Limits.addressRate, machine: Limits.machineRate)

    /// - Parameters:
    ///   - accountRows: nil for the default rate.
    ///   - addressRows: nil for the default rate.
    public init(
        account: RequestRate, address: RequestRate, machine: RequestRate, accountRows: RequestRate? = nil, addressRows: RequestRate? = nil
    ) {
        (self.account, self.address, self.machine) = (account, address, machine)
        self.accountRows = accountRows ?? Limits.accountRowRate
        self.addressRows = addressRows ?? Limits.addressRowRate
    }
}
