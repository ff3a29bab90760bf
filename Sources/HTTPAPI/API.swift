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

/// The service as its clients see it: JSON over HTTP/1.1, as `Description/description.yaml` describes it.
///
/// Besides the service, it keeps only caches and counters, such as verified tokens, failed attempts and request rates, in memory of bounded
/// size. Several routers may be built from one value; they share this memory.
///
/// Handlers run on Swift's threads, not on the event loops. Running each connection's tasks on its event loop was measured and brought
/// nothing: it saves the switches between threads, but each suspension then looks up the task's preferred executor, and these look-ups cost
/// as much as the switches. They then take 9.6 of the 122 µs of a stamp, but only 1.9 µs if tasks run on Swift's threads.
public struct API: Sendable {
    let resources: Resources
    private let logger: Logger
    private let requestMetrics: RequestMetrics
    let serviceMetrics: ServiceMetrics
    let connections: ConnectionCommons

    /// Creates the API of a service.
    ///
    /// - Parameters:
    ///   - service: the service; the caller has opened it, and closes it after the last request.
    ///   - metrics: the registry that `/metrics` shows. It includes the service's own measurements if the service uses the same registry.
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
        ) { [resources] in resources.limitedAddress(forwarded: $0, through: $1) }
    }

    /// Sets the address with which links begin, also the links in QR codes. It is called after binding if the server is bound to any free
    /// port, because the port is unknown before.
    public func isReached(at url: String) { resources.reached(at: url) }

    /// Every route with its middlewares. Each call builds a new router that is equal to the others, so build a responder only once.
    public func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        let routes = routes + pages
        router.add(middleware: PieceMiddleware())
        if resources.configuration.isEncrypted { router.add(middleware: TransportSecurityMiddleware()) }
        router.add(
            middleware: ObservingMiddleware(
                answers: connections.answers, tracer: resources.configuration.tracer,
                believesCallers: resources.configuration.trustedProxies > 0))
        router.add(
            middleware: ProblemMiddleware(
                table: RouteTable(routes), log: resources.service.log, metrics: requestMetrics,
                page: { [resources] in resources.page(of: $0, for: $1, id: $2) }))
        router.add(middleware: PositionMiddleware(service: resources.service))
        router.add(middleware: PoolClientMiddleware(resources: resources))
        if let rates = resources.configuration.requestRates {
            // `ProblemMiddleware` comes first, because it turns the refusals of `RateMiddleware` into answers.
            router.add(middleware: RateMiddleware(resources, rates))
        }
        router.add(middleware: DeclaredBodyMiddleware())
        for route in routes {
            router.on(RouterPath(route.path), method: route.method, responder: CallbackResponder(callback: route.handler))
        }
        return router
    }

    /// The responder, for callers that bring a server of their own.
    public var responder: some HTTPResponder<APIContext> { router().buildResponder() }

    /// A server for this API over plain HTTP, to be run alone (`runService`) or in a `ServiceGroup`, where it drains gracefully.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - onServerRunning: called once with the listening channel, whose `localAddress` has the actual port.
    public func application(
        hostname: String, port: Int, onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        application(hostname: hostname, port: port, server: server(), onServerRunning: onServerRunning)
    }

    /// An application of this API over a server that `server(tls:)` has made.
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

    /// Builds a server for HTTP/1.1 whose connections obey these time limits.
    func server(_ terms: ConnectionTerms = ConnectionTerms()) -> HTTPServerBuilder {
        HTTPServerBuilder { [connections] responder in GuardedChannel(responder: responder, terms: terms, commons: connections) }
    }

    /// Every endpoint of the API's description. The order does not matter, because no two endpoints match the same request.
    var routes: [Route] {
        let groups: [[Route]] = [
            HealthRoutes(resources: resources, metrics: serviceMetrics).routes, SessionRoutes(resources: resources).routes,
            MeRoutes(resources: resources).routes, MySessionRoutes(resources: resources).routes,
            ChangeRoutes(resources: resources).routes,
            AccountRoutes(resources: resources).routes, PhoneRoutes(resources: resources).routes,
            OperatorRoutes(resources: resources).routes,
            StampRoutes(resources: resources).routes, CardRoutes(resources: resources).routes, CouponRoutes(resources: resources).routes,
            ShopRoutes(resources: resources).routes, StaffRoutes(resources: resources).routes,
            TransferRoutes(resources: resources).routes,
            EmploymentRoutes(resources: resources).routes, MuteRoutes(resources: resources).routes,
            CampaignRoutes(resources: resources).routes, CodeRoutes(resources: resources).routes,
            RedemptionRoutes(resources: resources).routes, ReversalRoutes(resources: resources).routes,
            ReviewRoutes(resources: resources).routes, NoticeRoutes(resources: resources).routes,
            FeedbackRoutes(resources: resources).routes, LiveRoutes(resources: resources).routes,
            ShopActRoutes(resources: resources).routes, BadgeRoutes(resources: resources).routes,
            PaperRoutes(resources: resources).routes,
            StatisticsRoutes(resources: resources).routes, AnalyticsRoutes(resources: resources).routes,
            AdminRoutes(resources: resources).routes,
            EventRoutes(resources: resources).routes, ProofRoutes(resources: resources).routes, DescriptionRoutes().routes,
            DiscoverRoutes(resources: resources).routes, FavoriteRoutes(resources: resources).routes,
            PageRoutes(resources: resources).routes, ImageRoutes(resources: resources).routes,
        ]
        return groups.flatMap(\.self)
    }

    /// Pages for people, and the files that pages load. Programs do not need them, so the description leaves them out.
    var pages: [Route] {
        let groups: [[Route]] = [
            HomeRoutes(resources: resources).routes, AssetRoutes().routes, LanguageRoutes(resources: resources).routes,
            ShellRoutes(resources: resources).routes, ScanRoutes(resources: resources).routes, NumbersRoutes(resources: resources).routes,
            WhatIfRoutes(resources: resources).routes,
            OperatePageRoutes(resources: resources).routes,
        ]
        return groups.flatMap(\.self)
    }
}

