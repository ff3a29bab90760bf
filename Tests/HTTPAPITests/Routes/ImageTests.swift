import CommandService
import Composition
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Patience
import Testing

@Suite("Images", .timeLimit(.minutes(15)))
struct ImageTests {
    /// One grey pixel in a PNG of 67 bytes.
    private static let pixel: [UInt8] = Array(
        Data(
            base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==")!)

    /// A WebP picture of 16,384 by 16,384 pixels in 36 bytes.
    private static let bomb = Array(Data(base64Encoded: "UklGRhwAAABXRUJQVlA4TA8AAAAv////D4iICAAAAAAAAAAA")!)

    /// Uploads bytes unchanged.
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

    @Test("An uploaded picture is visible to anyone, but only private caches may store it")
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
            #expect(seen.headers[.cacheControl] == "private, max-age=300")
            #expect(seen.headers[.xContentTypeOptions] == "nosniff")
            let tag = try #require(seen.headers[.eTag])
            let again = try await visitor.get("/v1/images/" + id, headers: [.ifNoneMatch: "\"x\", \(tag)"])
            #expect(again.status == 304 && again.body.isEmpty && again.headers[.eTag] == tag)
            #expect(try await visitor.get("/v1/images/\(id)?width=100").body == seen.body)
        }
    }

