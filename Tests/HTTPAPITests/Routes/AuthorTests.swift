import Testing

/// Public texts must not reveal an account ID. With the ID, an owner could act against the author of a bad review.
@Suite("Authors", .timeLimit(.minutes(15)))
struct AuthorTests {
    @Test("Reviews and replies name their authors by handle, nickname and picture, never by account")
    func answers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.customer.patch("/v1/me", #"{"nickname":"小绿"}"#)
            let path = "/v1/shops/\(cast.shop)/reviews"
            let review = try await cast.customer.post(path, #"{"rating":1,"text":"Bitter"}"#)
            let reply = try await cast.owner.post("/v1/reviews/\(try review.string("id"))/replies", #"{"text":"Sorry"}"#)
            let inner = try await cast.customer.post("/v1/reviews/\(try reply.string("id"))/replies", #"{"text":"Well"}"#)
            let list = try await visitor.get(path)
            for answer in [review, reply, inner, list] { #expect(!answer.text.contains("acct_"), "\(answer.text)") }

            let author = try #require(try review.json["author"])
            #expect(author.names == ["handle", "nickname", "avatar", "isShop"])
            #expect(author["nickname"] == .string("小绿") && author["avatar"] == .null && author["isShop"] == .bool(false))
            #expect(try reply.json["author"]?["isShop"] == .bool(true))
            #expect(try reply.json["author"]?["handle"] != author["handle"])
            let item = try #require(try list.json["items"]?[0])
            #expect(item["author"] == author && item["replies"]?[0]?["replies"]?[0]?["author"] == author)
        }
    }

    @Test("An author has one handle at each shop, and a different one at another shop")
    func handles() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let other = try await visitor.signedIn("+8613800138003")
            let shop = try await other.post("/v1/shops", Cast.shopBody).string("id")
            func handle(_ shop: String, _ author: Visitor) async throws -> String {
                try await author.post("/v1/shops/\(shop)/reviews", #"{"text":"x"}"#).string("author", "handle")
            }
            let first = try await handle(cast.shop, cast.customer)
            #expect(try await handle(cast.shop, cast.customer) == first)
            #expect(try await handle(shop, cast.customer) != first)
            #expect(try await handle(cast.shop, other) != first)
            #expect(first.utf8.count == 16 && !cast.customer.account.contains(first))
        }
    }

    @Test("An export contains no account ID but the exporting account's own")
    func export() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.redeem(try await cast.redemption(of: try await cast.fullCard()).code)
            _ = try await cast.owner.put("/v1/shops/\(cast.shop)/staff/\(cast.customer.account)")
            let export = try await cast.customer.get("/v1/me/export")
            #expect(export.text.contains("CardRedeemed") && export.text.contains("StaffInvited"))
            #expect(!export.text.contains(cast.owner.account))
        }
    }

    @Test("Staff reply as the shop, and a deleted author keeps the handle but loses the nickname")
    func roles() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138003")
            _ = try await cast.customer.patch("/v1/me", #"{"nickname":"小绿"}"#)
            let path = "/v1/shops/\(cast.shop)/reviews"
            let review = try await cast.customer.post(path, #"{"rating":2}"#)
            try await cast.hire(member)
            let reply = try await member.post("/v1/reviews/\(try review.string("id"))/replies", #"{"text":"Sorry"}"#)
            #expect(try reply.json["author"]?["isShop"] == .bool(true))
            #expect(try await cast.customer.delete("/v1/me").status == 204)
            let left = try #require(try await visitor.get(path).json["items"]?[0]?["author"])
            #expect(left["handle"] == (try review.json["author"]?["handle"]))
            #expect(left["nickname"] == .null)
        }
    }
}
