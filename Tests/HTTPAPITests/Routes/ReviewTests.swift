import CommandService
import Composition
import EventLog
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@Suite("Reviews", .timeLimit(.minutes(15)))
struct ReviewTests {
    @Test("A shop's rating has the latest rating of each account, and replies nest")
    func story() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/reviews"
            let stranger = try await visitor.signedIn("+8613800138003")
            _ = try await cast.stamp(try await cast.issue().code)
            _ = try await cast.customer.post(path, #"{"rating":1}"#)
            let better = try await cast.customer.post(path, #"{"rating":5,"text":"很好喝\n下次再来"}"#)
            #expect(better.status == 201)
            #expect(try better.json.names == ["id", "shop", "author", "rating", "text", "verified", "removed", "createdAt", "replies"])
            #expect(try better.json["verified"] == .bool(true))
            let plain = try await stranger.post(path, #"{"rating":4}"#)
            #expect(try plain.json["verified"] == .bool(false))
            #expect(try plain.json["text"] == .null)

            let review = try better.string("id")
            let reply = try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"Thank you"}"#)
            #expect(reply.status == 201)
            #expect(try reply.json["rating"] == .null)
            let inner = try await cast.customer.post("/v1/reviews/\(try reply.string("id"))/replies", #"{"text":"See you"}"#)
            #expect(inner.status == 201)

            let shop = try await visitor.get("/v1/shops/\(cast.shop)")
            #expect(try shop.json["rating"] == JSONValue(Array(#"{"average":4.5,"count":2,"histogram":[0,0,0,1,1]}"#.utf8)))
            let campaign = try await visitor.get("/v1/campaigns/\(cast.campaign)")
            #expect(try campaign.json["rating"] == .number(4.5))
            #expect(try campaign.int("reviewCount") == 2)

            let list = try await visitor.get(path)
            let items = try #require(try list.json["items"]?.items)
            #expect(try items.map { $0["id"] } == [plain.json["id"], better.json["id"], items[2]["id"]])
            #expect(items[1]["text"] == .string("很好喝\n下次再来"))
            #expect(items[1]["replies"]?[0]?["text"] == .string("Thank you"))
            #expect(items[1]["replies"]?[0]?["replies"]?[0]?["text"] == .string("See you"))
        }
    }

    @Test("A list says which of its reviews and replies are the reader's own, and nothing about anybody else's")
    func mine() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/reviews"
            let stranger = try await visitor.signedIn("+8613800138003")
            let review = try await cast.customer.post(path, #"{"rating":5}"#).string("id")
            _ = try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"Thank you"}"#)
            _ = try await stranger.post(path, #"{"rating":4}"#)

            let own = try #require(try await cast.customer.get(path).json["items"]?.items)
            #expect(own[1]["isMine"] == .bool(true))
            #expect(own[0]["isMine"] == nil && own[1]["replies"]?[0]?["isMine"] == nil)
            let owners = try #require(try await cast.owner.get(path).json["items"]?.items)
            #expect(owners[1]["isMine"] == nil && owners[1]["replies"]?[0]?["isMine"] == .bool(true))
            #expect(!(try await visitor.get(path)).text.contains("isMine"))
        }
    }

