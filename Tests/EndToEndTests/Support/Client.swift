import Foundation

/// A client with a connection and, once signed in, a token. Use it from one thread at a time.
final class Client: @unchecked Sendable {
    private let port: UInt16
    private var connection: Connection?
    private(set) var token: String?
    /// The newest position that this client has written or read. The client sends it with a read, and repeats the read while the server is
    /// behind this position.
    private var position: String?
    private(set) var account = ""

    init(port: UInt16) {
        self.port = port
    }

    /// Returns the same account at another server; tokens survive a restart.
    func moved(to server: Server) -> Client {
        let client = Client(port: server.port)
        (client.token, client.account, client.position) = (token, account, position)
        return client
    }

    /// - Throws: if no answer arrived; the request may or may not have taken effect.
    func send(_ method: String, _ path: String, json: String? = nil, key: String? = nil, headers: [String: String] = [:]) throws -> Answer {
        var headers = headers
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if let key { headers["Idempotency-Key"] = key }
        if method == "GET", path.hasPrefix("/v1/"), let position { headers["GreenTea-Min-Position"] = position }
        var answer = try exchange(method, path, json, headers)
        while answer.status == 503, answer.text.contains("notCaughtUp") { answer = try exchange(method, path, json, headers) }
        // The answer to a read has a position too, which may be lower than the position of this client's newest write.
        let positions = [position, answer.headers["greentea-position"]].compactMap { $0.flatMap { UInt64($0) } }
        position = positions.max().map { String($0) }
        return answer
    }

    /// Sends a picture.
    ///
    /// - Throws: if no answer arrived.
    func upload(_ picture: Data, to path: String = "/v1/images") throws -> Answer {
        try Connection(port: port).send(
            "POST", path, headers: ["Authorization": "Bearer \(token ?? "")"], body: picture, type: "application/octet-stream")
    }

    private func exchange(_ method: String, _ path: String, _ json: String?, _ headers: [String: String]) throws -> Answer {
        let connection = try self.connection ?? Connection(port: port)
        self.connection = nil
        let answer = try connection.send(method, path, headers: headers, body: json.map { Data($0.utf8) })
        if answer.headers["connection"] != "close" { self.connection = connection }
        return answer
    }

    /// Signs in with the code that a development server returns.
    func signIn(_ number: Int) throws {
        let phone = "+861380013\(1_000 + number)"
        let sent: Verification = try send("POST", "/v1/verifications", json: #"{"phone":"\#(phone)"}"#).read(status: 202)
        try signIn(phone, code: sent.devCode)
    }

    /// Signs in with a code that the caller has, for example from a text message.
    func signIn(_ phone: String, code: String) throws {
        let session: Session = try send("POST", "/v1/sessions", json: #"{"phone":"\#(phone)","code":"\#(code)"}"#).read(status: 201)
        (token, account) = (session.accessToken, session.account.id)
    }

    private struct Verification: Decodable {
        let devCode: String
    }

    private struct Session: Decodable {
        let accessToken: String
        let account: Thing
    }
}
