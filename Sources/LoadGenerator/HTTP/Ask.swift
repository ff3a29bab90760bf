import Foundation

/// A request to send.
struct Ask: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    /// The name under which latencies are recorded: usually the method and the path as in the API description.
    let route: String
    let path: String
    var token: String?
    var key: String?
    /// The JSON body.
    var body: String?
    /// The server answers only once its lists and pages show all writes up to this log position; nil if it need not wait.
    var minPosition: UInt64?
}

/// The server's answer.
struct Answer: Sendable {
    let status: Int
    /// The seconds of the `Retry-After` header.
    let retryAfter: Int?
    /// The request id that the server assigned; empty if there is none.
    var requestID = ""
    /// The log position that the answer states. For a write it is the position of the write. For a read it is a position whose state the
    /// answer shows at least; nil for an answer without a position.
    var position: UInt64?
    let body: [UInt8]

    /// The code of a problem document; `nil` for any other body.
    var problem: String? { try? read(Problem.self).code }

    /// The detail of a problem document, for people; `nil` for any other body.
    var problemDetail: String? { try? read(Problem.self).detail }

    /// Decodes the body from JSON.
    func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }

    private struct Problem: Decodable {
        let code: String
        let detail: String
    }
}
