import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// A client of the API, signed in or not.
struct Visitor: Sendable {
    let client: any TestClientProtocol
    /// The name in the transcript.
    var name = "visitor"
    var token: String?
    var refreshToken: String?
    var account = ""
    var transcript: Transcript?
    /// The newest position in any answer, shared by all visitors of one service.
    let newest = NewestPosition()

    init(client: any TestClientProtocol) {
        self.client = client
    }

    /// - Parameter body: JSON text.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, key: String? = nil, headers: HTTPFields = [:]
    ) async throws -> Reply {
        var fields: HTTPFields = [:]
        if let token { fields[.authorization] = "Bearer " + token }
        if body != nil { fields[.contentType] = "application/json" }
        if let key { fields[.idempotencyKey] = key }
        // A visitor may read what another account has written. The server does not wait for such a write by itself, so the visitor sends
        // the newest position in any answer.
        if method == .get, path.hasPrefix("/v1/") { fields[.minPosition] = "\(newest.value)" }
        for field in headers {
            // Each cookie is a header field of its own here, although a real connection would combine them in one field.
            if field.name == .cookie { fields.append(field) } else { fields[field.name] = field.value.isEmpty ? nil : field.value }
        }
        let reply = try await client.execute(uri: path, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) }) {
            Reply($0)
        }
        if let position = reply.position { newest.see(position) }
        transcript?.record(name, method, path, key, headers, body, reply)
        return reply
    }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, path, headers: headers)
    }

    func post(_ path: String, _ body: String? = nil, key: String? = nil, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.post, path, body, key: key, headers: headers)
    }

    func patch(_ path: String, _ body: String, key: String? = nil, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.patch, path, body, key: key, headers: headers)
    }

    func put(_ path: String, _ body: String? = nil, key: String? = nil, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.put, path, body, key: key, headers: headers)
    }

    func delete(_ path: String, key: String? = nil) async throws -> Reply {
        try await send(.delete, path, key: key)
    }

    /// The same client, after it has signed in with a phone number through the API.
    func signedIn(_ phone: String, name: String = "visitor") async throws -> Visitor {
        var visitor = self
        visitor.name = name
        let verification = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#)
        let code = try verification.string("devCode")
        let session = try await visitor.post("/v1/sessions", #"{"phone":"\#(phone)","code":"\#(code)"}"#)
        #expect(session.status == 201)
        visitor.token = try session.string("accessToken")
        visitor.refreshToken = try session.string("refreshToken")
        visitor.account = try session.string("account", "id")
        return visitor
    }
}

/// The highest position that any answer had.
final class NewestPosition: Sendable {
    private let position = Mutex<UInt64>(0)

    var value: UInt64 { position.withLock { $0 } }

    func see(_ position: UInt64) { self.position.withLock { $0 = max($0, position) } }
}

extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!
    static let forwardedFor = Self("X-Forwarded-For")!
    static let minPosition = Self("GreenTea-Min-Position")!
}
