import Foundation

/// What the server said.
struct Answer: Sendable {
    let status: Int
    /// Seconds of `Retry-After`.
    let retryAfter: Int?
    /// The name that the server gave to the request; empty if it gave none.
    var requestID = ""
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
