import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("Request IDs", .timeLimit(.minutes(15)))
struct RequestNameTests {
    private static let name = HTTPField.Name("X-Request-ID")!

    @Test("A valid request ID is returned in answers and in problems")
    func given() async throws {
        try await onStage { _, visitor in
            for id in ["a", "3f-7_B.9:+/=@", String(repeating: "x", count: 128)] {
                let reply = try await visitor.get("/healthz", headers: [Self.name: id])
                #expect(reply.headers[Self.name] == id)
                let refused = try await visitor.get("/v1/me", headers: [Self.name: id])
                #expect(refused.headers[Self.name] == id)
                #expect(try refused.string("requestId") == id)
            }
        }
    }

    @Test("An invalid request ID is replaced", arguments: ["a b", "<b>", "\u{1b}[31m", "é", String(repeating: "x", count: 129), "a\"b"])
    func replaced(_ id: String) async throws {
        try await onStage { _, visitor in
            let reply = try await visitor.get("/healthz", headers: [Self.name: id])
            let made = try #require(reply.headers[Self.name])
            #expect(made != id && !made.isEmpty)
            #expect(try await visitor.get("/healthz").headers[Self.name] != made)
        }
    }

    /// Collects the logged lines.
    private struct MemoryHandler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            lines.all.withLock { $0.append("\(event.message) \(all.map { "\($0)=\($1)" }.sorted().joined(separator: " "))") }
        }
    }

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    @Test("The access log has the route, the status and the request ID, and no personal data")
    func accessLog() async throws {
        let lines = Lines()
        try await Places.take {
            let stage = try Stage(logsAccess: true, logger: Logger(label: "test") { _ in MemoryHandler(lines: lines) })
            defer { stage.strike() }
            let secrets = try await stage.perform { _, visitor in
                let cast = try await Cast(visitor)
                let code = try await cast.issue()
                let card = try await cast.stamp(code.code).string("card", "id")
                _ = try await cast.customer.get("/v1/cards/\(card)", headers: [Self.name: "my-request"])
                return [code.code, card, cast.customer.account, cast.customer.token!, "13800138002"]
            }
            let logged = lines.all.withLock { $0 }
            for secret in secrets { #expect(!logged.contains { $0.contains(secret) }) }
            let line = try #require(logged.last { $0.hasPrefix("request ") })
            #expect(line.contains("hb.request.id=my-request") && line.contains("method=GET"))
            #expect(line.contains("route=/v1/cards/{id}") && line.contains("status=200") && line.contains("microseconds="))
        }
    }
}
