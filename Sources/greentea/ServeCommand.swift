import ArgumentParser
import Audit
import CommandService
import Composition
import Console
import EventLog
import Glibc
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

/// `greentea serve`: the HTTP service on one data folder.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the HTTP API on a data folder.",
        discussion: """
            Prints one line when it is ready, with the address it is bound to (port 0 takes a free one). SIGTERM and SIGINT finish \
            what is under way and exit 0.

            It needs a data folder, a master key, and a way to send text messages; what is missing is named. `greentea config` \
            shows what is in force. The master key is made once, before the first start, and kept also apart from this machine:

              (umask 077; greentea key new > master.key)
              greentea serve --data data --master-key-file master.key --sms file:messages --origin shop.example/stamps

            --dev is for development: the answer to POST /v1/verifications carries the code (`devCode`) instead of a text message, \
            and the master key is made in the data folder (master.key, mode 0600). It listens on loopback only.

            The log signs what it holds: GET /checkpoint and /tile/… are for anyone, GET /v1/stamps/POSITION/receipt gives a \
            customer the proof of a stamp. The key to check them with is logged at the start and kept in DATA/checkpoint.vkey; \
            tell it to people by another way. A log that is older than its last checkpoint (DATA/checkpoint) is refused.

            In the background, at the lowest priority, the log is replayed and every read model compared with it (--audit). Where \
            one differs, the log says why: which event the model's code gets wrong, or that its rows were changed on the disk.
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        LogSettings.take(flags.logFormat)
        try await reportingRefusals {
            let settings = try await SettingsInForce(flags)
            let configuration = try ServiceConfiguration(settings)
            if let owner = FolderOwner(foreignTo: configuration.data) {
                throw Refusal.foreignFolder(configuration.data, command: owner.command("greentea serve …"))
            }
            configuration.log.putInForce()
            let logger = Logger(label: "greentea")
            logger.report(
                .serverStarting, at: .notice, "greentea starts", ["version": "\(ProductVersion.text)", "data": "\(configuration.data)"])
            for note in settings.notes { logger.report(.settingNoted, at: .warning, "\(note)") }
            let caps = try Descriptors.caps(peers: configuration.otherNodes, logger)
            let messages = try configuration.messages?.sender(secret: configuration.messageSecret)
            try await ListenPlace(address: configuration.listen).check(beforeMaking: DataFolder(configuration.data))
            let metrics = PrometheusRegistry()
            let tracing = configuration.traces.map { TracingParts($0, metrics: metrics, version: ProductVersion.text, logger) }
            let service = try openService(
                data: configuration.data, master: configuration.master, operators: configuration.operators,
                proving: proving(configuration, logger), beside: settings.namedFiles, settings: settings, metrics: metrics,
                maps: configuration.maps, tracer: tracing?.tracer, leader: configuration.leader,
                cluster: configuration.clusterMaker { logger.report(.settingNoted, at: .warning, "\($0)") })
            let auditor = ShadowAuditor(
                service.models, in: DataFolder(configuration.data), log: service.log, schedule: configuration.audit,
                tell: AuditReporter(logger: logger).report, isLogWhole: { service.isLogWhole })
            do {
                reportCheckpoint(service.checkpoints, of: configuration.data, logger)
                reportEmptyLog(of: service.log, configuration, logger)
                reportMissingOrigin(of: service.log, configuration, logger)
                reportLackingKeys(of: service, logger)
                auditor.start()
                try await serve(
                    service, configuration,
                    (messages, metrics, configuration.audit == .off ? nil : auditor, caps, tracing, settings), logger)
            } catch {
                stop(auditor)
                try? close(service)  // The earlier error is reported, not an error of closing.
                throw error
            }
            stop(auditor)
            RunningSettings.remove(from: configuration.data)
            if !service.damage.contains(where: { $0.name == .log }) { ServerInspection.end(in: DataFolder(configuration.data)) }
            try await messages?.close()
            try close(service)
            logger.report(.serverStopped, at: .notice, "greentea has stopped", ["version": "\(ProductVersion.text)"])
        }
    }

    /// Created by `serve` in addition to the service.
    private typealias Parts = (
        messages: (any TextMessageSender)?, metrics: PrometheusRegistry, auditor: ShadowAuditor?, caps: ConnectionCaps,
        tracing: TracingParts?, found: SettingsInForce
    )

    private func proving(_ configuration: ServiceConfiguration, _ logger: Logger) -> ProvingOptions {
        var options = ProvingOptions()
        (options.origin, options.acceptsOlderLog) = (configuration.origin, configuration.acceptsOlderLog)
        (options.acceptsLostKeys, options.acceptsDamagedLog) = (configuration.acceptsLostKeys, configuration.acceptsDamagedLog)
        options.onFailure = {
            logger.report(.checkpointFailed, at: .error, "no checkpoint could be stored; trying again", ["error": "\($0)"])
        }
        return options
    }

    /// Logs the key that verifies checkpoints. Warns if events have no last checkpoint, or the start replaced it.
    private func reportCheckpoint(_ checkpoints: CheckpointKeeper, of data: String, _ logger: Logger) {
        logger.report(.checkpointSigning, at: .notice, "checkpoints are signed", ["key": "\(checkpoints.verifierKey)"])
        switch checkpoints.opening {
        case .first, .continued: break
        case .missing:
            logger.report(
                .checkpointMissing, at: .warning, "the log has events, and no checkpoint was kept: nothing shows whether it lost its end",
                [
                    "remedy": """
                    Nothing to do where the log never had one. Else compare with a copy, of a backup or as the service showed it at \
                    /checkpoint: `greentea-audit verify --data \(data) --checkpoint COPY`. Where it finds fault, stop, and restore.
                    """
                ])
        case .replaced(let path, let reason):
            logger.report(
                .checkpointReplaced, at: .warning, "an older log was accepted; its checkpoint was set aside",
                ["path": "\(path)", "was": "\(reason)"])
        }
    }

    /// Logs that the event log is empty. Otherwise an operator who mistyped the data folder's path might think that all data is lost, or
    /// serve customers from a folder without backups.
    private func reportEmptyLog(of log: EventLog, _ configuration: ServiceConfiguration, _ logger: Logger) {
        guard log.head == .start else { return }
        logger.report(
            .logBegun, at: configuration.isDevelopment ? .notice : .warning,
            "the log has no event: a new shop begins here. If this shop has customers already, stop: --data names the wrong folder",
            ["data": "\(configuration.data)"])
    }

    /// Warns of an empty log's random name, unless in development. The operator can delete an empty log, but a log keeps its name for ever.
    private func reportMissingOrigin(of log: EventLog, _ configuration: ServiceConfiguration, _ logger: Logger) {
        guard log.head == .start, configuration.origin == nil, !configuration.isDevelopment else { return }
        let remedy = "to name it, stop before anybody registers, remove the data folder and start with --origin"
        logger.report(
            .originMissing, at: .warning, "no --origin: the new log has named itself, for ever, in each receipt; \(remedy)",
            ["origin": "\(log.origin)"])
    }

    /// Warns, before anybody signs in, that the newest accounts have no keys: their owners' sign-ins create new accounts.
    private func reportLackingKeys(of service: GreenTea, _ logger: Logger) {
        // The warning is only advice, so an error does not prevent the start. `greentea-audit verify` reports a damaged record.
        guard let lacking = try? service.lackingKeys, lacking.count > 0 else { return }
        let remedy = "if there is a newer copy of the keys, stop, and put it in their place; greentea-audit doctor has the command"
        let effect = "whoever of them signs in gets a new account"
        logger.report(
            .keysOlder, at: .warning,
            "accounts of the log have no key here: the keys are a copy from before they registered, and \(effect)",
            ["accounts": "\(lacking.count)", "registeredSince": "\(lacking.registeredSince)", "remedy": "\(remedy)"])
    }

    /// For the line that announces readiness.
    private static func place(_ settings: ServiceConfiguration, isEmpty: Bool) -> String {
        (settings.isDevelopment ? "development mode, " : "") + "data \(settings.data)" + (isEmpty ? ", no events yet" : "")
    }

    private func serve(_ service: GreenTea, _ settings: ServiceConfiguration, _ parts: Parts, _ logger: Logger) async throws {
        if settings.isDevelopment {
            logger.report(.developmentMode, at: .notice, "development mode: sign-in codes are shown in answers; listening on loopback only")
        }
        let (listen, scheme) = (settings.listen, settings.tls == nil ? "http" : "https")
        if settings.publicURL == nil, !settings.isDevelopment {
            let paper = "at a loopback address, localhost or 0.0.0.0, paper cards cannot be printed"
            logger.report(
                .publicURLMissing, at: .warning,
                "no --public-url: codes and links begin with the address that is listened on, which others may not reach; \(paper)")
        }
        var configuration = API.Configuration(
            isDevelopment: settings.isDevelopment, publicURL: settings.publicURL ?? "\(scheme)://\(listen)",
            logsAccess: settings.logsAccess)
        (configuration.messages, configuration.trustedProxies) = (parts.messages, settings.trustedProxies)
        // In development without a sender, no message is sent, so no limits apply.
        configuration.messageLimits = settings.isDevelopment && parts.messages == nil ? nil : settings.messageLimits
        // In development, a browser would keep to https for whatever else this machine serves at localhost.
        configuration.isEncrypted = settings.isEncrypted && !settings.isDevelopment
        configuration.requestRates = settings.isUnlimited ? nil : .standard
        // A proxy, a developer or a measurement opens all connections from one address, so its limits do not apply.
        let isShared = settings.isUnlimited || settings.trustedProxies > 0
        configuration.connections = isShared ? parts.caps.sharedByAll : settings.isDevelopment ? parts.caps.openedAtAnyRate : parts.caps
        configuration.operations = API.Operations(
            version: ProductVersion.text, data: settings.data, certificateEnd: settings.certificateEnd)
        (configuration.tracer, configuration.mapTiles) = (parts.tracing?.tracer, settings.tiles)
        configuration.peers = NodePeers(of: service)
        if let auditor = parts.auditor { configuration.audit = { auditor.status } }
        let api = try API(service: service, configuration: configuration, logger: logger, metrics: parts.metrics)
        let place = Self.place(settings, isEmpty: service.log.head == .start)
        let application = api.application(hostname: listen.host, port: listen.port, server: try api.server(tls: settings.tls)) { channel in
            let url = "\(scheme)://\(ListenAddress(host: listen.host, port: channel.localAddress?.port ?? listen.port))"
            if settings.publicURL == nil { api.isReached(at: url) }
            logger.report(.serverStarted, at: .notice, "greentea is ready", ["url": "\(url)", "version": "\(ProductVersion.text)"])
            RunningSettings(parts.found, url: url, origin: service.log.origin).keep(in: settings.data, logger)
            let line = "greentea ready on \(url) (\(place))"
            do { try announce(line) } catch {
                // The service continues, and logs the line instead.
                logger.report(.announceFailed, at: .warning, "\(line)", ["error": "\(error)"])
            }
        }
        let damage = DamageWatch(service: service, data: DataFolder(settings.data), schedule: settings.audit, logger: logger)
        // Services end in reverse order. The exporter of traces is first, so that it ends last and sends all traces.
        let services: [(any ServiceLifecycle.Service)?] = [
            parts.tracing?.export, application, WriterWatch(service: service), ModelWatch(service: service, logger: logger),
            IndexWatch(service: service, logger: logger), ReaderWatch(service: service, logger: logger),
            MapWatch(service: service, logger: logger), ClockWatch(service: service, logger: logger),
            ImageSweeper(service: service, logger: logger), FaultWatch(faults: { api.faults }, logger: logger), damage,
            PictureWatch(service: service, logger: logger), service.leader == nil ? nil : FollowWatch(service: service, logger: logger),
            service.clusterStatus == nil ? nil : ClusterWatch(service: service, logger: logger),
        ]
        let group = ServiceGroup(services: services.compactMap(\.self), gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await ListenPlace(address: listen).explaining { try await group.run() }
    }
}