extension API {
    /// The settings of the API.
    public struct Configuration: Sendable {
        /// Whether `POST /verifications` shows the code in its answer. MUST be false on a machine that others can reach, because an answer
        /// with the code lets anyone sign in to any account.
        public var isDevelopment: Bool
        /// The address with which links begin, also the links in QR codes: `https://greentea.example`. If the address is known only after
        /// the server is bound, ``API/isReached(at:)`` sets it.
        public var publicURL: String
        /// The sender of verification codes. If it is nil, codes are delivered in development only, in the answer.
        public var messages: (any TextMessageSender)?
        /// The number of text messages that may be sent, and the countries to which they may be sent; nil if no messages are sent or
        /// counted.
        public var messageLimits: MessageLimits? = MessageLimits()
        /// The number of proxies that we run in front of the service. That many entries of `X-Forwarded-For` are trusted. If there is at
        /// least one proxy, a `traceparent` header is also trusted.
        public var trustedProxies = 0
        /// The caps on open connections, and on the rate at which one client may open them.
        public var connections = ConnectionCaps.standard
        /// The maximum number of bytes of request bodies, except pictures, that may be in memory at once; see `BodyBudget`.
        var bodiesBytesMax = Limits.bodiesBytesMax
        /// The request rates of an account and of an address; nil for no limit, which measuring tools need.
        public var requestRates: RequestRates?

        /// Whether the service's log gets a line for each request.
        public var logsAccess: Bool

        /// The auditor's findings; nil without an auditor.
        public var audit: (@Sendable () -> AuditStatus)?
        /// The program's version, its data folder and the time at which its TLS certificate expires, for `/readyz` and the metrics.
        public var operations = Operations()
        /// Whether browsers reach the service by https, either directly or through a proxy.
        public var isEncrypted = false
        /// The tile server of maps on pages; nil for pages without maps.
        public var mapTiles: MapTiles?
        /// Makes a span of each request; nil if requests are not traced.
        public var tracer: (any Tracer)?

        public init(isDevelopment: Bool, publicURL: String, logsAccess: Bool = false) {
            self.isDevelopment = isDevelopment
            self.logsAccess = logsAccess
            self.publicURL = publicURL
        }
    }
}

/// The context of one request: Hummingbird's own storage (logger, path parameters), the request's id, and its connection.
public struct APIContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The id of this request in answers and in the service's log.
    var requestID: String
    /// The connection's channel, which is used only for the client's address.
    let channel: any Channel
    /// The part of the request's work that the length of the answer does not show. It is charged to the client's request rate. All copies
    /// of the context share it.
    let cost = RequestCost()

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        requestID = RequestName.made(with: source.logger)
        channel = source.channel
    }
}
