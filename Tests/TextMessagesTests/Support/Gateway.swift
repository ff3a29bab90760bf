import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// A gateway on this machine: a real HTTP server that records its requests and returns prepared answers.
final class Gateway: Sendable {
    struct Post: Sendable {
        let body: [UInt8]
        let signature: String
        let key: String
        let contentType: String
    }

    /// The mutex guards the received posts and the remaining answers; if none remains, the answer is 200.
    private let state = Mutex<(posts: [Post], answers: [HTTPResponse.Status])>(([], []))

    init(answers: [HTTPResponse.Status] = []) {
        state.withLock { $0.answers = answers }
    }

    var posts: [Post] { state.withLock { $0.posts } }

    /// Runs `body` with the server's address while the server listens.
    func whileListening(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
        let router = Router()
        router.post("/sms") { request, _ in
            let bytes = Array(try await request.body.collect(upTo: 65_536).readableBytesView)
            let headers = request.headers
            let post = Post(
                body: bytes, signature: headers[HTTPField.Name("GreenTea-Signature")!] ?? "",
                key: headers[HTTPField.Name("Idempotency-Key")!] ?? "", contentType: headers[.contentType] ?? "")
            let status = self.state.withLock { state in
                state.posts.append(post)
                return state.answers.isEmpty ? .ok : state.answers.removeFirst()
            }
            return Response(status: status, headers: status == .found ? [.location: "/elsewhere"] : [:])
        }
        let application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        try await application.test(.live) { client in
            try await body("http://127.0.0.1:\(try #require(client.port))/sms")
        }
    }
}
