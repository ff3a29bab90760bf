import Foundation

/// One request, as it is said.
struct Ask: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    /// Under which name its times are kept: the path as the description has it.
    let route: String
    let path: String
    var token: String?
    var key: String?
    /// JSON.
    var body: String?
    /// The position that the answer has to show; nil for whatever there is.
    var minPosition: UInt64?
}

/// The server's answer.
struct Answer: Sendable {
    let status: Int
    /// Seconds of `Retry-After`.
    let retryAfter: Int?
    /// The name that the server gave to the request; empty if it gave none.
    var requestID = ""
    /// The position that a write reached; nil for a read.
    var position: UInt64?
    let body: [UInt8]

    /// The code of a problem document; `nil` for anything else.
    var problem: String? { try? read(Problem.self).code }

    /// The body as JSON of one shape.
    func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }

    private struct Problem: Decodable {
        let code: String
    }
}
