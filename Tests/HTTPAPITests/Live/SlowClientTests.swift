import Caches
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import NIOCore
import NIOPosix
import Patience
import Synchronization
import Testing

@testable import HTTPAPI

/// Tests clients that occupy connections without completing a request, and other clients that are served at the same time.
@Suite("Slow clients", .timeLimit(.minutes(15)))
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

    /// Stops clients after the beginning of their answers.
    private final class Barrier: Sendable {
        let waiting = Atomic(0)
        let isOpen = Atomic(false)
    }

    /// Requests a picture, reads the beginning of the answer, and waits at the barrier.
    ///
    /// - Returns: the answer's body; nil if the client leaves after its wait.
    private static func look(at file: StoredFile, _ port: Int, _ barrier: Barrier, leaves: Bool = false) async throws -> [UInt8]? {
        let request = "GET \(file.address) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 65_536)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let answer: ByteBuffer? = try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var received = ByteBuffer()
            for try await chunk in inbound {
                let isFirst = received.readableBytes == 0
                received.writeImmutableBuffer(chunk)
                guard isFirst else { continue }
                barrier.waiting.add(1, ordering: .relaxed)
                try await eventually("the barrier is open") { barrier.isOpen.load(ordering: .acquiring) }
                if leaves { return nil }
            }
            return received
        }
        guard let bytes = answer?.readableBytesView else { return nil }
        let head = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
        return Array(bytes[head.upperBound...])
    }

    /// Waits for a free slot.
    private func eventuallySlot(_ slots: Slots) async throws -> Slot {
        var slot: Slot?
        try await eventually("a slot is free") {
            slot = try? slots.take(as: PoolShare())
            return slot != nil
        }
        return try #require(slot)
    }

    @Test(
        "A picture is read from its file as slowly as its clients read it, and the file is closed when they have gone",
        arguments: [true, false])
    func slowPicture(_ staysOpen: Bool) async throws {
        try await onLiveStage { stage, _, port in
            let (slots, most) = (stage.api.resources.slots.pictureFiles, Limits.pictureFilesOpenPerAddressMax)
            var held = staysOpen ? [] : try (0..<most).map { _ in try slots.take(as: PoolShare()) }
            // The buffers of a connection hold less than half of the picture.
            let bytes = StoredFile.bytes(16 << 20)
            let tail = [UInt8](repeating: 7, count: 65_536)
            let changed = bytes.dropLast(tail.count) + tail
            let (file, barrier) = (try StoredFile(Data(bytes), on: stage), Barrier())
            let bodies = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                for number in 0..<8 { group.addTask { try await Self.look(at: file, port, barrier, leaves: number.isMultiple(of: 2)) } }
                try await eventually("all clients wait") { barrier.waiting.load(ordering: .relaxed) == 8 }
                try await eventually("the file is open for the clients") { try file.descriptors == (staysOpen ? 8 : 0) }
                // The clients get the changed bytes only if the service has not read the end of the file yet.
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
                try handle.seek(toOffset: UInt64(bytes.count - tail.count))
                try handle.write(contentsOf: tail)
                try handle.close()
                barrier.isOpen.store(true, ordering: .releasing)
                return try await group.reduce(into: [[UInt8]]()) { if let body = $1 { $0.append(body) } }
            }
            #expect(bodies.count == 4 && bodies.allSatisfy { $0.elementsEqual(changed) })
            try await eventually("the file is closed") { try file.descriptors == 0 }
            guard staysOpen else { return }
            for _ in 0..<most { held.append(try await eventuallySlot(slots)) }
        }
    }

    @Test("A picture that is removed while a client reads it is sent whole")
    func removedPicture() async throws {
        try await onLiveStage { stage, _, port in
            let bytes = StoredFile.bytes(16 << 20)
            let (file, barrier) = (try StoredFile(Data(bytes), on: stage), Barrier())
            async let body = Self.look(at: file, port, barrier)
            try await eventually("the client waits") { barrier.waiting.load(ordering: .relaxed) == 1 }
            try FileManager.default.removeItem(atPath: file.path)
            #expect(try file.descriptors == 1)
            barrier.isOpen.store(true, ordering: .releasing)
            let isWhole = try await body?.elementsEqual(bytes)
            #expect(isWhole == true)
            try await eventually("the file is closed") { try file.descriptors == 0 }
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
