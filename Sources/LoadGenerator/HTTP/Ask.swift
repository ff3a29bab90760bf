import Foundation

/// A request to send.
struct Ask: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    /// The name of its latencies: usually method and path as in the API description.
    let route: String
    let path: String
    var token: String?
    var key: String?
    var body: String?
    /// The answer must show all writes up to this position.
    var minPosition: UInt64?

    /// - Parameter route: nil for a path without ids.
    init(_ method: Method, _ path: String, route: String? = nil, token: String? = nil, key: String? = nil, body: String? = nil) {
        (self.method, self.path, self.route) = (method, path, route ?? "\(method.rawValue) \(path)")
        (self.token, self.key, self.body) = (token, key, body)
    }
}

/// The server's answer.
struct Answer: Sendable {
    let status: Int
    let retryAfter: Int?
    /// As the server assigned it.
    var requestID = ""
    /// A write's position, or one that a read shows at least.
    var position: UInt64?
    let body: [UInt8]

    /// Nil unless a problem document.
    var problem: String? { try? read(Problem.self).code }

    /// Nil unless a problem document.
    var problemDetail: String? { try? read(Problem.self).detail }

    func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }

    private struct Problem: Decodable {
        let code: String
        let detail: String
    }
}
