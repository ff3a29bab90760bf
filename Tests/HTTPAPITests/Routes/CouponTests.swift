import Foundation
import HTTPTypes
import Loyalty
import Testing

@Suite("Coupons", .timeLimit(.minutes(15)))
struct CouponTests {
    private func publish(_ cast: Cast, _ more: String = "") async throws -> String {
        let reply = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.couponBody(more))
        #expect(reply.status == 201, "\(reply.text)")
        return try reply.string("id")
    }

    private func claim(_ campaign: String, as visitor: Visitor, key: String? = nil) async throws -> Reply {
        let headers: HTTPFields = key.map { [.idempotencyKey: $0] } ?? [:]
        return try await visitor.post("/v1/campaigns/\(campaign)/coupon", headers: headers)
    }

    @Test("A coupon campaign has a reward and no goal, and is found by its kind")
    func campaign() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(cast, #","goal":7,"stampsPerDayMax":2"#)
            let seen = try await visitor.get("/v1/campaigns/\(id)")
            #expect(try seen.string("kind") == "coupon")
            #expect(try seen.string("reward") == "One small tea")
            #expect(try seen.json["goal"]?.int == nil)
            #expect(try seen.json["stampsPerDayMax"]?.int == nil)
            let found = try await visitor.get("/v1/campaigns?kind=coupon").json["items"]?.items ?? []
            #expect(found.map { $0["id"]?.string } == [id])
            let others = try await visitor.get("/v1/campaigns?kind=stampCard").json["items"]?.items ?? []
            #expect(!others.contains { $0["id"]?.string == id })
            try await visitor.get("/v1/campaigns?kind=voucher").expectInvalid("/kind")
        }
    }

    @Test(
        "A coupon without a reward, or with terms of collecting, is refused",
        arguments: [("", "/reward"), (#","repeats":1"#, "/repeats"), (#","welcomeStamps":1"#, "/welcomeStamps")])
    func refused(_ more: String, _ pointer: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let body = pointer == "/reward" ? Cast.couponBody().replacing(#""reward":"One small tea","#, with: "") : Cast.couponBody(more)
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body).expectInvalid(pointer)
            #expect(stage.head == head)
        }
    }

    @Test("A claim gives a full card, once, and a retry gets the first answer")
    func claims() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(cast)
            let head = stage.head
            let first = try await claim(id, as: cast.customer, key: "claim")
            #expect(first.status == 201, "\(first.text)")
            #expect(stage.head == head + 1)
            let card = try first.string("card", "id")
            #expect(first.headers[.location] == "/v1/cards/" + card)
            #expect(try first.string("card", "status") == "full")
            #expect(try first.int("card", "goal") == 0)
            #expect(try first.int("card", "stamps") == 0)
            #expect(try first.string("card", "reward") == "One small tea")
            #expect(try first.int("position") == Int(stage.head))
            #expect(try await claim(id, as: cast.customer, key: "claim").body == first.body)
            try await claim(id, as: cast.customer, key: "other").expectProblem("couponClaimed", 409)
            try await claim(id, as: cast.customer).expectProblem("couponClaimed", 409)
            #expect(stage.head == head + 1)
            // An idempotency key is bound to its campaign, so reusing the key for another campaign is an error.
            try await claim(try await publish(cast), as: cast.customer, key: "claim").expectProblem("idempotencyKeyReused", 422)
            let mine = try await cast.customer.get("/v1/me/cards").json["items"]?.items ?? []
            #expect(mine.contains { $0["id"]?.string == card && $0["status"]?.string == "full" })
        }
    }

    @Test("A coupon is redeemed, taken back, thrown away, and never claimed again")
    func life() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(cast)
            let card = try await claim(id, as: cast.customer).string("card", "id")
            let asked = try await cast.redemption(of: card)
            let redeemed = try await cast.redeem(asked.code)
            #expect(redeemed.status == 201, "\(redeemed.text)")
            #expect(try redeemed.string("reward") == "One small tea")
            try await claim(id, as: cast.customer).expectProblem("couponClaimed", 409)
            let reversal = try await cast.owner.post("/v1/redemptions/\(asked.id)/reversal", #"{"reason":"Wrong card"}"#)
            #expect(reversal.status == 200 || reversal.status == 201, "\(reversal.text)")
            #expect(try await cast.customer.get("/v1/cards/\(card)").string("status") == "full")
            #expect(try await cast.customer.delete("/v1/cards/\(card)").status == 204)
            try await claim(id, as: cast.customer).expectProblem("couponClaimed", 409)
            // Another account may claim a coupon of the same campaign.
            #expect(try await claim(id, as: try await visitor.signedIn("+8613700000077")).status == 201)
        }
    }

    @Test("Nobody claims at their own shop, before or after the campaign, or something that is no coupon")
    func refusals() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(cast)
            try await claim(id, as: cast.owner).expectProblem("ownCampaign", 403)
            try await claim(id, as: visitor).expectProblem("unauthenticated", 401)
            try await claim(cast.campaign, as: cast.customer).expectProblem("notFound", 404)
            try await claim("camp_00000000000000000000000000", as: cast.customer).expectProblem("notFound", 404)
            try await claim(cast.shop, as: cast.customer).expectProblem("notFound", 404)
            let later = Cast.couponBody().replacing("2026-11-01", with: "2027-06-01")
            let early = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", later).string("id")
            try await claim(early, as: cast.customer).expectProblem("campaignNotRunning", 409)
            #expect(try await cast.owner.post("/v1/campaigns/\(id)/end").status == 200)
            let head = stage.head
            try await claim(id, as: cast.customer).expectProblem("campaignNotRunning", 409)
            #expect(stage.head == head)
        }
    }

    @Test("A coupon takes no stamps, by code or at the counter")
    func nothingIsCollected() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(cast)
            try await cast.owner.post("/v1/campaigns/\(id)/codes", "{}").expectProblem("campaignNotRunning", 409)
            let given = try await cast.owner.post(
                "/v1/campaigns/\(id)/stamps", #"{"phone":"+8613700000078"}"#, headers: [.idempotencyKey: "give"])
            try given.expectProblem("campaignNotRunning", 409)
        }
    }

    @Test("Of 64 claims of one account at once, exactly one gets the coupon")
    func race() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(cast)
            let head = stage.head
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<64 { group.addTask { try await claim(id, as: cast.customer) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 201 } == 1)
            #expect(replies.count { $0.status == 409 } == 63)
            #expect(stage.head == head + 1)
        }
    }
}
