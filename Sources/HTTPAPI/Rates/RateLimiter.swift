import Caches
import CommandService
import Loyalty
import Synchronization

/// A token bucket for each key, stored as the moment at which it is full again (generic cell rate algorithm, ITU-T I.371): a check locks
/// one part and takes one look-up.
///
/// Buckets are in memory of bounded size and lost at a restart. Any task may call. Limits by address and account are in `RateMiddleware`.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// Keys are spread over parts, so that their requests rarely wait for each other.
    private final class Part: Sendable {
        /// Microseconds of the steady clock.
        let fullAt: Mutex<GenerationalCache<Key, Int64>>

        init(keysMax: Int) { fullAt = Mutex(GenerationalCache(limit: keysMax)) }
    }

    private let parts: [Part]
    /// Microseconds for one token.
    private let interval: Int64
    /// Microseconds for a whole bucket.
    private let fill: Int64

    /// - Parameters:
    ///   - partCount: a power of two.
    ///   - keysMax: in each generation, over all parts.
    init(_ rate: RequestRate, partCount: Int = Limits.rateParts, keysMax: Int = Limits.ratedKeysMax) {
        parts = (0..<partCount).map { _ in Part(keysMax: max(keysMax / partCount, 1)) }
        interval = 1_000_000 / Int64(rate.perSecond)
        fill = interval * Int64(rate.burst)
    }

    /// - Parameter now: by the steady clock.
    /// - Throws: `rateLimited` with the seconds to wait; then nothing is taken.
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

    /// Takes the further tokens that a request cost, up to ``Limits/rateDebtSecondsMax`` beyond an empty bucket: the next request waits for
    /// them. Long concurrent answers may therefore cost too little.
    func charge(_ key: Key, tokens: Int, at now: Instant) {
        let time = now.microseconds
        let latest = time + fill + Limits.rateDebtSecondsMax * 1_000_000
        parts[key.hashValue & (parts.count - 1)].fullAt.withLock { fullAt in
            let full = max(fullAt[key] ?? time, time) + interval * Int64(tokens)
            fullAt[key] = min(full, latest)
        }
    }

    func missing(_ key: Key, at now: Instant) -> Int {
        let full = parts[key.hashValue & (parts.count - 1)].fullAt.withLock { $0[key] } ?? 0
        return Int(max(full - now.microseconds, 0) / interval)
    }

    /// In both generations.
    var count: Int { parts.reduce(0) { $0 + $1.fullAt.withLock { $0.count } } }
}

/// Limits requests by address and, for IPv6, by /48: one customer may have all its 65,536 /64 networks. Any task may call.
final class ClientRate: Sendable {
    private let addresses: RateLimiter<ClientAddress>
    private let networks: RateLimiter<ClientAddress>

    init(_ rate: RequestRate) {
        addresses = RateLimiter(rate)
        let factor = Limits.networkRateFactor
        networks = RateLimiter(RequestRate(burst: rate.burst * factor, perSecond: rate.perSecond * factor))
    }

    /// Takes from the address first, so that an address above its rate takes nothing from its network.
    ///
    /// - Throws: `rateLimited`.
    func take(_ address: ClientAddress, at now: Instant) throws(Problem) {
        try addresses.take(address, at: now)
        if let network = address.network { try networks.take(network, at: now) }
    }

    func missing(_ address: ClientAddress, at now: Instant) -> Int { addresses.missing(address, at: now) }

    func charge(_ address: ClientAddress, tokens: Int, at now: Instant) {
        addresses.charge(address, tokens: tokens, at: now)
        if let network = address.network { networks.charge(network, tokens: tokens, at: now) }
    }
}

/// A burst, and a number per second in the long run.
public struct RequestRate: Hashable, Sendable {
    public let burst: Int
    public let perSecond: Int

    /// - Parameter perSecond: clamped to 1 to 1,000,000; the burst to at least 1.
    public init(burst: Int, perSecond: Int) { (self.burst, self.perSecond) = (max(burst, 1), min(max(perSecond, 1), 1_000_000)) }
}

/// The request rates of an account and of an address.
public struct RequestRates: Hashable, Sendable {
    public let account: RequestRate
    /// For the API and pages, all accounts together.
    public let address: RequestRate
    /// For proofs, health, metrics and cheap files; see `RateMiddleware`.
    public let machine: RequestRate
    /// Rows that requests look at; see `ReadMeter`.
    public let accountRows: RequestRate
    public let addressRows: RequestRate

    public static let standard = RequestRates(account: Limits.accountRate, address: Limits.addressRate, machine: Limits.machineRate)

    public init(
        account: RequestRate, address: RequestRate, machine: RequestRate, accountRows: RequestRate? = nil, addressRows: RequestRate? = nil
    ) {
        (self.account, self.address, self.machine) = (account, address, machine)
        self.accountRows = accountRows ?? Limits.accountRowRate
        self.addressRows = addressRows ?? Limits.addressRowRate
    }
}
