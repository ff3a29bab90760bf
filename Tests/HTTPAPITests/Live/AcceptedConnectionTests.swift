import Logging
import NIOCore
import NIOPosix
import Prometheus
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(15))) struct AcceptedConnectionTests {
    /// Without the close, NIO ends the test process with a failed precondition.
    @Test("A connection that was accepted but is never handled, as at a stop of the server, is closed", .timeLimit(.minutes(5)))
    func neverHandled() async throws {
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let registry = PrometheusRegistry()
        let commons = ConnectionCommons(
            bodies: BodyBudget(ordinary: 1), report: ConnectionReport(registry, logger),
            answers: AnswerRecord(metrics: RequestMetrics(registry), logsAccess: false), logger: logger)
        let guarded = GuardedChannel(responder: { _, _, _ in }, terms: ConnectionTerms(), commons: commons)
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0) { channel in
            guarded.setup(channel: channel, logger: logger)
        }
        let address = try #require(server.channel.localAddress)
        try await server.executeThenClose { connections in
            let client = try await ClientBootstrap(group: group).connect(to: address).get()
            var accepted = connections.makeAsyncIterator()
            #expect(try await accepted.next() != nil)
            try await client.closeFuture.get()
        }
    }
}
