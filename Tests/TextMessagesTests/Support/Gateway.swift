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

    private struct State {
        var posts: [Post] = []
        /// The remaining answers; if none remains, the answer is 200.
        var answers: [HTTPResponse.Status] = []
        /// The bodies of answers that have begun and not ended.
        var open: [AsyncStream<ByteBuffer>.Continuation] = []
    }

    private let state: Mutex<State>
    /// Whether the body of an answer begins and does not end before ``endBodies()``.
    private let holdsBodies: Bool

    init(answers: [HTTPResponse.Status] = [], holdsBodies: Bool = false) {
        state = Mutex(State(answers: answers))
        self.holdsBodies = holdsBodies
    }

    var posts: [Post] { state.withLock { $0.posts } }

    /// Ends the bodies of all answers.
    func endBodies() {
        state.withLock { state in
            for body in state.open { body.finish() }
            state.open = []
        }
    }

    private func answerBody() -> ResponseBody {
        guard holdsBodies else { return ResponseBody() }
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        continuation.yield(ByteBuffer(string: "{"))
        state.withLock { $0.open.append(continuation) }
        return ResponseBody(asyncSequence: stream)
    }

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
            return Response(status: status, headers: status == .found ? [.location: "/elsewhere"] : [:], body: self.answerBody())
        }
        let application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        try await application.test(.live) { client in
            try await body("http://127.0.0.1:\(try #require(client.port))/sms")
        }
    }
}
