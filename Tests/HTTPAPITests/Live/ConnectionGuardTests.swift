import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import HTTPAPI

@Suite("connection guard")
struct ConnectionGuardTests {
    private static let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/v1/stamps"))

    /// A channel with the guard alone, and its loop.
    private func channel() throws -> (EmbeddedChannel, EmbeddedEventLoop) {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: ConnectionGuard(patience: .seconds(10), linger: .seconds(2)), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, loop)
    }

    @Test("a body that comes a byte at a time is cut off, however steadily it comes")
    func slowBody() throws {
        let (channel, loop) = try channel()
        try channel.writeInbound(Self.head)
        for _ in 0..<9 {
            loop.advanceTime(by: .seconds(1))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
        }
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("requests that come whole are never cut off, and each slow one has its own time")
    func wholeRequests() throws {
        let (channel, loop) = try channel()
        for _ in 0..<5 {
            try channel.writeInbound(Self.head)
            loop.advanceTime(by: .seconds(8))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }
        loop.advanceTime(by: .seconds(3_600))
        #expect(channel.isActive)
    }

    @Test("an answer that nobody fetches is given up, one that is fetched slowly is not")
    func slowReader() throws {
        let (channel, loop) = try channel()
        for _ in 0..<5 {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            loop.advanceTime(by: .seconds(9))
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
            loop.advanceTime(by: .seconds(1))
        }
        #expect(channel.isActive)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        loop.advanceTime(by: .seconds(10))
        #expect(!channel.isActive)
    }

    @Test("what is no request is refused by a problem document, and the connection ends soon", arguments: [true, false])
    func refusal(_ isOverflow: Bool) throws {
        let (channel, loop) = try channel()
        channel.pipeline.fireErrorCaught(isOverflow ? HTTPParserError.headerOverflow : HTTPParserError.invalidMethod)
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self),
            case .body(let body) = try channel.readOutbound(as: HTTPResponsePart.self)
        else {
            Issue.record("no answer")
            return
        }
        #expect(head.status.code == (isOverflow ? 413 : 400) && head.headerFields[.connection] == "close")
        #expect(head.headerFields[.contentType] == "application/problem+json")
        #expect(String(buffer: body).contains(isOverflow ? "tooLarge" : "invalidRequest"))
        loop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    @Test("in the middle of a request or of an answer, an error is not ours to answer")
    func inTheMiddle() throws {
        let (channel, _) = try channel()
        try channel.writeInbound(Self.head)
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
    }
}
