import Foundation
import HTTPTypes
import Hummingbird
import LMDB
import Logging
import NIOCore

/// Measures durable stamps over HTTP, with a bare and a durable echo server in plain Hummingbird as baselines.
///
/// The durable one stores each request with the raw LMDB writer first, so that a slow disk does not distort the ratio. `wrk` uses the same
/// script for all, so that every figure includes the script's cost.
struct HTTPBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        let server = try await StampServer.open(in: folder + "/http", sizes: sizes)
        let writer = try RawWriter(in: folder + "/http/raw", recordBytes: 150, recordsAnAppend: 1)
        defer { writer.stop() }
        for connections in sizes.connections {
            var (stamps, bare, durable): ([HTTPLoad], [HTTPLoad], [HTTPLoad]) = ([], [], [])
            for _ in 0..<sizes.rounds {
                let input = try await server.input()
                bare.append(try await server.echoes(input, over: connections))
                durable.append(try await server.echoes(input, over: connections, storedBy: writer))
                stamps.append(try await server.stamps(input, over: connections))
            }
            Self.add(stamps, bare, durable, over: connections, to: &report)
        }
        try close(server.shop.service)
    }

    private static func add(
        _ stamps: [HTTPLoad], _ bare: [HTTPLoad], _ durable: [HTTPLoad], over connections: Int, to report: inout Report
    ) {
        let over = ", \(connections) connections"
        report.add("durable stamps over HTTP" + over, "requests/s", stamps.map(\.rate))
        report.add("  p50 of a stamp over HTTP", "µs", stamps.map(\.p50))
        report.add("  p99 of a stamp over HTTP", "µs", stamps.map(\.p99))
        report.add("durable Hummingbird JSON echo" + over, "requests/s", durable.map(\.rate))
        report.add("bare Hummingbird JSON echo" + over, "requests/s", bare.map(\.rate))
        report.addRatio(
            "HTTP stamps : durable echo" + over, of: "durable stamps over HTTP" + over, to: "durable Hummingbird JSON echo" + over,
            target: 0.8)
        report.addRatio(
            "HTTP stamps : bare echo" + over, of: "durable stamps over HTTP" + over, to: "bare Hummingbird JSON echo" + over, target: 0.65)
    }
}

/// The minimum work of a JSON service on Hummingbird: reads, decodes and encodes a body.
enum EchoServer {
    private struct Message: ResponseCodable {
        let code: String
    }

    /// Serves until the process is ended, for a program that counts instructions. Prints one line when it is ready.
    static func serveDurably(in folder: String) async throws {
        let place = folder + "/greentea-echo-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: place) }
        // A program that counts instructions cannot reserve as much address space as the system.
        var options = Environment.Options()
        options.mapSizeMax = 1 << 30
        let writer = try RawWriter(in: place, recordBytes: 150, recordsAnAppend: 1, options: options)
        defer { writer.stop() }
        let server = application(storedBy: writer, hostname: "127.0.0.1", port: 0) { channel in
            let line = "echo ready on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
            try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        }
        try await server.runService()
    }

    /// - Parameter writer: stores a record of each request before it is answered; nil for a plain echo.
    static func application(
        storedBy writer: RawWriter?, hostname: String, port: Int, onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        let router = Router()
        router.post("/echo") { request, context in
            let message = try await request.decode(as: Message.self, context: context)
            try await writer?.append()
            return message
        }
        return bareApplication(router, hostname: hostname, port: port, onServerRunning)
    }
}

/// Serves routes in plain Hummingbird, without a log.
func bareApplication(
    _ router: Router<BasicRequestContext>, hostname: String, port: Int, _ onServerRunning: @escaping @Sendable (any Channel) async -> Void
) -> some ApplicationProtocol {
    var logger = Logger(label: "bare")
    logger.logLevel = .critical
    return Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname(hostname, port: port)),
        onServerRunning: onServerRunning, logger: logger)
}
