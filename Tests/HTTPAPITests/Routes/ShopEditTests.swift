import HTTPTypes
import Testing

@Suite("Editing a shop", .timeLimit(.minutes(15)))
struct ShopEditTests {
    /// A well-formed ID of a picture that was never uploaded.
    private static let image = "img_01h455vb4pex5vsknk084sn02q"

    @Test("An edit changes the fields that it names and the entity tag")
    func edit() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let opened = try await owner.post("/v1/shops", Cast.shopBody)
            let path = "/v1/shops/\(try opened.string("id"))"
            let seen = try #require(opened.headers[.eTag])
            #expect(try await visitor.tag(of: path) == seen)
            let edited = try await owner.edit(path, #"{"name":"Tea","location":{"latitude":1,"longitude":2}}"#, seen: seen)
            #expect(edited.status == 200, "\(edited.text)")
            #expect(try edited.string("name") == "Tea")
            #expect(try edited.int("location", "longitude") == 2)
            #expect(try edited.string("address") == opened.string("address"))
            #expect(edited.position == stage.head)
            #expect(edited.headers[.eTag] != seen)
            let page = try await visitor.get(path)
            #expect(try page.string("name") == "Tea")
            #expect(try await visitor.tag(of: path) == edited.headers[.eTag])
            // A new campaign changes the page of the shop, but not the shop's version.
            _ = try await owner.post(path + "/campaigns", Cast.campaignBody())
            #expect(try await visitor.tag(of: path) == edited.headers[.eTag])
        }
    }

    @Test("An edit without a tag gets 428, one with a stale or invalid tag 412, and a current tag or * is accepted")
    func preconditions() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)"
            let seen = try await visitor.tag(of: path)
            try await cast.owner.edit(path, #"{"name":"Tea"}"#, seen: nil).expectProblem("preconditionRequired", 428)
            try await cast.customer.edit(path, #"{"name":"Tea"}"#, seen: nil).expectProblem("forbidden", 403)
            #expect(try await cast.owner.edit(path, #"{"name":"Tea"}"#, seen: seen).status == 200)
            let head = stage.head
            for tag in [seen, "\"x\"", "W/" + seen, "\"999\"", "x"] {
                try await cast.owner.edit(path, #"{"name":"Late"}"#, seen: tag).expectProblem("versionConflict", 412)
            }
            #expect(stage.head == head)
            let now = try await visitor.tag(of: path)
            #expect(try await cast.owner.edit(path, #"{"name":"B"}"#, seen: "\(seen), \(now)").status == 200)
            #expect(try await cast.owner.edit(path, #"{"name":"C"}"#, seen: "*").status == 200)
        }
    }

    @Test("Only the owner may edit a shop")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)"
            try await cast.hire(cast.customer)
            let head = stage.head
            try await visitor.edit(path, "{}", seen: "*").expectProblem("unauthenticated", 401)
            try await cast.customer.edit(path, #"{"name":"Mine"}"#, seen: "*").expectProblem("roleRequired", 403)
            try await cast.owner.edit("/v1/shops/shop_01h455vb4pex5vsknk084sn02q", "{}", seen: "*").expectProblem("notFound", 404)
            try await cast.owner.edit("/v1/shops/\(cast.campaign)", "{}", seen: "*").expectProblem("notFound", 404)
            #expect(stage.head == head)
        }
    }

    @Test(
        "Each invalid field is named",
        arguments: [
            ("name", "null"), ("name", "\"\""), ("name", "1"), ("phone", "\"x\""), ("phone", "null"), ("address", "\"\\n\""),
            ("location", "null"), ("location", "{\"latitude\":91,\"longitude\":0}"), ("location/latitude", "LATITUDE"),
            ("images", "null"), ("images", "[1]"), ("images", "[\"img_1\"]"), ("images", "[\"\(image)\",\"\(image)\"]"),
            ("images", "[\"shop_01h455vb4pex5vsknk084sn02q\"]"),
        ])
    func fields(_ field: String, _ value: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let body = value == "LATITUDE" ? #"{"location":{"latitude":"1","longitude":0}}"# : "{\"\(field)\":\(value)}"
            try await cast.owner.edit("/v1/shops/\(cast.shop)", body, seen: "*").expectInvalid("/" + field)
            #expect(stage.head == head)
        }
    }

    @Test("Images keep their order, at the opening and in later edits")
    func images() async throws {
        try await onStage { _, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let (image, other) = (try await owner.picture(0), try await owner.picture(1))
            let body = Cast.shopBody.dropLast() + #","images":["\#(other)","\#(image)"]}"#
            let opened = try await owner.post("/v1/shops", String(body))
            #expect(try opened.json["images"]?.items?.compactMap(\.string) == [other, image])
            let path = "/v1/shops/\(try opened.string("id"))"
            let edited = try await owner.edit(path, #"{"images":["\#(image)"]}"#, seen: "*")
            #expect(try edited.json["images"]?.items?.compactMap(\.string) == [image])
            #expect(try await owner.edit(path, #"{"images":[]}"#, seen: "*").json["images"]?.items?.isEmpty == true)
        }
    }

    @Test("An edit that changes nothing adds no event, and a retried edit gets its first answer")
    func again() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)"
            let seen = try await visitor.tag(of: path)
            let first = try await cast.owner.edit(path, #"{"name":"Tea"}"#, seen: seen, key: "one")
            let head = stage.head
            let again = try await cast.owner.edit(path, #"{"name":"Tea"}"#, seen: seen, key: "one")
            #expect(again.status == 200 && again.body == first.body && again.headers[.eTag] == first.headers[.eTag])
            try await cast.owner.edit(path, #"{"name":"Other"}"#, seen: "*", key: "one").expectProblem("idempotencyKeyReused", 422)
            let same = try await cast.owner.edit(path, #"{"name":"Tea"}"#, seen: "*")
            #expect(same.status == 200 && same.headers[.eTag] == first.headers[.eTag])
            #expect(try await cast.owner.edit(path, "{}", seen: "*").status == 200)
            #expect(stage.head == head)
        }
    }

    @Test("Of 32 concurrent edits with the same tag exactly one succeeds")
    func race() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)"
            let (seen, head) = (try await visitor.tag(of: path), stage.head)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<32 {
                    group.addTask { try await cast.owner.edit(path, #"{"name":"Tea \#(number)"}"#, seen: seen).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 412 } == 31)
            #expect(stage.head == head + 1)
        }
    }

    @Test("Too many pictures are refused as too many, before any of them is looked up")
    func tooManyPictures() async throws {
        try await onStage { _, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let images = "[" + Array(repeating: "\"\(Self.image)\"", count: 10).joined(separator: ",") + "]"
            let opened = try await owner.post("/v1/shops", Cast.shopBody.dropLast() + #","images":\#(images)}"#)
            let shop = try await owner.post("/v1/shops", Cast.shopBody).string("id")
            let edited = try await owner.edit("/v1/shops/\(shop)", #"{"images":\#(images)}"#, seen: "*")
            for reply in [opened, edited] {
                try reply.expectInvalid("/images")
                #expect(try reply.json["errors"]?[0]?["detail"]?.string == "must be at most 9")
            }
        }
    }
}
