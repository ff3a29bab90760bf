import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("Logging", .timeLimit(.minutes(15)))
struct LoggingTests {
    /// Collects the logged lines.
    private final class Memory: Sendable {
        let lines = Mutex<[String]>([])
    }

    private struct MemoryHandler: LogHandler {
        let memory: Memory
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            memory.lines.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }

    @Test("Personal data, codes and tokens are not logged")
    func noPersonalData() async throws {
        let memory = Memory()
        try await Places.take {
            let stage = try Stage(logger: Logger(label: "test") { _ in MemoryHandler(memory: memory) })
            defer { stage.strike() }
            let secrets = try await stage.perform { _, visitor in
                let cast = try await Cast(visitor)
                let code = try await cast.issue().code
                _ = try await cast.stamp(code)
                _ = try await cast.stamp("AAAA-AAAA")
                _ = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"text":"personal words"}"#)
                return [code, cast.customer.token!, cast.customer.refreshToken!, "13800138002", "personal words"]
            }
            let lines = memory.lines.withLock { $0 }
            for secret in secrets { #expect(!lines.contains { $0.contains(secret) }) }
        }
    }

    @Test("A failure is logged in full with the request's ID, and the client gets no details")
    func failure() async throws {
        let memory = Memory()
        let logger = Logger(label: "test") { _ in MemoryHandler(memory: memory) }
        let router = Router(context: APIContext.self)
        let route = Route.get("/fails") { _, _ in throw Problem(.internal, internalDetail: "page 17 of /data/log is torn") }
        router.add(middleware: ProblemMiddleware(table: RouteTable([route])))
        router.on("/fails", method: .get, responder: CallbackResponder(callback: route.handler))
        try await Application(router: router, logger: logger).test(.router) { client in
            let reply = try await Visitor(client: client).get("/fails")
            try reply.expectProblem("internal", 500)
            #expect(!reply.text.contains("torn") && !reply.text.contains("/data"))
            let id = try reply.string("requestId")
            let lines = memory.lines.withLock { $0 }
            #expect(lines.contains { $0.contains("page 17 of /data/log is torn") && $0.contains(id) && $0.hasPrefix("error") })
        }
    }
}
