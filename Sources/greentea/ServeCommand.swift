import ArgumentParser
import CommandService
import EventLog
import Glibc
import HTTPAPI
import Hummingbird
import Logging
import NIOCore
import Prometheus
import ServiceLifecycle
import UnixSignals

/// `greentea serve`: the HTTP service on one data folder.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the HTTP API on a data folder.",
        discussion: """
            Prints one line when it is ready, with the address it is bound to (port 0 takes a free one). SIGTERM and SIGINT
            finish what is under way and exit 0.

            --dev is for development: the answer to POST /v1/verifications carries the code (`devCode`) instead of a text
            message, and the master secret is made in the data folder (master.key, mode 0600). It listens on loopback only.

            The log signs what it holds: GET /checkpoint and /tile/… are for anyone, GET /v1/stamps/POSITION/receipt gives a
            customer the proof of a stamp. The key to check them with is logged at the start and kept in DATA/checkpoint.vkey; tell
            it to people by another way. A log that is older than its last checkpoint (DATA/checkpoint) is refused.
            """)

    @Option(name: .long, help: "The data folder; made where there is none.")
    var data: String

    @Option(name: .long, help: "Address and port to listen on, such as 127.0.0.1:8080 or [::1]:0.")
    var listen: ListenAddress = .init(host: "127.0.0.1", port: 8080)

    @Flag(name: .long, help: "Development mode: no text messages, its own master secret, loopback only.")
    var dev = false

    @Option(name: .customLong("public-url"), help: "What scanned codes and shared links begin with; by default the bound address.")
    var publicURL: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What the log is called in its checkpoints, for ever: the URL that it is served under, without scheme and trailing slash.",
            discussion: "Given at the first start; without it the log gets a name of its own.", valueName: "name"))
    var origin: String?

    @Flag(
        name: .customLong("accept-older-log"),
        help: "Serve a log that is not the one its last checkpoint was signed for; the checkpoint is set aside under a dated name.")
    var acceptOlderLog = false

    @Option(
        name: .customLong("operator"),
        help: ArgumentHelp("The phone of an operator, such as +8613800000000; may be given several times.", valueName: "phone"),
        transform: Self.phone)
    var operators: [E164Number] = []

    @Flag(name: .customLong("access-log"), help: "Log each request: route, status and duration, never who or what.")
    var accessLog = false

    func run() async throws {
        try await reportingRefusals {
            try refuseWhatIsNotSafe()
            let logger = Logger(label: "greentea")
            let metrics = PrometheusRegistry()
            let service = try openService(data: data, operators: Set(operators), proving: proving(logger), metrics: metrics)
            do {
                tell(service.checkpoints, logger)
                try await serve(service, metrics, logger)
            } catch {
                try? close(service)  // The error that ended it is the one to report.
                throw error
            }
            try close(service)
        }
    }

    private static func phone(_ text: String) throws -> E164Number {
        guard let phone = E164Number(text) else { throw ValidationError("'\(text)' is no telephone number such as +8613800000000.") }
        return phone
    }

    /// Without `--dev` there is neither a master key nor a way to send codes yet; with it, nobody else may reach the port.
    private func refuseWhatIsNotSafe() throws {
        guard dev else { throw Refusal.notConfigured }
        guard listen.isLoopback else { throw Refusal.developmentBeyondLoopback(listen.description) }
    }

    private func proving(_ logger: Logger) -> ProvingOptions {
        var options = ProvingOptions()
        (options.origin, options.acceptsOlderLog) = (origin, acceptOlderLog)
        options.onFailure = { logger.error("no checkpoint could be stored; trying again", metadata: ["error": "\($0)"]) }
        return options
    }

    /// Says which key checks the log, and what was strange about its last checkpoint.
    private func tell(_ checkpoints: CheckpointKeeper, _ logger: Logger) {
        logger.notice("checkpoints are signed", metadata: ["key": "\(checkpoints.verifierKey)"])
        switch checkpoints.opening {
        case .first, .continued: break
        case .missing:
            logger.warning(
                "the log has events but no checkpoint was kept: right for a log older than checkpoints; else compare with a copy of one")
        case .replaced(let path, let reason):
            logger.warning("an older log was accepted; its checkpoint was set aside", metadata: ["path": "\(path)", "was": "\(reason)"])
        }
    }

    private func serve(_ service: GreenTea, _ metrics: PrometheusRegistry, _ logger: Logger) async throws {
        logger.notice("development mode: sign-in codes are shown in answers; listening on loopback only")
        let configuration = API.Configuration(isDevelopment: dev, publicURL: publicURL ?? "http://\(listen)", logsAccess: accessLog)
        let api = try API(service: service, configuration: configuration, logger: logger, metrics: metrics)
        let application = api.application(hostname: listen.host, port: listen.port) { channel in
            let port = channel.localAddress?.port ?? listen.port
            announce("greentea ready on http://\(ListenAddress(host: listen.host, port: port)) (development mode, data \(data))")
        }
        let watch = WriterWatch(service: service)
        let sweeper = ImageSweeper(service: service, logger: logger)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: application), .init(service: watch), .init(service: sweeper)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw Refusal.cannotListen(address: listen.description, reason: "address already in use")
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EADDRNOTAVAIL {
            throw Refusal.cannotListen(address: listen.description, reason: error.description)
        }
    }
}
