import Caches
import CommandService
import Composition
import Foundation
import Hummingbird
import LMDB
import Loyalty
import Prometheus
import Synchronization

/// Refuses a request before any other work if its address, its network or its account is above the rate.
///
/// The API and pages have a lower rate than cheap paths (proofs, health, metrics, files), counted separately, so that they never use up
/// that of a health check. Requests at the lower rate also pay for the rows that they look at (`ReadMeter`); too many lead to the slow
/// lane.
///
/// An address has two such allowances: for requests without an account, and for its accounts together. So accounts keep no stranger from
/// signing in. Once the accounts' allowance is used up, only those are refused that have used much of their own. An unverified token counts
/// as none.
struct RateMiddleware: RouterMiddleware {
    private struct Rates {
        let requests: ClientRate
        let rows: ClientRate

        init(_ rates: RequestRates) { (requests, rows) = (ClientRate(rates.address), ClientRate(rates.addressRows)) }
    }

    /// First segments with the higher rate.
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
        guard let address = context.limitedAddress else { return try await next(request, context) }
        // `uri.path` is the router's path, even if the request line has an absolute address.
        let isOfAPI = Self.isOfAPI(request.uri.path)
        let sender = isOfAPI ? resources.gate.knownSender(of: request) : nil
        do throws(Problem) {
            if isOfAPI { try admit(sender, at: address) } else { try machines.take(address, at: resources.steadyNow) }
        } catch {
            // Each further refusal costs the client a new connection, whose rate is limited. The connection of a proxy or of another node
            // is kept, because it carries other clients' requests.
            var problem = error
            problem.endsConnection = resources.configuration.trustedProxies == 0 && !NodeHop.isOfNode
            throw problem
        }
        /// The request's clients may be known only by now.
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

    private var ratesOfClient: Rates { PoolClient.share.account == nil ? strangers : accounts }

    /// An account that has used little is refused by its own rate alone.
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

    private func isSlow(_ sender: AccountID?, at address: ClientAddress) -> Bool {
        let rates = sender == nil ? strangers : accounts
        guard rates.rows.missing(address, at: resources.steadyNow) > Limits.rowsBeforeSlowLane else { return false }
        return sender.map { resources.gate.rowsMissing(of: $0) > Limits.rowsBeforeSlowLane } ?? true
    }

    static func furtherTokens(for error: any Error) -> Int {
        // These are never refusals by a budget.
        if error is HTTPError || error is TransportError { return 0 }
        return Problem(error).code == .rateLimited ? Limits.refusalTokens : 0
    }

    /// Files and tiles cost little at any length.
    private static let madeTypes: Set<String> = [
        ContentTypes.json, ContentTypes.problem, ContentTypes.html, PrometheusRegistry.contentType,
    ]

    /// Further tokens by length; 0 for content types that are not charged.
    static func furtherTokens(for response: Response) -> Int {
        guard let count = response.body.contentLength, count > Limits.answerBytesPerToken,
            let type = response.headers[.contentType], madeTypes.contains(type)
        else { return 0 }
        return count / Limits.answerBytesPerToken
    }

    /// Reads the path like the router, which ignores additional slashes.
    static func isOfAPI(_ path: String) -> Bool {
        let path = path.drop { $0 == "/" }
        return !machineParts.contains(path.prefix { $0 != "/" })
    }
}

/// A request's work that the answer's length does not show, such as rows of a search. `RateMiddleware` charges it. Any task may count.
final class RequestCost: Sendable {
    private let found = Atomic(0)
    private let looks = Atomic(0)

    /// - Parameters:
    ///   - found: the shops and campaigns in the answer, each read from the log.
    ///   - looks: the rows that the search visited.
    func addSearch(found: Int, looks: Int) {
        self.found.add(found, ordering: .relaxed)
        self.looks.add(looks, ordering: .relaxed)
        // SQLite reads no snapshot that would count its rows.
        ReadMeter.current?.add(looks)
    }

    var tokens: Int { found.load(ordering: .relaxed) / Limits.foundPerToken + looks.load(ordering: .relaxed) / Limits.looksPerToken }
}

/// Runs requests of clients that looked at many rows lately, one step at a time on its own thread, by turns of addresses and accounts. On
/// the shared threads, such clients would make every other request wait. A request holds the thread only while it computes.
///
/// After each step the thread rests, so the lane takes a quarter of a processor. It has the usual priority and never rests within a step,
/// because a step may hold a lock that others need.
final class SlowLane: Sendable {
    /// The steps of one request, under its client's name. Any thread may enqueue.
    private final class Steps: TaskExecutor {
        private let thread: FairThread
        private let share: PoolShare

        init(_ thread: FairThread, _ share: PoolShare) { (self.thread, self.share) = (thread, share) }

        /// A step ends when its task ends or waits.
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            // SAFETY: each job runs exactly once, and the closure keeps this executor meanwhile.
            thread.async(as: share) {
                let duration = ContinuousClock().measure { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
                Thread.sleep(forTimeInterval: duration * Limits.slowLaneRest / .seconds(1))
            }
        }
    }

    private static let label = "greentea.slow-lane"

    private let slots: Slots
    private let thread = FairThread(SlowLane.label, .laneThread)

    init(clock: any Clock) { slots = Slots(Pools.slowLane.terms, clock: clock) }

    static var isHere: Bool { FairThread.isHere(label) }

    var waiting: Int { thread.waitingCount }

    /// - Throws: `overloaded` if the client has its part of the lane; an error of the work.
    func run<Result: Sendable>(_ work: @concurrent () async throws -> Result) async throws -> Result {
        let share = PoolClient.share
        let slot = try slots.take(as: share)
        defer { slot.giveBack() }
        return try await withTaskExecutorPreference(Steps(thread, share)) { try await work() }
    }
}
