import Foundation
import NIOCore
import Testing

@testable import HTTPAPI

/// Tests HTTP/1.1 (RFC 9112) over real connections. A request is rejected if a proxy and the server behind it could interpret it
/// differently.
@Suite("HTTP/1.1 protocol", .timeLimit(.minutes(15)))
struct ProtocolTests {
    private static let post = "POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

    /// Sends text and returns everything until the server closes the connection.
    private func ask(_ text: String) async throws -> String {
        try await onLiveStage { _, _, port in try await RawConnection.exchange(port: port, [ByteBuffer(string: text)]) }
    }

    /// Expects one complete problem document, which is the last answer of its connection.
    private func expectRefusal(_ answer: String, _ status: Int, _ code: String, _ comment: String) {
        let lines = answer.components(separatedBy: "\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(comment): \(answer)")
        for line in ["Content-Type: application/problem+json", "Connection: close"] {
            #expect(lines.contains(line), "\(comment): \(answer)")
        }
        for name in ["X-Request-ID: ", "Date: "] { #expect(lines.count { $0.hasPrefix(name) } == 1, "\(comment): \(answer)") }
        #expect(answer.contains("\"code\":\"\(code)\"") && answer.hasSuffix("}"), "\(comment): \(answer)")
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(comment), once: \(answer)")
    }

    @Test(
        "An ambiguous or invalid request is rejected with a problem and a request ID, and the connection closes",
        arguments: [
            ("no host", "GET /healthz HTTP/1.1\r\n\r\n"),
            ("two hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
            ("two hosts of HTTP/1.0", "GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
            ("a host that is none", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n"),
            ("both lengths", post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ("two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
            ("a length that is none", post + "Content-Length: -1\r\n\r\n"),
            ("a length beyond 63 bits", post + "Content-Length: 9223372036854775808\r\n\r\n"),
            ("a chunk that is none", post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"),
            ("a chunk too long", post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
            ("a coding before chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
            ("another coding", post + "Transfer-Encoding: gzip\r\n\r\n"),
            ("chunks of HTTP/1.0", "POST /v1/stamps HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
            ("a method that is none", "FOO /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("a later version", "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n"),
            ("a folded line", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n"),
            ("a space before the colon", "GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n"),
        ])
    func refused(_ comment: String, _ text: String) async throws {
        expectRefusal(try await ask(text + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"), 400, "invalidRequest", comment)
    }

    @Test("Where the service is encrypted, the refusal of a request that no route saw also demands encryption")
    func encrypted() async throws {
        let text = "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"
        let answer = try await onLiveStage(try Stage(configure: { $0.isEncrypted = true })) { _, _, port in
            try await RawConnection.exchange(port: port, [ByteBuffer(string: text)])
        }
        #expect(answer.contains("Strict-Transport-Security: max-age="), "\(answer)")
        #expect(try await !ask(text).contains("Strict-Transport-Security"))
    }

    @Test("Headers beyond the limits are rejected as too large")
    func tooMany() async throws {
        let text = "GET /healthz HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: y\r\n", count: 300) + "\r\n"
        expectRefusal(try await ask(text), 413, "tooLarge", "headers")
    }

    @Test("A rejection is sent after the answers to earlier requests")
    func inTurn() async throws {
        let (right, wrong) = ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n")
        let answer = try await ask(right + wrong + right)
        let parts = answer.components(separatedBy: "HTTP/1.1 ")
        #expect(parts.count == 3 && parts[1].hasPrefix("200 ") && parts[2].hasPrefix("400 "), "\(answer)")
    }

    @Test("Of many requests that arrive together, some are answered, the next one is rejected, and the rest are ignored")
    func together() async throws {
        let answer = try await ask(String(repeating: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", count: 100))
        let statuses = answer.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
        #expect(statuses == Array(repeating: "200", count: Limits.unansweredMax) + ["429"], "\(answer.suffix(600))")
    }

    @Test(
        "The connection closes after the answer to its last request, in whichever way the request marks it as the last",
        arguments: [
            "GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        ])
    func last(_ text: String) async throws {
        let answer = try await ask(text + "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.contains(" 200 OK\r\n") && answer.hasSuffix("{\"status\":\"ok\"}"), "\(answer)")
        #expect(answer.contains("Connection: close\r\n"), "\(answer)")
        #expect(answer.hasPrefix(text.contains("HTTP/1.0") ? "HTTP/1.0 " : "HTTP/1.1 "), "\(answer)")
    }

    @Test("A compressed body is an unsupported media type, and a body with identity encoding is read")
    func coding() async throws {
        let end = "Connection: close\r\nContent-Length: 2\r\n\r\n{}"
        for coding in ["gzip", "br", "identity, gzip"] {
            let answer = try await ask(Self.post + "Content-Encoding: \(coding)\r\n" + end)
            #expect(answer.hasPrefix("HTTP/1.1 415 ") && answer.contains("\"unsupportedMediaType\""), "\(answer)")
        }
        #expect(try await ask(Self.post + "Content-Encoding: identity\r\n" + end).hasPrefix("HTTP/1.1 400 "), "the body was read")
    }

    @Test("Bodies cannot exceed the byte budget together, and small requests are served while it is used up")
    func bodies() async throws {
        let most = 100_000
        // One address gets half of the bytes.
        try await onLiveStage(try Stage(configure: { $0.bodiesBytesMax = 2 * most })) { stage, _, port in
            let start = ByteBuffer(string: Self.post + "Content-Length: 65536\r\n\r\n" + String(repeating: " ", count: 60_000))
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await RawConnection.exchange(port: port, [start]) { $0.hasSuffix("}") } }
                }
                // The byte budget has room for one of the eight bodies. The request with this body stays open until the group is cancelled,
                // and the other seven requests are rejected.
                var answers: [String] = []
                for try await answer in group {
                    answers.append(answer)
                    #expect(stage.api.connections.bodies.taken(from: .ordinary) <= most)
                    if answers.count == 7 { break }
                }
                let small = Self.post + "Connection: close\r\nContent-Length: 2\r\n\r\n{}"
                let answer = try await RawConnection.exchange(port: port, [ByteBuffer(string: small)])
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
                group.cancelAll()
                return answers
            }
            for answer in answers { expectRefusal(answer, 503, "overloaded", "bytes") }
        }
    }
}