    @Test("Owners cannot review their own shop, and a review needs a rating or a text and an existing shop")
    func refused() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/reviews"
            let head = stage.head
            try await cast.owner.post(path, #"{"rating":5}"#).expectProblem("ownShop", 403)
            try await cast.customer.post(path, "{}").expectInvalid("/text")
            try await cast.customer.post(path, #"{"rating":6}"#).expectInvalid("/rating")
            try await cast.customer.post("/v1/shops/shop_00000000000000000000000000/reviews", #"{"rating":5}"#)
                .expectProblem("notFound", 404)
            try await cast.customer.post("/v1/reviews/rev_00000000000000000000000000/replies", #"{"text":"hello"}"#)
                .expectProblem("notFound", 404)
            try await visitor.get("/v1/shops/shop_00000000000000000000000000/reviews").expectProblem("notFound", 404)
            #expect(stage.head == head)
        }
    }

    @Test("Replies nest up to eight levels")
    func depth() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            var parent = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":3}"#).string("id")
            for _ in 0..<8 {
                let reply = try await cast.owner.post("/v1/reviews/\(parent)/replies", #"{"text":"deeper"}"#)
                #expect(reply.status == 201)
                parent = try reply.string("id")
            }
            let refused = try await cast.owner.post("/v1/reviews/\(parent)/replies", #"{"text":"deeper"}"#)
            try refused.expectInvalid("")
            #expect(refused.text.contains("replies are at most 8 deep"), "\(refused.text)")
        }
    }

    @Test("An account may reply two hundred times in ten minutes, and accepted replies can still be replayed")
    func manyReplies() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let review = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":3}"#).string("id")
            let path = "/v1/reviews/\(review)/replies"
            let first = try await cast.customer.post(path, #"{"text":"first"}"#, key: "k")
            for _ in 1..<200 { #expect(try await cast.customer.post(path, #"{"text":"again"}"#).status == 201) }
            try await cast.customer.post(path, #"{"text":"again"}"#).expectProblem("rateLimited", 429)
            let again = try await cast.customer.post(path, #"{"text":"first"}"#, key: "k")
            #expect(again.status == 201 && again.body == first.body)
            stage.clock.advance(seconds: 600)
            #expect(try await cast.customer.post(path, #"{"text":"again"}"#).status == 201)
        }
    }

    @Test("When its author removes a review, the author's previous rating returns and replies stay")
    func removed() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/reviews"
            _ = try await cast.customer.post(path, #"{"rating":2}"#)
            let review = try await cast.customer.post(path, #"{"rating":5,"text":"a mistake"}"#).string("id")
            let reply = try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"Thank you"}"#).string("id")
            try await cast.owner.delete("/v1/reviews/\(review)").expectProblem("forbidden", 403)
            try await visitor.delete("/v1/reviews/\(review)").expectProblem("unauthenticated", 401)

            let gone = try await cast.customer.delete("/v1/reviews/\(review)", key: "gone")
            #expect(gone.status == 204)
            #expect(try await cast.customer.delete("/v1/reviews/\(review)", key: "gone").position == gone.position)
            #expect(try await cast.customer.delete("/v1/reviews/\(review)").status == 204)
            try await cast.customer.delete("/v1/reviews/rev_00000000000000000000000000").expectProblem("notFound", 404)
            try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"?"}"#).expectProblem("notFound", 404)

            let shop = try await visitor.get("/v1/shops/\(cast.shop)")
            #expect(try shop.json["rating"] == JSONValue(Array(#"{"average":2,"count":1,"histogram":[0,1,0,0,0]}"#.utf8)))
            let first = try #require(try await visitor.get(path).json["items"]?[0])
            #expect(first["id"] == .string(review) && first["removed"] == .bool(true))
            #expect(first["text"] == .null && first["rating"] == .null)
            #expect(first["replies"]?[0]?["text"] == .string("Thank you"))
            #expect(try await cast.owner.delete("/v1/reviews/\(reply)").status == 204)
            #expect(try await visitor.get(path).json["items"]?.items?.count == 1)
        }
    }

    @Test("An operator can remove any review")
    func removedByOperator() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/reviews"
            let review = try await cast.customer.post(path, #"{"rating":1,"text":"rude words"}"#).string("id")
            let office = try await visitor.signedIn(Stage.operatorPhone)
            #expect(try await office.delete("/v1/reviews/\(review)").status == 204)
            #expect(try await visitor.get(path).json["items"]?.items == [])
            #expect(try await visitor.get("/v1/shops/\(cast.shop)").json["rating"]?["count"] == .number(0))
        }
    }

    @Test("A page ends at its limit of replies, and paging shows every review exactly once")
    func pageOfLongThreads() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/reviews"
            var reviews: [String] = []
            for number in 1...6 {
                let review = try await cast.customer.post(path, #"{"text":"number \#(number)"}"#).string("id")
                reviews.append(review)
                if number != 3 { try await reply(600, to: review, by: cast.owner, on: stage) }
            }
            var (shown, pages, next): ([String], [Int], String?) = ([], [], nil)
            repeat {
                let page = try await visitor.get(path + "?limit=100" + (next.map { "&cursor=" + $0 } ?? ""))
                let items = try #require(try page.json["items"]?.items)
                pages.append(items.count)
                for item in items {
                    shown.append(try #require(item["id"]?.string))
                    #expect(item["replies"]?.items?.count == (shown.last == reviews[2] ? 0 : 600))
                }
                next = try page.json["next"]?.string
            } while next != nil
            #expect(shown == reviews.reversed())
            #expect(pages == [2, 3, 1])
        }
    }

    private func reply(_ count: Int, to review: String, by visitor: Visitor, on stage: Stage) async throws {
        let (parent, author) = (try #require(ReviewID(text: review)), try #require(AccountID(text: visitor.account)))
        let service = stage.service
        let last = try await withThrowingTaskGroup(of: Position.self) { group in
            for number in 0..<count {
                group.addTask { try await service.postReply(to: parent, text: "\(number)", by: Caller(account: author)).position }
            }
            return try await group.reduce(Position.start) { max($0, $1) }
        }
        visitor.newest.see(last.rawValue)
    }
}
