import CommandService
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite("images")
struct ImageTests {
    /// One grey pixel, as small as a PNG gets, with a comment.
    private static let pixel: [UInt8] = Array(
        Data(
            base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==")!)

    /// A WebP of 16,384 by 16,384 pixels in 36 bytes.
    private static let bomb = Array(Data(base64Encoded: "UklGRhwAAABXRUJQVlA4TA8AAAAv////D4iICAAAAAAAAAAA")!)

    /// Sends bytes as they are.
    private static func send(
        _ bytes: [UInt8], as visitor: Visitor, type: String = "image/png", key: String? = nil
    ) async throws -> Reply {
        var fields: HTTPFields = [.contentType: type]
        fields[.idempotencyKey] = key
        if let token = visitor.token { fields[.authorization] = "Bearer " + token }
        return try await visitor.client.execute(uri: "/v1/images", method: .post, headers: fields, body: ByteBuffer(bytes: bytes)) {
            Reply($0)
        }
    }

    @Test("a picture that was sent can be seen by anyone, for ever")
    func story() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            let head = stage.head
            let sent = try await Self.send(Self.pixel, as: customer)
            #expect(sent.status == 201, "\(sent.text)")
            #expect(try sent.json.names == ["id", "url", "width", "height"])
            let id = try sent.string("id")
            #expect(id.hasPrefix("img_"))
            #expect(try sent.string("url") == Stage.publicURL + "/v1/images/" + id)
            #expect(sent.headers[.location] == "/v1/images/" + id)
            #expect(sent.position == head && stage.head == head)
            #expect(try await Self.send(Self.pixel, as: customer, type: "application/octet-stream").string("id") == id)

            let seen = try await visitor.get("/v1/images/" + id)
            #expect(seen.status == 200 && seen.headers[.contentType] == "image/png")
            #expect(seen.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(seen.headers[.xContentTypeOptions] == "nosniff")
            let tag = try #require(seen.headers[.eTag])
            let again = try await visitor.get("/v1/images/" + id, headers: [.ifNoneMatch: "\"x\", \(tag)"])
            #expect(again.status == 304 && again.body.isEmpty && again.headers[.eTag] == tag)
            #expect(try await visitor.get("/v1/images/\(id)?width=100").body == seen.body)
        }
    }

    @Test("a key is of one picture, and of no other request")
    func keys() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let sent = try await Self.send(Self.pixel, as: cast.customer, key: "k")
            #expect(try await Self.send(Self.pixel, as: cast.customer, key: "k").body == sent.body)
            var other = Self.pixel
            other.append(0)
            try await Self.send(other, as: cast.customer, key: "k").expectProblem("idempotencyKeyReused", 422)
            #expect(try await Self.send(other, as: cast.customer, key: "l").status == 201)
            #expect(try await cast.customer.post("/v1/feedback", #"{"text":"Good"}"#, key: "m").position != nil)
            try await Self.send(Self.pixel, as: cast.customer, key: "m").expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("what is no picture, too large, or from nobody is refused")
    func refused() async throws {
        try await onStage { _, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            try await Self.send(Self.pixel, as: visitor).expectProblem("unauthenticated", 401)
            try await Self.send([], as: customer).expectProblem("unsupportedMediaType", 415)
            try await Self.send(Array("<svg/>".utf8), as: customer).expectProblem("unsupportedMediaType", 415)
            try await Self.send(Array(Self.pixel.dropLast(40)), as: customer).expectProblem("unsupportedMediaType", 415)
            try await Self.send([UInt8](repeating: 0xFF, count: (8 << 20) + 1), as: customer).expectProblem("tooLarge", 413)
            try await Self.send(Self.bomb, as: customer).expectProblem("tooLarge", 413)
            for id in ["img_00000000000000000000000000", "shop_00000000000000000000000000", "..%2F..%2Fmaster.key"] {
                try await visitor.get("/v1/images/" + id).expectProblem("notFound", 404)
            }
            let id = try await Self.send(Self.pixel, as: customer).string("id")
            for width in ["0", "-1", "abc", "", "1e3"] {
                try await visitor.get("/v1/images/\(id)?width=\(width)").expectInvalid("/width")
            }
        }
    }

    @Test("an account sends thirty pictures in ten minutes and no more")
    func budget() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            for _ in 0..<30 { #expect(try await Self.send(Self.pixel, as: customer).status == 201) }
            let refused = try await Self.send(Self.pixel, as: customer)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "600")
            stage.clock.advance(seconds: 600)
            #expect(try await Self.send(Self.pixel, as: customer).status == 201)
        }
    }

    @Test("a picture that nothing shows goes after a day")
    func sweep() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            let id = try await Self.send(Self.pixel, as: customer).string("id")
            #expect(try await stage.service.sweepImages() == 0)
            stage.clock.advance(seconds: 86_401)
            #expect(try await stage.service.sweepImages() == 1)
            try await visitor.get("/v1/images/" + id).expectProblem("notFound", 404)
        }
    }
}
