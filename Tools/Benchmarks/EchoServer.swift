import HTTPTypes
import Hummingbird
import Logging
import NIOCore

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
