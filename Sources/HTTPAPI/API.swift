public import Audit
public import CommandService
public import Composition
public import Hummingbird
public import HummingbirdCore
import HummingbirdTLS
public import Logging
public import NIOCore
public import NIOSSL
public import Prometheus
public import TextMessages
public import Tracing
public import WebPages

/// The service as JSON over HTTP/1.1, by `Description/description.yaml`. Besides the service, it keeps only caches and counters, in memory
/// of bounded size, which all routers of one value share.
///
/// Handlers run on Swift's threads. Measured: running them on the event loops is slower, because each suspension then looks up the task's
/// executor.
public struct API: Sendable {
    let resources: Resources
    private let logger: Logger
    private let requestMetrics: RequestMetrics
    let serviceMetrics: ServiceMetrics
    let connections: ConnectionCommons

    /// - Parameters:
    ///   - service: the caller has opened it, and closes it after the last request.
    ///   - metrics: the registry that `/metrics` shows. It has the service's own measurements if the service uses it too.
    public init(
        service: GreenTea, configuration: Configuration, logger: Logger, metrics: PrometheusRegistry = PrometheusRegistry()
    ) throws {
        var configuration = configuration
        configuration.messages = configuration.messages.map { CountedSender($0, metrics) }
        resources = try Resources(service: service, configuration: configuration)
        requestMetrics = RequestMetrics(metrics)
        serviceMetrics = ServiceMetrics(service, metrics, configuration)
        self.logger = logger
        connections = ConnectionCommons(
            bodies: BodyBudget(ordinary: configuration.bodiesBytesMax),
            report: ConnectionReport(metrics, self.logger),
            answers: AnswerRecord(metrics: requestMetrics, logsAccess: configuration.logsAccess), logger: self.logger,
            isEncrypted: configuration.isEncrypted
        ) { [resources] in resources.sender(of: $0, through: $1) }
    }

    /// Sets the address with which links and QR codes begin. Called after binding if port 0 was requested.
    public func isReached(at url: String) { resources.reached(at: url) }

    /// Build a responder only once.
    public func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        let routes = routes + pages
        if resources.configuration.isEncrypted { router.add(middleware: TransportSecurityMiddleware()) }
        router.add(
            middleware: ObservingMiddleware(
                answers: connections.answers, tracer: resources.configuration.tracer,
                believesCallers: resources.configuration.trustedProxies > 0))
        if let peers = resources.configuration.peers { router.add(middleware: NodeGate(resources: resources, peers: peers)) }
        router.add(
            middleware: ProblemMiddleware(
                table: RouteTable(routes), log: resources.service.log, metrics: requestMetrics,
                page: { [resources] in resources.page(of: $0, for: $1, id: $2) }))
        if resources.configuration.peers != nil {
            router.add(middleware: NodeClientMiddleware(resources: resources))
        } else {
            router.add(middleware: PoolClientMiddleware(resources: resources))
        }
        if let rates = resources.configuration.requestRates {
            // `ProblemMiddleware` precedes `RateMiddleware`, whose refusals it turns into answers.
            router.add(middleware: RateMiddleware(resources, rates))
        }
        router.add(middleware: DeclaredBodyMiddleware())
        let (peers, resources) = (resources.configuration.peers, resources)
        let proxy = peers.map { WriteProxy(resources: resources, peers: $0) }
        for route in routes.map({ $0.showingPosition(of: resources.service) }) {
            let route = peers.flatMap { proxy?.wrapping(route).followingBrowsers(of: resources, $0) } ?? route
            router.on(RouterPath(route.path), method: route.method, responder: CallbackResponder(callback: route.handler))
        }
        return router
    }

    /// The responder, for callers with a server of their own.
    public var responder: some HTTPResponder<APIContext> { router().buildResponder() }

    /// A server for this API over plain HTTP, to be run alone (`runService`) or in a `ServiceGroup`, where it drains gracefully.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - onServerRunning: called once with the listening channel.
    public func application(
        hostname: String, port: Int, onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        application(hostname: hostname, port: port, server: server(), onServerRunning: onServerRunning)
    }

    public func application(
        hostname: String, port: Int, server: HTTPServerBuilder, onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        let gate = AcceptGate()
        return Application(
            router: router(),
            server: server,
            configuration: ApplicationConfiguration(address: .hostname(hostname, port: port), availableConnectionsDelegate: gate),
            onServerRunning: { channel in
                // Opening the gate fails only if the channel has closed, which ends the server.
                try? await gate.open(channel, resources.configuration.connections, connections.report, resources.service.clock)
                await onServerRunning(channel)
            },
            logger: logger)
    }

    /// Builds a server for HTTP/1.1 with this API's limits; over TLS if there is a certificate.
    ///
    /// - Throws: errors of the TLS library about the certificate.
    public func server(tls: TLSConfiguration?) throws -> HTTPServerBuilder {
        guard let tls else { return server() }
        return try .tls(server(), tlsConfiguration: tls.restricted)
    }

    func server(_ terms: ConnectionTerms = ConnectionTerms()) -> HTTPServerBuilder {
        HTTPServerBuilder { [connections] responder in GuardedChannel(responder: responder, terms: terms, commons: connections) }
    }

    /// Every endpoint of the API's description, in any order: no two match the same request.
    var routes: [Route] {
        let groups: [any RouteGroup.Type] = [
            SessionRoutes.self, ChangeRoutes.self, AccountRoutes.self, PhoneRoutes.self, OperatorRoutes.self, StampRoutes.self,
            CardRoutes.self, ShopRoutes.self, StaffRoutes.self, MuteRoutes.self, CampaignRoutes.self, RedemptionRoutes.self,
            ReviewRoutes.self, NoticeRoutes.self, FeedbackRoutes.self, LiveRoutes.self, ShopActRoutes.self, BadgeRoutes.self,
            PaperRoutes.self, StatisticsRoutes.self, EventRoutes.self, ProofRoutes.self, DiscoverRoutes.self, SearchRoutes.self,
            FavoriteRoutes.self, PageRoutes.self, FeedRoutes.self, ImageRoutes.self, ActivityRoutes.self, DigestRoutes.self,
            CustomerRoutes.self,
        ]
        return HealthRoutes(resources: resources, metrics: serviceMetrics).routes + DescriptionRoutes().routes
            + groups.flatMap { $0.init(resources: resources).routes }
    }

    /// Pages and their files. Programs do not need them, so the description leaves them out.
    var pages: [Route] {
        let groups: [any RouteGroup.Type] = [
            HomeRoutes.self, LanguageRoutes.self, ShellRoutes.self, ScanRoutes.self, NumbersRoutes.self, WhatIfRoutes.self,
            OperatePageRoutes.self,
        ]
        return AssetRoutes().routes + groups.flatMap { $0.init(resources: resources).routes }
    }
}

