import Foundation

/// One HTTP answer.
struct Answer: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The problem's code, where it is one.
    var problem: String? { try? JSONDecoder().decode(ProblemBody.self, from: body).code }

    /// The body, of an answer that has the status.
    func read<Body: Decodable>(_ type: Body.Type = Body.self, status expected: Int) throws -> Body {
        guard status == expected else { throw TestFailure("\(status) instead of \(expected): \(text)") }
        return try JSONDecoder().decode(type, from: body)
    }

    private struct ProblemBody: Decodable {
        let code: String
    }
}
