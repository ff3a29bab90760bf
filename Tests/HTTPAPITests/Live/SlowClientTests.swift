import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import NIOCore
import NIOPosix
import Testing

@testable import HTTPAPI

/// Tests clients that occupy connections without completing a request, and other clients that are served at the same time.
@Suite("Slow clients", .timeLimit(.minutes(40)))
struct SlowClientTests {
    private static let post =
        "POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"

    /// Sends `start`, then `byte` every 50 ms, until the server closes the connection.
    private static func drip(_ port: Int, _ start: String, byte: String?) async throws {
        do {
            try await connectAndDrip(port, start, byte: byte)
        } catch let error where Self.isHungUp(error) {
            // On a busy machine the server's time limit can pass before this client sends its first byte. The server has then closed the
            // connection as well.
        }
    }

    private static func connectAndDrip(_ port: Int, _ start: String, byte: String?) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // The loop ends when the server has closed the connection, whatever it sent before.
                    do { for try await _ in inbound {} } catch {}
                }
                group.addTask {
                    guard (try? await outbound.write(ByteBuffer(string: start))) != nil, let byte else { return }
                    while !Task.isCancelled, (try? await outbound.write(ByteBuffer(string: byte))) != nil {
                        try? await Task.sleep(for: .milliseconds(50))
                    }
                }
                if byte == nil { await group.next() }
                await group.next()
                group.cancelAll()
            }
        }
    }

    @Test("No slow client keeps its connection forever, and other clients are served meanwhile")
    func loris() async throws {
        try await onLiveStage(idle: 10, patience: 1) { stage, _, port in
            let shop = try await stage.perform { _, visitor in try await Cast(visitor).shop }
            let head = stage.head
            // Each copy of this request has a connection of its own and is sent at once, unlike the requests of the slow clients.
            let look = ByteBuffer(string: "GET /v1/shops/\(shop) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await Self.drip(port, "", byte: nil) }
                    group.addTask { try await Self.drip(port, "GET /healthz HTTP/1.1\r\nX: ", byte: "y") }
                    group.addTask { try await Self.drip(port, Self.post, byte: "z") }
                    group.addTask { try await Self.drip(port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /he", byte: nil) }
                }
                for _ in 0..<20 {
                    let answer = try await Self.served(port, look)
                    #expect(answer.contains("HTTP/1.1 200") && answer.contains(shop))
                }
                // Each task ends when the server closes its connection. If the test reaches its time limit, the server has not closed one
                // of them.
                try await group.waitForAll()
            }
            #expect(stage.head == head)
            #expect(try await Self.served(port, look).contains("HTTP/1.1 200"))
        }
    }

    @Test("A client that closes its sending side after the request still gets the answer")
    func halfClosed() async throws {
        try await onLiveStage { _, _, port in
            let answer = try await Self.exchange(port, ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"), closesOutput: true)
            #expect(answer.contains("HTTP/1.1 200") && answer.contains("{\"status\":\"ok\"}"))
            // An incomplete head or body cannot be answered with success, and the connection closes.
            for half in [Self.post + "{\"ph", "GET /healthz HT", ""] {
                let answer = try await Self.exchange(port, ByteBuffer(string: half), closesOutput: true)
                #expect(!answer.contains("HTTP/1.1 2"), "\(half)")
            }
        }
    }

    @Test("Too many or too long headers are rejected with a problem document", arguments: [false, true])
    func hugeHeaders(_ isMany: Bool) async throws {
        try await onLiveStage { _, _, port in
            var request = "GET /healthz HTTP/1.1\r\nHost: x\r\n"
            if isMany {
                for number in 0..<300 { request += "X-\(number): y\r\n" }
            } else {
                request += "X: " + String(repeating: "y", count: 40_000) + "\r\n"
            }
            let answer = try await Self.exchange(port, ByteBuffer(string: request + "\r\n"), closesOutput: false)
            #expect(answer.contains("HTTP/1.1 413") && answer.contains("application/problem+json"), "\(answer.prefix(300))")
            #expect(answer.contains("\"code\":\"tooLarge\""))
            let garbage = try await Self.exchange(port, ByteBuffer(string: "\u{1}\u{2} nonsense\r\n\r\n"), closesOutput: false)
            #expect(garbage.contains("HTTP/1.1 400") && garbage.contains("\"code\":\"invalidRequest\""), "\(garbage)")
            let look = ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await Self.exchange(port, look, closesOutput: false).contains("HTTP/1.1 200"))
        }
    }

    /// Whether a write failed because the server had closed the connection.
    private static func isHungUp(_ error: any Error) -> Bool { error is ChannelError || error is IOError }

    /// The answer of a server with short time limits. Retries if the server closed the connection before this client could send its
    /// request.
    private static func served(_ port: Int, _ request: ByteBuffer) async throws -> String {
        var answer = ""
        while answer.isEmpty { answer = try await exchange(port, request, closesOutput: false) }
        return answer
    }

    /// Sends bytes and returns everything that is received until the server closes the connection.
    private static func exchange(_ port: Int, _ bytes: ByteBuffer, closesOutput: Bool) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            // The server may close the connection before everything is sent. The bytes that were received until then are still returned.
            if bytes.readableBytes > 0 { do { try await outbound.write(bytes) } catch let error where isHungUp(error) {} }
            if closesOutput { outbound.finish() }
            var received = ""
            do { for try await chunk in inbound { received += String(buffer: chunk) } } catch {}
            return received
        }
    }

    @Test("A client that expects 100 Continue gets it at once, or a rejection if the body is too large")
    func continues() async throws {
        try await onLiveStage() { _, _, port in
            func head(_ length: Int) -> ByteBuffer {
                ByteBuffer(
                    string: "POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + "Expect: 100-Continue\r\nContent-Length: \(length)\r\n\r\n")
            }
            let told = try await RawConnection.exchange(port: port, [head(2)]) { $0.hasSuffix("\r\n\r\n") }
            #expect(told == "HTTP/1.1 100 Continue\r\n\r\n")
            let whole = [head(2), ByteBuffer(string: "{}")]
            let answered = try await RawConnection.exchange(port: port, whole) { $0.contains("invalidRequest") }
            #expect(answered.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 "))
            let refused = try await RawConnection.exchange(port: port, [head(1 << 30)]) { $0.contains("tooLarge") }
            #expect(refused.hasPrefix("HTTP/1.1 413 "))
        }
    }
}