extension API {
    /// The settings of the API.
    public struct Configuration: Sendable {
        /// Whether `POST /verifications` shows the code in its answer. MUST be false on a machine that others can reach: the code lets
        /// anyone sign in to any account.
        public var isDevelopment: Bool
        /// `https://greentea.example`. ``API/isReached(at:)`` sets it if it is known only after binding.
        public var publicURL: String
        /// Nil in development, where the answer has the code.
        public var messages: (any TextMessageSender)?
        /// The bounds of text messages; nil for none.
        public var messageLimits: MessageLimits? = MessageLimits()
        /// The number of our own proxies: that many entries of `X-Forwarded-For` are trusted. With at least one, `traceparent` is too.
        public var trustedProxies = 0
        public var connections = ConnectionCaps.standard
        var bodiesBytesMax = Limits.bodiesBytesMax
        var eventsWalkedMax = Limits.eventsWalkedMax
        /// The request rates of an account and of an address; nil for no limit, for measuring tools.
        public var requestRates: RequestRates?

        public var logsAccess: Bool

        public var audit: (@Sendable () -> AuditStatus)?
        public var operations = Operations()
        /// Whether browsers use https, also if a proxy ends it.
        public var isEncrypted = false
        /// The tile server of maps; nil for pages without maps.
        public var mapTiles: MapTiles?
        /// Nil if requests are not traced.
        public var tracer: (any Tracer)?
        /// Nil for a node that knows no others: it answers no node, and forwards nothing.
        package var peers: NodePeers?

        public init(isDevelopment: Bool, publicURL: String, logsAccess: Bool = false) {
            self.isDevelopment = isDevelopment
            self.logsAccess = logsAccess
            self.publicURL = publicURL
        }
    }
}

/// The context of one request.
public struct APIContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    var requestID: String
    let channel: any Channel
    /// The address whose limits the request uses up; nil if unknown or, in development, if the client is on this machine.
    var limitedAddress: ClientAddress?
    /// It is charged to the client's request rate. Copies of the context share it.
    let cost = RequestCost()

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        requestID = RequestName.made(with: source.logger)
        channel = source.channel
    }
}
