import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Prometheus
import Synchronization
import Testing

@testable import HTTPAPI

/// Tests long answers to clients that read slowly.
@Suite("Pieces of answers", .timeLimit(.minutes(15)))
struct AnswerPieceTests {
    /// A channel with the connection guard and without a real socket. The test itself decides when the channel is writable.
    private struct SlowSocket {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel

        init() throws {
            let registry = PrometheusRegistry()
            let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
            let commons = ConnectionCommons(
                bodies: BodyBudget(ordinary: 1), report: ConnectionReport(registry, logger),
                answers: AnswerRecord(metrics: RequestMetrics(registry), logsAccess: false), logger: logger)
            var terms = ConnectionTerms()
            terms.patience = .seconds(10)
            channel = EmbeddedChannel(handler: ConnectionGuard(terms, commons), loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func write(_ part: HTTPServerResponsePart) throws { try channel.writeOutbound(part) }

        func setWritable(_ isWritable: Bool) {
            guard channel.isWritable != isWritable else { return }
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }

        /// Sends a body to a client that reads 64 KiB every eight seconds. Each part is written when the client has read the parts before
        /// it.
        func send(_ parts: [ByteBuffer]) throws {
            try write(.head(HTTPResponseHead(version: .http1_1, status: .ok)))
            for part in parts {
                try write(.body(.byteBuffer(part)))
                var waiting = part.readableBytes
                while waiting > 0, channel.isActive {
                    setWritable(false)
                    loop.advanceTime(by: .seconds(8))
                    waiting -= 65_536
                }
                guard channel.isActive else { return }
                setWritable(true)
            }
            try write(.end(nil))
        }
    }

    /// Collects the pieces of a response body.
    private struct Recorder: ResponseBodyWriter {
        final class Record: Sendable {
            let pieces = Mutex<[ByteBuffer]>([])
            let isFinished = Mutex(false)
        }

        let record = Record()

        func write(_ buffer: ByteBuffer) async throws { record.pieces.withLock { $0.append(buffer) } }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { record.isFinished.withLock { $0 = true } }
    }

    /// Hands each piece to an event loop without waiting for it, as the writer of a connection does while the buffer has room.
    private struct Handover: ResponseBodyWriter {
        final class Record: Sendable {
            /// The number of pieces that the event loop has not seen, and the maximum of this number.
            let unseen = Mutex((count: 0, most: 0))
        }

        let loop: any EventLoop
        let record = Record()

        func write(_ buffer: ByteBuffer) async throws {
            record.unseen.withLock { unseen in
                unseen.count += 1
                unseen.most = max(unseen.most, unseen.count)
            }
            loop.execute { [record] in record.unseen.withLock { $0.count -= 1 } }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private static let long = ByteBuffer(bytes: (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) })

    private static func pieces(of body: ResponseBody) async throws -> [ByteBuffer] {
        let recorder = Recorder()
        try await body.write(PieceWriter(writer: recorder, loop: MultiThreadedEventLoopGroup.singleton.next()))
        #expect(recorder.record.isFinished.withLock { $0 })
        return recorder.record.pieces.withLock { $0 }
    }

    @Test("A long body is written in pieces of bounded size, which together are the body")
    func pieces() async throws {
        for body in [
            ResponseBody(byteBuffer: Self.long),
            ResponseBody { [long = Self.long] in
                try await $0.write(long)
                try await $0.finish(nil)
            },
        ] {
            let pieces = try await Self.pieces(of: body)
            #expect(pieces.count == 16 && pieces.allSatisfy { $0.readableBytes <= Limits.answerPieceBytes })
            #expect(pieces.flatMap { Array(buffer: $0) } == Array(buffer: Self.long))
        }
        #expect(try await Self.pieces(of: ResponseBody(byteBuffer: ByteBuffer(string: "short"))) == [ByteBuffer(string: "short")])
    }

    @Test("A piece is written only after the event loop has seen the piece before it")
    func paced() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let handover = Handover(loop: loop)
        try await ResponseBody(byteBuffer: Self.long).write(PieceWriter(writer: handover, loop: loop))
        #expect(handover.record.unseen.withLock { $0.most } == 1)
    }

    @Test("A client that reads a long answer slowly but steadily gets all of it")
    func slowReader() async throws {
        let (whole, inPieces) = (try SlowSocket(), try SlowSocket())
        try whole.send([Self.long])
        #expect(!whole.channel.isActive, "if the answer is written at once, the guard sees no progress")
        try inPieces.send(try await Self.pieces(of: ResponseBody(byteBuffer: Self.long)))
        #expect(inPieces.channel.isActive)
    }
}
