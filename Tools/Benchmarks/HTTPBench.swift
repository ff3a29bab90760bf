import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Durable stamps over HTTP with 64 connections, beside a bare Hummingbird echo of the same requests on the same cores.
///
/// `wrk` makes the load; both sides run the same script of it, so what the script costs is in both figures.
struct HTTPBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        let server = try await StampServer.open(in: folder + "/http", sizes: sizes)
        var stamps: [HTTPLoad] = []
        var echoes: [HTTPLoad] = []
        for _ in 0..<sizes.rounds {
            let input = try await server.input()
            echoes.append(try await server.echoes(input))
            stamps.append(try await server.stamps(input))
        }
        try close(server.shop.service)
        report.add("durable stamps over HTTP, 64 connections", "requests/s", stamps.map(\.rate))
        report.add("  p50 of a stamp over HTTP", "µs", stamps.map(\.p50))
        report.add("  p99 of a stamp over HTTP", "µs", stamps.map(\.p99))
        report.add("bare Hummingbird JSON echo, 64 connections", "requests/s", echoes.map(\.rate))
        report.addRatio(
            "HTTP stamps : echo", of: "durable stamps over HTTP, 64 connections", to: "bare Hummingbird JSON echo, 64 connections",
            target: 0.6)
    }
}

/// The least that a JSON service on Hummingbird does: read a body, decode it, encode it again.
enum EchoServer {
    private struct Message: ResponseCodable {
        let code: String
    }

    @Sendable
    static func application(
        hostname: String, port: Int, onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        let router = Router()
        router.post("/echo") { request, context in try await request.decode(as: Message.self, context: context) }
        var logger = Logger(label: "echo")
        logger.logLevel = .critical
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname(hostname, port: port)),
            onServerRunning: onServerRunning, logger: logger)
    }
}