    @Test("A picture of several pieces is sent whole, and no answer leaves its file open")
    func large() async throws {
        try await onStage { stage, visitor in
            let bytes = StoredFile.bytes(3 * 65_536 + 1)
            let file = try StoredFile(Data(bytes), on: stage)
            let seen = try await visitor.get(file.address)
            #expect(seen.status == 200 && seen.body == bytes && seen.headers[.contentLength] == "\(bytes.count)")
            let head = try await visitor.send(.head, file.address)
            #expect(head.status == 200 && head.body.isEmpty && head.headers[.contentLength] == "\(bytes.count)")
            let known = try await visitor.get(file.address, headers: [.ifNoneMatch: try #require(seen.headers[.eTag])])
            #expect(known.status == 304 && known.body.isEmpty)
            try await eventually("the file is closed") { try file.descriptors == 0 }
        }
    }

    private static func shop(showing picture: String) -> String {
        #"{"images":["\#(picture)"],"# + Cast.shopBody.drop { $0 != "{" }.dropFirst()
    }

    @Test("Any cache may store a shop's picture for a day, and only private caches may store a person's picture, for minutes")
    func caching() async throws {
        try await onStage { _, visitor in
            let (owner, person) = (try await visitor.signedIn("+8613800138001"), try await visitor.signedIn("+8613800138002"))
            let (shown, own) = (try await owner.picture(0), try await person.picture(1))
            _ = try await owner.post("/v1/shops", Self.shop(showing: shown))
            #expect(try await person.patch("/v1/me", #"{"avatar":"\#(own)"}"#).status == 200)
            #expect(try await visitor.get("/v1/images/" + shown).headers[.cacheControl] == "public, max-age=86400, immutable")
            let seen = try await visitor.get("/v1/images/" + own)
            #expect(seen.headers[.cacheControl] == "private, max-age=300")
            let again = try await visitor.get("/v1/images/" + own, headers: [.ifNoneMatch: try #require(seen.headers[.eTag])])
            #expect(again.status == 304 && again.headers[.cacheControl] == "private, max-age=300")
        }
    }

    @Test("A sender can take a picture down although others show the same bytes, and can upload it again")
    func takenDownBySender() async throws {
        try await onStage { stage, visitor in
            let (owner, person) = (try await visitor.signedIn("+8613800138001"), try await visitor.signedIn("+8613800138002"))
            let (picture, copy) = (try await owner.picture(), try await person.picture())
            #expect(picture != copy)
            let path = "/v1/images/" + picture
            let shop = try await owner.post("/v1/shops", Self.shop(showing: picture)).string("id")
            #expect(try await person.patch("/v1/me", #"{"avatar":"\#(copy)"}"#).status == 200)
            try await visitor.delete(path).expectProblem("unauthenticated", 401)
            try await person.delete(path).expectProblem("forbidden", 403)
            try await owner.delete("/v1/images/" + copy).expectProblem("forbidden", 403)

            #expect(try await visitor.get(path + "?width=160").status == 200)
            let done = try await owner.delete(path, key: "k")
            #expect(done.status == 204 && done.position != nil)
            for query in ["", "?width=160"] { try await visitor.get(path + query).expectProblem("notFound", 404) }
            #expect(try await visitor.get("/v1/images/" + copy).status == 200)
            #expect(try await visitor.get("/v1/shops/" + shop).json["images"]?.items?.compactMap(\.string) == [picture])
            #expect(try await owner.delete(path, key: "k").position == done.position)
            try await owner.delete(path, key: "l").expectProblem("notFound", 404)

            #expect(try await owner.picture() == picture)
            #expect(try await owner.delete(path, key: "k").status == 204)
            #expect(try await visitor.get(path).status == 200, "a retried take-down takes nothing down again")
        }
    }

    @Test("A picture that nothing shows can be taken down by its sender")
    func takenDownUnshown() async throws {
        try await onStage { _, visitor in
            let person = try await visitor.signedIn("+8613800138002")
            let path = "/v1/images/" + (try await person.picture())
            #expect(try await person.delete(path).status == 204)
            try await visitor.get(path).expectProblem("notFound", 404)
        }
    }

    @Test("An account cannot use a picture that another account uploaded")
    func named() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let (picture, own) = (try await cast.owner.picture(0), try await cast.customer.picture(0))
            try await cast.customer.patch("/v1/me", #"{"avatar":"\#(picture)"}"#).expectInvalid("/avatar")
            try await cast.customer.post("/v1/shops", Self.shop(showing: picture)).expectInvalid("/images")
            let (shop, campaign) = (cast.shop, cast.campaign)
            let any: HTTPFields = [.ifMatch: "*"]
            try await cast.owner.patch("/v1/shops/\(shop)", #"{"images":["\#(own)"]}"#, headers: any).expectInvalid("/images")
            try await cast.owner.patch("/v1/campaigns/\(campaign)", #"{"image":"\#(own)"}"#, headers: any).expectInvalid("/image")
            #expect(try await cast.owner.patch("/v1/shops/\(shop)", #"{"images":["\#(picture)"]}"#, headers: any).status == 200)
            #expect(try await cast.customer.patch("/v1/me", #"{"avatar":"\#(own)"}"#).status == 200)
        }
    }

    @Test("A picture that an operator took down is rejected when anyone uploads it again")
    func takenDownByOperator() async throws {
        try await onStage { stage, visitor in
            let (person, office) = (
                try await visitor.signedIn("+8613800138002"), try await visitor.signedIn(Stage.operatorPhone)
            )
            let picture = try await person.picture()
            _ = try await person.patch("/v1/me", #"{"avatar":"\#(picture)"}"#)
            #expect(try await office.delete("/v1/images/" + picture, key: "k").status == 204)
            try await visitor.get("/v1/images/" + picture).expectProblem("notFound", 404)
            try await Self.send(Self.pixels(0), as: person).expectProblem("forbidden", 403)
            try await Self.send(Self.pixels(0), as: office).expectProblem("forbidden", 403)
            try await person.patch("/v1/me", #"{"avatar":"\#(picture)"}"#).expectInvalid("/avatar")
            #expect(try await office.delete("/v1/images/" + picture, key: "k").status == 204)
        }
    }

    @Test("A picture that an operator took down is gone for every account that uploaded the same bytes")
    func copies() async throws {
        try await onStage { stage, visitor in
            let (person, other) = (try await visitor.signedIn("+8613800138002"), try await visitor.signedIn("+8613800138003"))
            let office = try await visitor.signedIn(Stage.operatorPhone)
            let (picture, copy) = (try await person.picture(), try await other.picture())
            #expect(try await other.patch("/v1/me", #"{"avatar":"\#(copy)"}"#).status == 200)
            #expect(try await office.delete("/v1/images/" + picture).status == 204)
            for id in [picture, copy] { try await visitor.get("/v1/images/" + id).expectProblem("notFound", 404) }
            try await Self.send(Self.pixels(0), as: other).expectProblem("forbidden", 403)
            #expect(try await stage.service.sweepImages() == 1, "the copy is removed, however young it is")
        }
    }

    @Test("Reading a picture needs no index lookup, whatever was shown or taken down before")
    func lookUps() async throws {
        try await onStage { stage, visitor in
            let (owner, person) = (try await visitor.signedIn("+8613800138001"), try await visitor.signedIn("+8613800138002"))
            let office = try await visitor.signedIn(Stage.operatorPhone)
            let (shown, own, gone) = (try await owner.picture(0), try await person.picture(0), try await person.picture(1))
            #expect(try await visitor.get("/v1/images/" + shown).headers[.cacheControl] == "private, max-age=300")
            _ = try await owner.post("/v1/shops", Self.shop(showing: shown))
            #expect(try await office.delete("/v1/images/" + gone).status == 204)
            for _ in 0..<3 {
                #expect(try await visitor.get("/v1/images/" + shown).headers[.cacheControl] == "public, max-age=86400, immutable")
                #expect(try await visitor.get("/v1/images/" + own).headers[.cacheControl] == "private, max-age=300")
                try await visitor.get("/v1/images/" + gone).expectProblem("notFound", 404)
            }
            #expect(stage.service.pictures.lookUps == 0)
        }
    }

    private static func pixels(_ number: Int) throws -> [UInt8] { Array(try #require(Data(base64Encoded: Visitor.pixels[number]))) }

    @Test("An idempotency key belongs to one picture and to no other request")
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

    @Test("Of two different pictures that are uploaded at once with one idempotency key, only one is accepted")
    func keysAtOnce() async throws {
        try await onStage { _, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            for round in 0..<4 {
                let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                    for number in 0..<2 {
                        group.addTask { try await Self.send(Self.pixels(number), as: customer, key: "k-\(round)") }
                    }
                    return try await group.reduce(into: [Reply]()) { $0.append($1) }
                }
                let refused = replies.filter { $0.status != 201 }
                #expect(refused.count == 1)
                for reply in refused { try reply.expectProblem("idempotencyKeyReused", 422) }
            }
        }
    }

    @Test("Invalid, oversized and anonymous uploads are rejected")
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

    @Test("An account may upload thirty pictures in ten minutes")
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

    @Test("A picture that nothing shows is removed after a day")
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

    @Test("A sweep that is interrupted removes nothing more, and the next one removes the rest")
    func interruptedSweep() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            let id = try await Self.send(Self.pixel, as: customer).string("id")
            stage.clock.advance(seconds: 86_401)
            await #expect(throws: (any Error).self) { try await stage.service.sweepImages { true } }
            #expect(try await visitor.get("/v1/images/" + id).status == 200)
            #expect(try await stage.service.sweepImages() == 1)
        }
    }
}
