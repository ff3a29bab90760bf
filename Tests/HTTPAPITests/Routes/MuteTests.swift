import Testing

@Suite("Mutes", .timeLimit(.minutes(15)))
struct MuteTests {
    private static func titles(_ visitor: Visitor) async throws -> (titles: [String], unread: Int) {
        let reply = try await visitor.get("/v1/me/notices")
        return (try #require(try reply.json["items"]?.items).compactMap { $0["title"]?.string }, try reply.int("unread"))
    }

    @Test("Notices of a muted shop are neither shown nor counted, even after the mute ends")
    func story() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            func post(_ title: String) async throws -> String {
                let body = #"{"title":"\#(title)","text":"x","audience":"shop"}"#
                return try await cast.owner.post("/v1/notices", body).string("id")
            }
            let path = "/v1/me/mutes/\(cast.shop)"
            _ = try await post("before")
            let head = stage.head
            for _ in 0..<2 { #expect(try await cast.customer.put(path, key: "k").status == 204) }
            #expect(try await cast.customer.put(path).status == 204)
            #expect(stage.head == head + 1)
            let missed = try await post("meanwhile")
            #expect(try await Self.titles(cast.customer) == (["before"], 1))
            try await cast.customer.put("/v1/me/notices/\(missed)/read").expectProblem("notFound", 404)
            for _ in 0..<2 { #expect(try await cast.customer.delete(path).status == 204) }
            _ = try await post("after")
            #expect(try await Self.titles(cast.customer) == (["after", "before"], 2))
            let export = try await cast.customer.get("/v1/me/export")
            #expect(!export.text.contains("meanwhile"))
        }
    }

    @Test("Muted shops are listed with their names for their account alone, and unmuted shops are not listed")
    func list() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            try await visitor.get("/v1/me/mutes").expectProblem("unauthenticated", 401)
            _ = try await cast.customer.put("/v1/me/mutes/\(cast.shop)")
            let reply = try await cast.customer.get("/v1/me/mutes")
            let items = try #require(try reply.json["items"]?.items)
            #expect(items.count == 1 && items[0]["id"] == .string(cast.shop) && reply.position == stage.head)
            let name = try await visitor.get("/v1/shops/\(cast.shop)").json["name"]
            #expect(name != nil && items[0]["name"] == name)
            #expect(try await cast.owner.get("/v1/me/mutes").json["items"]?.items?.isEmpty == true)
            _ = try await cast.customer.delete("/v1/me/mutes/\(cast.shop)")
            #expect(try await cast.customer.get("/v1/me/mutes").json["items"]?.items?.isEmpty == true)
        }
    }

    @Test("Muted shops come in pages of the requested size, the newest shop first, and each appears once")
    func pages() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let customer = cast.customer
            var shops = [cast.shop]
            for _ in 0..<2 {
                stage.clock.advance(seconds: 1)
                shops.append(try await cast.owner.post("/v1/shops", Cast.shopBody).string("id"))
            }
            for shop in shops { #expect(try await customer.put("/v1/me/mutes/\(shop)").status == 204) }
            var (found, cursor): ([[String?]], String?) = ([], nil)
            repeat {
                let reply = try await customer.get("/v1/me/mutes?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
                found.append(try #require(try reply.json["items"]?.items).map { $0["id"]?.string })
                cursor = try reply.json["next"]?.string
            } while cursor != nil && found.count < 5
            #expect(found == [[shops[2], shops[1]], [shops[0]]])
            let whole = try await customer.get("/v1/me/mutes")
            #expect(try whole.json["items"]?.items?.count == 3 && whole.json["next"] == .null)
            let next = try await customer.get("/v1/me/mutes?limit=1").string("next")
            try await cast.owner.get("/v1/me/mutes?cursor=\(next)").expectInvalid("/cursor")
            for limit in ["0", "101", "x"] { try await customer.get("/v1/me/mutes?limit=\(limit)").expectInvalid("/limit") }
        }
    }

    @Test("Muting needs an existing shop, and changes are limited")
    func refusals() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            try await visitor.put("/v1/me/mutes/\(cast.shop)").expectProblem("unauthenticated", 401)
            for shop in ["shop_01h455vb4pex5vsknk084sn02q", cast.campaign, "x"] {
                try await cast.customer.put("/v1/me/mutes/\(shop)").expectProblem("notFound", 404)
            }
            for turn in 0..<60 {
                let path = "/v1/me/mutes/\(cast.shop)"
                let reply = turn % 2 == 0 ? try await cast.customer.put(path) : try await cast.customer.delete(path)
                #expect(reply.status == 204)
            }
            try await cast.customer.put("/v1/me/mutes/\(cast.shop)").expectProblem("rateLimited", 429)
        }
    }
}
