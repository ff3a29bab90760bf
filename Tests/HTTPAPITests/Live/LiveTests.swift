import HTTPAPI
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import Testing

/// Behaviour that only a real connection shows.
@Suite("Real connections", .timeLimit(.minutes(15)))
struct LiveTests {
    @Test("One connection serves a stamp, a rejected stamp, a HEAD request and a GET request")
    func stamp() async throws {
        try await onLiveStage { stage, visitor, _ in
            let cast = try await Cast(visitor)
            #expect(try await cast.stamp(try await cast.issue().code).status == 201)
            try await cast.stamp("AAAA-AAAA").expectProblem("codeNotValid", 422)
            #expect(try await visitor.send(.head, "/healthz").body.isEmpty)
            #expect(try await visitor.get("/healthz").status == 200)
        }
    }

    @Test("A body of 10 MB is rejected, the answer arrives, and the connection closes after it")
    func large() async throws {
        try await onLiveStage { stage, visitor, port in
            let start = "POST /v1/stamps HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n"
            let parts = [ByteBuffer(string: start)] + Array(repeating: ByteBuffer(repeating: 0x20, count: 100_000), count: 100)
            let answer = try await RawConnection.exchange(port: port, parts)
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("Connection: close\r\n") && answer.hasSuffix("}"), "\(answer)")
            #expect(stage.head == 0)
        }
    }

    @Test("An upload without a valid token is rejected before it is complete, and the answer arrives")
    func refusedUpload() async throws {
        try await onLiveStage { stage, visitor, port in
            let start = "POST /v1/images HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 5000000\r\n\r\n"
            let parts = [ByteBuffer(string: start)] + Array(repeating: ByteBuffer(repeating: 0x20, count: 100_000), count: 50)
            let answer = try await RawConnection.exchange(port: port, parts)
            #expect(answer.hasPrefix("HTTP/1.1 401 ") && answer.contains("Connection: close\r\n") && answer.hasSuffix("}"), "\(answer)")
        }
    }

    @Test("A chunked body of 10 MB is rejected, and the connection closes after the answer")
    func chunked() async throws {
        try await onLiveStage { stage, visitor, port in
            let start = ByteBuffer(
                string: "POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            let chunk = ByteBuffer(string: "10000\r\n" + String(repeating: " ", count: 65_536) + "\r\n")
            let parts = [start] + Array(repeating: chunk, count: 160)
            let answer = try await RawConnection.exchange(port: port, parts)
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("tooLarge") && answer.hasSuffix("}"), "\(answer)")
        }
    }

    @Test(
        "Bytes that are not valid UTF-8 are rejected",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]])
    func notUTF8(_ value: [UInt8]) async throws {
        try await onLiveStage { stage, visitor, port in
            let head = stage.head
            for field in ["phone", "other"] {
                var body = Array("{\"phone\":\"+8613800138000\",\"".utf8) + Array(field.utf8) + Array("\":".utf8) + value + Array("}".utf8)
                if field == "phone" { body = Array("{\"phone\":".utf8) + value + Array("}".utf8) }
                var request = ByteBuffer(
                    string: "POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        + "Content-Length: \(body.count)\r\n\r\n")
                request.writeBytes(body)
                let answer = try await RawConnection.exchange(port: port, [request])
                #expect(answer.contains("HTTP/1.1 400"), "\(field): \(answer)")
            }
            #expect(stage.head == head)
        }
    }

    @Test("JSON in UTF-16 is rejected")
    func utf16() async throws {
        try await onLiveStage { stage, visitor, port in
            let body = Array("{\"phone\":\"+8613800138000\"}".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            var request = ByteBuffer(
                string: "POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n")
            request.writeBytes(body)
            let answer = try await RawConnection.exchange(port: port, [request])
            #expect(answer.contains("HTTP/1.1 400"))
        }
    }

    @Test("Invalid or incomplete HTTP on one connection does not affect another")
    func garbage() async throws {
        try await onLiveStage { stage, visitor, port in
            let head = "POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            for text in [
                "\r\n\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", head + "Content-Length: x\r\n\r\n",
                head + "Content-Length: 100\r\n\r\n{\"ph", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            ] {
                try await Self.hangUp(port, text)
                #expect(try await visitor.get("/healthz").status == 200)
            }
        }
    }

    /// Sends text and closes without waiting for an answer.
    private static func hangUp(_ port: Int, _ text: String) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port).get()
        // The server may have closed the connection first.
        try? await channel.writeAndFlush(ByteBuffer(string: text)).get()
        try? await channel.close().get()
    }
}
