import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import HTTPAPI

/// The answer to a request.
struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]

    init(_ response: TestResponse) {
        status = response.status.code
        headers = response.headers
        body = Array(response.body.readableBytesView)
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body, which must be JSON.
    var json: JSONValue {
        get throws { try JSONValue(body) }
    }

    /// The problem code; `nil` for any other body.
    var code: String? { try? json["code"]?.string }

    /// The value of the header that marks a repeated answer; `nil` in the first answer.
    var replayed: String? { headers[HTTPField.Name("Idempotency-Replayed")!] }

    var position: UInt64? { headers[HTTPField.Name("GreenTea-Position")!].flatMap { UInt64($0) } }

    /// Returns a field that must be a string.
    func string(_ path: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        try #require(try at(path)?.string, "\(path) in \(text)", sourceLocation: sourceLocation)
    }

    func int(_ path: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
        try #require(try at(path)?.int, "\(path) in \(text)", sourceLocation: sourceLocation)
    }

    private func at(_ path: [String]) throws -> JSONValue? {
        path.reduce(Optional(try json)) { value, name in value?[name] }
    }

    /// Expects a problem document with everything that the contract requires of such a document.
    func expectProblem(_ code: String, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(self.status == status, "\(text)", sourceLocation: sourceLocation)
        #expect(headers[.contentType] == "application/problem+json", sourceLocation: sourceLocation)
        let json = try json
        #expect(json["code"]?.string == code, "\(text)", sourceLocation: sourceLocation)
        #expect(json["type"]?.string == "https://greentea.dev/problems/" + code, sourceLocation: sourceLocation)
        #expect(json["status"]?.int == status, sourceLocation: sourceLocation)
        for name in ["title", "detail", "instance"] {
            #expect(json[name]?.string?.isEmpty == false, "\(name) in \(text)", sourceLocation: sourceLocation)
        }
    }

    /// Expects a problem that names the field at this pointer.
    func expectInvalid(_ pointer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expectProblem("invalidRequest", 400, sourceLocation: sourceLocation)
        let pointers = try json["errors"]?.items?.compactMap { $0["pointer"]?.string } ?? []
        #expect(pointers.contains(pointer), "\(pointer) in \(text)", sourceLocation: sourceLocation)
    }
}
