import Caches
import CommandService
import Composition
import Hummingbird
import LMDB
import Loyalty
import Prometheus
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
/// Requests are limited twice: by address and network before any work is done, and by account as soon as the account is known. The
/// machine's own address is limited like any other, except in development. `X-Forwarded-For` is believed only from a trusted proxy.
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

/// Refuses a request before any other work if its address or its network is above the rate. `Gate` limits the rates of accounts.
///
/// There are two rates, counted separately, so that requests to the API and for pages never use up the rate of a health check at the same
/// address. The lower rate is for the API, and for pages, because a page reads as much of the log as an answer of the API. The higher rate
/// is for proofs, health, metrics, the API's description and the files of pages. A request for these costs little, but without a limit one
/// connection could send them without a pause.
///
/// Requests at the lower rate also pay for the rows that they look at, while they continue (`ReadMeter`), from an allowance of their
/// address and another of their account. A client that looked at many rows lately gets the slow lane; one that used up an allowance is
/// refused.
struct RateMiddleware: RouterMiddleware {
    /// The first segments of the paths that have the higher rate.
    private static let machineParts: Set<Substring> = [
        "healthz", "readyz", "metrics", "checkpoint", "tile", "openapi.yaml", "openapi.json", "docs", "assets", "sw.js", "favicon.ico",
        "manifest.webmanifest", "robots.txt",
    ]

    private let resources: Resources
    private let api: ClientRate
    private let machines: ClientRate
    private let rows: ClientRate
    private let lane = SlowLane()

    init(_ resources: Resources, _ rates: RequestRates) {
        self.resources = resources
        (api, machines, rows) = (ClientRate(rates.address), ClientRate(rates.machine), ClientRate(rates.addressRows))
    }

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard let address = resources.limitedAddress(of: request, context) else { return try await next(request, context) }
        // `uri.path` is the path that the router uses, even if the request line has an absolute address.
        let isOfAPI = Self.isOfAPI(request.uri.path)
        let (limiter, now) = (isOfAPI ? api : machines, resources.steadyNow)
        do throws(Problem) {
            try limiter.take(address, at: now)
            if isOfAPI { try rows.take(address, at: now) }
        } catch {
            // Ends the connection, so that each further refusal costs the client a new connection, whose rate is limited by address. The
            // connection of a proxy is kept, because it also carries the requests of other clients.
            var problem = error
            problem.endsConnection = resources.configuration.trustedProxies == 0
            throw problem
        }
        let response: Response
        do {
            response = isOfAPI ? try await metered(request, address, context, next) : try await next(request, context)
        } catch {
            charge(Self.furtherTokens(for: error) + context.cost.tokens, to: address, of: limiter)
            throw error
        }
        charge(Self.furtherTokens(for: response) + context.cost.tokens, to: address, of: limiter)
        return response
    }

    /// Answers a request whose address pays for the rows, in the slow lane if its address and account looked at many rows lately.
    private func metered(
        _ request: Request, _ address: ClientAddress, _ context: APIContext,
        _ next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let clock = resources.service.clock
        ReadMeter.current?.charge("address") { [rows] in rows.charge(address, tokens: $0, at: clock.steady()) }
        guard rows.missing(address, at: clock.steady()) > Limits.rowsBeforeSlowLane,
            resources.gate.rowsMissing(forSenderOf: request) > Limits.rowsBeforeSlowLane
        else { return try await next(request, context) }
        return try await withTaskExecutorPreference(lane) { try await next(request, context) }
    }

    private func charge(_ tokens: Int, to address: ClientAddress, of limiter: ClientRate) {
        if tokens > 0 { limiter.charge(address, tokens: tokens, at: resources.steadyNow) }
    }

    /// The tokens that a failed request costs in addition to the one token that each request costs, and to the work in `RequestCost`. There
    /// are such tokens only if another budget refused the request, because its client should have waited.
    static func furtherTokens(for error: any Error) -> Int {
        // Errors of the library and of the connection are never refusals by a budget, so they are not made into a problem first.
        if error is HTTPError || error is TransportError { return 0 }
        return Problem(error).code == .rateLimited ? Limits.refusalTokens : 0
    }

    /// The content types of the answers that are charged by their length, because most of them are composed for one request. Pictures,
    /// tiles and the files of pages are only read from files or memory, so they cost little at any length.
    private static let madeTypes: Set<String> = [
        ContentTypes.json, ContentTypes.problem, ContentTypes.html, PrometheusRegistry.contentType,
    ]

    /// The tokens that an answer of this length costs in addition to the one token of its request; 0 for content types that are not
    /// charged. Reading and writing one campaign or card of a list takes some hundredths of a millisecond, as JSON or on a page, so a long
    /// list costs as much as many short answers. The metrics are as long as hundreds of series, and are also composed for each request.
    static func furtherTokens(for response: Response) -> Int {
        guard let count = response.body.contentLength, count > Limits.answerBytesPerToken,
            let type = response.headers[.contentType], madeTypes.contains(type)
        else { return 0 }
        return count / Limits.answerBytesPerToken
    }

    /// Whether a path has the lower rate. Reads the path like the router, which treats several slashes before a segment as one slash.
    static func isOfAPI(_ path: String) -> Bool {
        let path = path.drop { $0 == "/" }
        return !machineParts.contains(path.prefix { $0 != "/" })
    }
}

/// The work of one request that the length of its answer does not show, such as rows that a search visited. A handler counts this work, and
/// `RateMiddleware` charges it to the client's address. Any task may count.
final class RequestCost: Sendable {
    private let found = Atomic(0)
    private let looks = Atomic(0)

    /// Adds the work of one search.
    ///
    /// - Parameters:
    ///   - found: the shops and campaigns in the answer, each of which was read from the log.
    ///   - looks: the rows that the search visited.
    func addSearch(found: Int, looks: Int) {
        self.found.add(found, ordering: .relaxed)
        self.looks.add(looks, ordering: .relaxed)
        // SQLite reads no snapshot that would count its rows.
        ReadMeter.current?.add(looks)
    }

    /// The tokens that the counted work costs in addition to the one token of its request.
    var tokens: Int { found.load(ordering: .relaxed) / Limits.foundPerToken + looks.load(ordering: .relaxed) / Limits.looksPerToken }
}
