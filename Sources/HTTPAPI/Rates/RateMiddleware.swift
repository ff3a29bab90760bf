import Caches
import CommandService
import Composition
import Hummingbird
import LMDB
import Loyalty
import Prometheus
import Synchronization

/// Refuses a request before any other work if its address, its network or its account is above the rate.
///
/// There are two rates of an address, counted separately, so that requests to the API and for pages never use up the rate of a health check
/// at the same address. The lower rate is for the API, and for pages, because a page reads as much of the log as an answer of the API. The
/// higher rate is for proofs, health, metrics, the API's description and the files of pages. A request for these costs little, but without
/// a limit one connection could send them without a pause.
///
/// Requests at the lower rate also pay for the rows that they look at, while they continue (`ReadMeter`), from an allowance of their
/// address and another of their account. A client that looked at many rows lately gets the slow lane.
///
/// An address has the lower rate and the rows twice: for requests without an account, and for its accounts together. So accounts keep no
/// stranger from signing in. If an address's accounts have used up theirs, only those are refused that have used much of their own. So a
/// few of them keep no other from an answer. A token that was not verified yet counts as none.
struct RateMiddleware: RouterMiddleware {
    /// The rates of the clients of one kind.
    private struct Rates {
        let requests: ClientRate
        let rows: ClientRate

        init(_ rates: RequestRates) { (requests, rows) = (ClientRate(rates.address), ClientRate(rates.addressRows)) }
    }

    /// The first segments of the paths that have the higher rate.
    private static let machineParts: Set<Substring> = [
        "healthz", "readyz", "metrics", "checkpoint", "tile", "openapi.yaml", "openapi.json", "docs", "assets", "sw.js", "favicon.ico",
        "manifest.webmanifest", "robots.txt",
    ]

    private let resources: Resources
    private let strangers: Rates
    private let accounts: Rates
    private let machines: ClientRate
    private let lane: SlowLane

    init(_ resources: Resources, _ rates: RequestRates) {
        self.resources = resources
        (strangers, accounts, machines) = (Rates(rates), Rates(rates), ClientRate(rates.machine))
        lane = SlowLane(clock: resources.service.clock)
    }

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard let address = resources.limitedAddress(of: request, context) else { return try await next(request, context) }
        // `uri.path` is the path that the router uses, even if the request line has an absolute address.
        let isOfAPI = Self.isOfAPI(request.uri.path)
        let sender = isOfAPI ? resources.gate.knownSender(of: request) : nil
        do throws(Problem) {
            if isOfAPI { try admit(sender, at: address) } else { try machines.take(address, at: resources.steadyNow) }
        } catch {
            // Ends the connection, so that each further refusal costs the client a new connection, whose rate is limited by address. The
            // connection of a proxy is kept, because it also carries the requests of other clients.
            var problem = error
            problem.endsConnection = resources.configuration.trustedProxies == 0
            throw problem
        }
        /// Charges further tokens to the clients of the request's kind, which may be known only by now.
        func charge(_ tokens: Int) {
            guard tokens > 0 else { return }
            (isOfAPI ? ratesOfClient.requests : machines).charge(address, tokens: tokens, at: resources.steadyNow)
        }
        let response: Response
        do {
            if let sender { try resources.gate.pay(sender) }
            response = isOfAPI ? try await metered(request, sender, address, context, next) : try await next(request, context)
        } catch {
            charge(Self.furtherTokens(for: error) + context.cost.tokens)
            throw error
        }
        charge(Self.furtherTokens(for: response) + context.cost.tokens)
        return response
    }

    /// The rates of the current request's kind.
    private var ratesOfClient: Rates { PoolClient.share.account == nil ? strangers : accounts }

    /// Takes a request from the rates of its address. An account that has used little is refused by its own rate alone.
    private func admit(_ sender: AccountID?, at address: ClientAddress) throws(Problem) {
        let (rates, now) = (sender == nil ? strangers : accounts, resources.steadyNow)
        do throws(Problem) {
            try rates.requests.take(address, at: now)
            try rates.rows.take(address, at: now)
        } catch {
            if let sender, !resources.gate.hasUsedMuch(sender) { return }
            throw error
        }
    }

    /// Answers a request whose address pays for the rows, in the slow lane if its client looked at many rows lately.
    private func metered(
        _ request: Request, _ sender: AccountID?, _ address: ClientAddress, _ context: APIContext,
        _ next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let (clock, client) = (resources.service.clock, PoolClient.current)
        ReadMeter.current?.charge("address") { [strangers, accounts] in
            let rates = client?.share.account == nil ? strangers : accounts
            rates.rows.charge(address, tokens: $0, at: clock.steady())
        }
        guard isSlow(sender, at: address) else { return try await next(request, context) }
        return try await lane.run { try await next(request, context) }
    }

    /// Whether a known account and its address, or the requests without an account at an address, looked at many rows lately.
    private func isSlow(_ sender: AccountID?, at address: ClientAddress) -> Bool {
        let rates = sender == nil ? strangers : accounts
        guard rates.rows.missing(address, at: resources.steadyNow) > Limits.rowsBeforeSlowLane else { return false }
        return sender.map { resources.gate.rowsMissing(of: $0) > Limits.rowsBeforeSlowLane } ?? true
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
