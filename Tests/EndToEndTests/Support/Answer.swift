import Foundation

/// An HTTP answer.
struct Answer: Sendable {
    let status: Int
    /// The headers, with names in lower case.
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The code of the problem that the body describes; nil if the body describes none.
    var problem: String? { try? JSONDecoder().decode(ProblemBody.self, from: body).code }

    /// Checks the status and decodes the body.
    func read<Body: Decodable>(_ type: Body.Type = Body.self, status expected: Int) throws -> Body {
        guard status == expected else { throw TestFailure("\(status) instead of \(expected): \(text)") }
        return try JSONDecoder().decode(type, from: body)
    }

    private struct ProblemBody: Decodable {
        let code: String
    }
}
