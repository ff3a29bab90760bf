import Audit
import Composition
import Console
import EventLog
import HTTPAPI
import Hummingbird
import Logging
import LoyaltyCodec
import NIOCore
import Prometheus
import ServiceLifecycle
import ServiceLog
import TextMessages
import UnixSignals

/// The service on its data folder, the HTTP API, and what runs beside them.
struct Server {
    private let found: SettingsInForce
    private let settings: ServiceConfiguration
    private let logger: Logger
    private let caps: ConnectionCaps
    private let messages: (any TextMessageSender)?
    private let metrics = PrometheusRegistry()
    private let tracing: TracingParts?
    private let service: GreenTea
    private let auditor: ShadowAuditor
    private let engine: EngineWatch?

    /// Opens the service, and serves nothing yet.
    init(_ found: SettingsInForce, _ settings: ServiceConfiguration, _ logger: Logger) async throws {
        (self.found, self.settings, self.logger) = (found, settings, logger)
        logger.report(.serverStarting, at: .notice, "greentea starts", ["version": "\(ProductVersion.text)", "data": "\(settings.data)"])
        for note in found.notes { logger.report(.settingNoted, at: .warning, "\(note)") }
        caps = try Descriptors.caps(peers: settings.otherNodes, logger)
        messages = try settings.messages?.sender(secret: settings.messageSecret)
        try await ListenPlace(address: settings.listen).check(beforeMaking: DataFolder(settings.data))
        tracing = settings.traces.map { [metrics] in TracingParts($0, metrics: metrics, version: ProductVersion.text, logger) }
        var proving = settings.proving
        proving.onFailure = {
            logger.report(.checkpointFailed, at: .error, "no checkpoint could be stored; trying again", ["error": "\($0)"])
        }
        let service = try openService(
            data: settings.data, master: settings.master, operators: settings.operators, proving: proving, beside: found.namedFiles,
            settings: found, metrics: metrics, maps: settings.maps, tracer: tracing?.tracer, leader: settings.leader,
            cluster: settings.clusterMaker { logger.report(.settingNoted, at: .warning, "\($0)") })
        self.service = service
        engine = settings.cluster.map { EngineWatch($0, of: service, in: DataFolder(settings.data)) }
        auditor = ShadowAuditor(
            service.models, in: DataFolder(settings.data), log: service.log, schedule: settings.audit,
            tell: AuditReporter(logger: logger).report, isLogWhole: { service.isLogWhole })
    }

    /// Serves until a signal or a failure, and closes the service.
    func run() async throws {
        StartReports(service: service, settings: settings, logger: logger).report()
        auditor.start()
        do {
            defer { stop(auditor) }
            try await serve()
        } catch {
            try? close(service)  // The earlier error is reported, not an error of closing.
            throw error
        }
        try await end()
    }

    private func serve() async throws {
        let api = try API(service: service, configuration: configuration, logger: logger, metrics: metrics)
        let services = try services(of: api).compactMap(\.self)
        let group = ServiceGroup(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await ListenPlace(address: settings.listen).explaining { try await group.run() }
    }

    private func end() async throws {
        RunningSettings.remove(from: settings.data)
        if !service.damage.contains(where: { $0.name == .log }) { ServerInspection.end(in: DataFolder(settings.data)) }
        try await messages?.close()
        try close(service)
        logger.report(.serverStopped, at: .notice, "greentea has stopped", ["version": "\(ProductVersion.text)"])
    }

    private var scheme: String { settings.tls == nil ? "http" : "https" }

    private var configuration: API.Configuration {
        var api = API.Configuration(
            isDevelopment: settings.isDevelopment, publicURL: settings.publicURL ?? "\(scheme)://\(settings.listen)",
            logsAccess: settings.logsAccess)
        (api.messages, api.trustedProxies) = (messages, settings.trustedProxies)
        // In development without a sender, no message is sent, so no limits apply.
        api.messageLimits = settings.isDevelopment && messages == nil ? nil : settings.messageLimits
        // In development, a browser would keep to https for whatever else this machine serves at localhost.
        api.isEncrypted = settings.isEncrypted && !settings.isDevelopment
        api.requestRates = settings.isUnlimited ? nil : .standard
        // A proxy, a developer or a measurement opens all connections from one address, so its limits do not apply.
        let isShared = settings.isUnlimited || settings.trustedProxies > 0
        api.connections = isShared ? caps.sharedByAll : settings.isDevelopment ? caps.openedAtAnyRate : caps
        api.operations = API.Operations(version: ProductVersion.text, data: settings.data, certificateEnd: settings.certificateEnd)
        if let engine { api.operations.engineFault = { engine.fault } }
        (api.tracer, api.mapTiles) = (tracing?.tracer, settings.tiles)
        api.peers = NodePeers(of: service)
        if settings.audit != .off { api.audit = { [auditor] in auditor.status } }
        return api
    }

    /// Services end in reverse order. The exporter of traces is first, so that it ends last and sends all traces.
    private func services(of api: API) throws -> [(any Service)?] {
        [
            tracing?.export, try application(of: api), WriterWatch(service: service), ModelWatch(service: service, logger: logger),
            IndexWatch(service: service, logger: logger), ReaderWatch(service: service, logger: logger),
            MapWatch(service: service, logger: logger), ClockWatch(service: service, logger: logger),
            ImageSweeper(service: service, logger: logger), FaultWatch(faults: { api.faults }, logger: logger),
            DamageWatch(service: service, data: DataFolder(settings.data), schedule: settings.audit, logger: logger),
            PictureWatch(service: service, logger: logger), service.leader == nil ? nil : FollowWatch(service: service, logger: logger),
            service.clusterStatus == nil ? nil : ClusterWatch(service: service, logger: logger),
            engine,
        ]
    }

    private func application(of api: API) throws -> some Service {
        let (listen, isEmpty) = (settings.listen, service.log.head == .start)
        return api.application(hostname: listen.host, port: listen.port, server: try api.server(tls: settings.tls)) { channel in
            let url = "\(scheme)://\(ListenAddress(host: listen.host, port: channel.localAddress?.port ?? listen.port))"
            if settings.publicURL == nil { api.isReached(at: url) }
            reportReadiness(at: url, isEmpty: isEmpty)
        }
    }

    private func reportReadiness(at url: String, isEmpty: Bool) {
        logger.report(.serverStarted, at: .notice, "greentea is ready", ["url": "\(url)", "version": "\(ProductVersion.text)"])
        RunningSettings(found, url: url, origin: service.log.origin).keep(in: settings.data, logger)
        let place = (settings.isDevelopment ? "development mode, " : "") + "data \(settings.data)" + (isEmpty ? ", no events yet" : "")
        let line = "greentea ready on \(url) (\(place))"
        do { try announce(line) } catch {
            // The service continues, and logs the line instead.
            logger.report(.announceFailed, at: .warning, "\(line)", ["error": "\(error)"])
        }
    }
}
