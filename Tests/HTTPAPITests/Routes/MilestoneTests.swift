import HTTPTypes
import Testing

@Suite("Milestones over HTTP", .timeLimit(.minutes(15)))
struct MilestoneRouteTests {
    private static let milestones = #"[{"at":2,"reward":"A cookie"},{"at":4,"reward":"A small tea"}]"#
    private static let reason = #"{"reason":"Wrong card"}"#

    private static func body(_ milestones: String, goal: Int = 5) -> String {
        Cast.campaignBody(goal: goal).dropLast() + #","milestones":\#(milestones)}"#
    }

    /// A campaign with milestones, and a card of the customer with a given number of stamps.
    private struct Begun: Sendable {
        let cast: Cast
        let campaign: String
        let card: String

        init(_ visitor: Visitor, stamps: Int) async throws {
            cast = try await Cast(visitor)
            let body = MilestoneRouteTests.body(MilestoneRouteTests.milestones)
            let published = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body)
            #expect(published.status == 201, "\(published.text)")
            campaign = try published.string("id")
            card = try await Self.stamp(cast, campaign, stamps).string("card", "id")
        }

        static func stamp(_ cast: Cast, _ campaign: String, _ stamps: Int) async throws -> Reply {
            let code = try await cast.owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps)}"#).string("code")
            return try await cast.stamp(code)
        }

        func stamp(_ stamps: Int) async throws -> Reply { try await Self.stamp(cast, campaign, stamps) }

        func request(_ milestone: Int, key: String? = nil) async throws -> Reply {
            try await cast.customer.post("/v1/cards/\(card)/redemption", #"{"milestone":\#(milestone)}"#, key: key)
        }

        func states() async throws -> [String] {
            try await cast.customer.get("/v1/cards/\(card)").json["milestones"]?.items?.compactMap { $0["status"]?.string } ?? []
        }

        /// Requests a milestone and hands out its reward.
        func redeem(_ milestone: Int) async throws -> Reply {
            let code = try await request(milestone)
            #expect(code.status == 201, "\(code.text)")
            return try await cast.redeem(try code.string("code"))
        }
    }

    @Test("A campaign shows its milestones, and an edit changes or removes them")
    func fields() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let said = try JSONValue(Array(Self.milestones.utf8))
            let body = Self.body(Self.milestones)
            let published = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body, key: "k")
            #expect(published.status == 201, "\(published.text)")
            #expect(try published.json["milestones"] == said)
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body, key: "k").body == published.body)
            let other = Self.body(Self.milestones.replacing("cookie", with: "biscuit"))
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", other, key: "k").expectProblem("idempotencyKeyReused", 422)
            let path = "/v1/campaigns/\(try published.string("id"))"
            #expect(try await visitor.get(path).json["milestones"] == said)
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").json["milestones"] == nil)
            let renamed = try await cast.owner.edit(path, #"{"title":"On the way"}"#, seen: "*")
            #expect(try renamed.json["milestones"] == said)
            let head = stage.head
            #expect(try await cast.owner.edit(path, #"{"milestones":\#(Self.milestones)}"#, seen: "*").status == 200)
            #expect(stage.head == head, "an edit without a change adds no event")
            let one = #"[{"at":1,"reward":"A sticker"}]"#
            #expect(try await cast.owner.edit(path, #"{"milestones":\#(one)}"#, seen: "*").json["milestones"] == JSONValue(Array(one.utf8)))
            #expect(try await cast.owner.edit(path, #"{"milestones":null}"#, seen: "*").json["milestones"] == nil)
            #expect(try await cast.owner.edit(path, #"{"milestones":[]}"#, seen: "*").json["milestones"] == nil)
        }
    }

    private static let eleven: String = "[" + Array(repeating: "{}", count: 11).joined(separator: ",") + "]"

    private static let faults: [(String, String)] = [
        ("8", "/milestones"), ("{}", "/milestones"), ("[1]", "/milestones/0"), ("[null]", "/milestones/0"), (eleven, "/milestones"),
        (#"[{"reward":"A cookie"}]"#, "/milestones/0/at"), (#"[{"at":2}]"#, "/milestones/0/reward"),
        (#"[{"at":"2","reward":"A cookie"}]"#, "/milestones/0/at"), (#"[{"at":1.5,"reward":"A cookie"}]"#, "/milestones/0/at"),
        (#"[{"at":2,"reward":7}]"#, "/milestones/0/reward"), (#"[{"at":2,"reward":""}]"#, "/milestones/0/reward"),
        (#"[{"at":2,"reward":"\u0000"}]"#, "/milestones/0/reward"), (#"[{"at":0,"reward":"A cookie"}]"#, "/milestones/0/at"),
        (#"[{"at":-2,"reward":"A cookie"}]"#, "/milestones/0/at"), (#"[{"at":3,"reward":"A cookie"}]"#, "/milestones/0/at"),
        (#"[{"at":99999999999,"reward":"A cookie"}]"#, "/milestones/0/at"),
        (#"[{"at":1,"reward":"A cookie"},{"at":1,"reward":"A tea"}]"#, "/milestones/1/at"),
        (#"[{"at":2,"reward":"A cookie"},{"at":1,"reward":"A tea"}]"#, "/milestones/1/at"),
    ]

    @Test("Invalid milestones are refused, and the answer names the place of each invalid entry", arguments: faults)
    func refused(_ milestones: String, _ pointer: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Self.body(milestones, goal: 3)).expectInvalid(pointer)
            try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"milestones":\#(milestones)}"#, seen: "*").expectInvalid(pointer)
            #expect(stage.head == head)
        }
    }

    @Test("A promotion and a coupon have no milestones")
    func otherKinds() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let promotion = Self.body(Self.milestones).replacing("stampCard", with: "promotion")
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", promotion).expectInvalid("/milestones")
            let coupon = Cast.couponBody(#","milestones":\#(Self.milestones)"#)
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", coupon).expectInvalid("/milestones")
        }
    }

    @Test("A milestone is reached, requested and redeemed once; the card goes on to its own reward")
    func way() async throws {
        try await onStage { stage, visitor in
            let begun = try await Begun(visitor, stamps: 1)
            #expect(try await begun.states() == ["ahead", "ahead"])
            try await begun.request(2).expectProblem("milestoneNotOpen", 409)
            _ = try await begun.stamp(1)
            #expect(try await begun.states() == ["reached", "ahead"])
            let code = try await begun.request(2, key: "ask")
            #expect(code.status == 201, "\(code.text)")
            #expect(try await begun.request(2, key: "ask").body == code.body)
            try await begun.request(4, key: "ask").expectProblem("idempotencyKeyReused", 422)
            #expect(try await begun.states() == ["requested", "ahead"])
            let typed = try code.string("code")
            let preview = try await begun.cast.owner.post("/v1/redemptions/preview", #"{"code":"\#(typed)"}"#)
            #expect(try preview.string("reward") == "A cookie")
            #expect(try preview.int("redemption", "milestone") == 2)
            let redeemed = try await begun.cast.redeem(typed, key: "hand")
            #expect(redeemed.status == 201, "\(redeemed.text)")
            #expect(try redeemed.string("reward") == "A cookie")
            #expect(try redeemed.string("card", "status") == "collecting")
            #expect(try redeemed.int("card", "stamps") == 2)
            let head = stage.head
            #expect(try await begun.cast.redeem(typed, key: "hand").body == redeemed.body)
            try await begun.cast.redeem(typed).expectProblem("redemptionNotValid", 422)
            try await begun.request(2).expectProblem("milestoneNotOpen", 409)
            #expect(stage.head == head)
            #expect(try await begun.states() == ["redeemed", "ahead"])
            _ = try await begun.stamp(3)
            #expect(try await begun.redeem(4).string("reward") == "A small tea")
            let full = try await begun.cast.redemption(of: begun.card)
            #expect(try await begun.cast.redeem(full.code).string("card", "status") == "redeemed")
            let history = try await begun.cast.customer.get("/v1/cards/\(begun.card)").json["history"]?.items
            let kinds = history?.compactMap { $0["kind"]?.string }
            #expect(
                kinds == [
                    "opened", "stamped", "stamped", "milestoneRequested", "milestoneRedeemed", "stamped", "milestoneRequested",
                    "milestoneRedeemed", "redemptionRequested", "redeemed",
                ])
        }
    }

    @Test("A request for something that is no milestone of the card is refused")
    func noMilestone() async throws {
        try await onStage { stage, visitor in
            let begun = try await Begun(visitor, stamps: 5)
            let head = stage.head
            for milestone in [-1, 0, 1, 3, 5, 50] { try await begun.request(milestone).expectInvalid("/milestone") }
            for text in [#""2""#, "2.5", "[2]", "{}"] {
                try await begun.cast.customer.post("/v1/cards/\(begun.card)/redemption", #"{"milestone":\#(text)}"#)
                    .expectInvalid("/milestone")
            }
            let path = "/v1/cards/\(begun.card)/redemption"
            try await begun.cast.owner.post(path, #"{"milestone":2}"#).expectProblem("notFound", 404)
            try await visitor.post(path, #"{"milestone":2}"#).expectProblem("unauthenticated", 401)
            #expect(stage.head == head)
            #expect(try await begun.cast.customer.post(path, #"{"milestone":null}"#).status == 201, "null requests the full card's reward")
        }
    }

    @Test("A code of a milestone works for five minutes, at its own shop alone")
    func elsewhere() async throws {
        try await onStage { stage, visitor in
            let begun = try await Begun(visitor, stamps: 2)
            let other = try await visitor.signedIn("+8613800138003", name: "other")
            _ = try await other.post("/v1/shops", Cast.shopBody)
            let code = try await begun.request(2).string("code")
            try await other.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "other").expectProblem("redemptionNotValid", 422)
            stage.clock.advance(seconds: 300)
            try await begun.cast.redeem(code).expectProblem("redemptionNotValid", 422)
            #expect(try await begun.states() == ["reached", "ahead"])
            #expect(try await begun.redeem(2).status == 201)
        }
    }

    @Test("A reward of a milestone is taken back within a day, and can then be redeemed again")
    func reversal() async throws {
        try await onStage { stage, visitor in
            let begun = try await Begun(visitor, stamps: 2)
            let redemption = try await begun.redeem(2).string("redemption", "id")
            let path = "/v1/redemptions/\(redemption)/reversal"
            try await begun.cast.customer.post(path, Self.reason).expectProblem("forbidden", 403)
            let reversed = try await begun.cast.owner.post(path, Self.reason, key: "back")
            #expect(reversed.status == 200, "\(reversed.text)")
            #expect(try reversed.string("redemption", "status") == "reversed")
            #expect(try await begun.states() == ["reached", "ahead"])
            #expect(try await begun.cast.owner.post(path, Self.reason, key: "back").body == reversed.body)
            try await begun.cast.owner.post(path, Self.reason).expectProblem("notReversible", 409)
            let again = try await begun.redeem(2).string("redemption", "id")
            stage.clock.advance(seconds: 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            try await owner.post("/v1/redemptions/\(again)/reversal", Self.reason).expectProblem("notReversible", 409)
        }
    }

    @Test("Stamps for which a milestone was redeemed cannot be taken back")
    func refund() async throws {
        try await onStage { stage, visitor in
            let begun = try await Begun(visitor, stamps: 1)
            let second = try await begun.stamp(1).int("position")
            let redemption = try await begun.redeem(2).string("redemption", "id")
            let third = try await begun.stamp(1).int("position")
            let refund = #"{"reason":"Refunded"}"#
            #expect(try await begun.cast.owner.post("/v1/stamps/\(third)/reversal", refund).status == 200)
            let head = stage.head
            try await begun.cast.owner.post("/v1/stamps/\(second)/reversal", refund).expectProblem("notReversible", 409)
            #expect(stage.head == head)
            #expect(try await begun.cast.owner.post("/v1/redemptions/\(redemption)/reversal", Self.reason).status == 200)
            #expect(try await begun.cast.owner.post("/v1/stamps/\(second)/reversal", refund).status == 200)
            #expect(try await begun.states() == ["ahead", "ahead"])
        }
    }

    @Test("Of 64 concurrent hand-outs of one milestone, exactly one succeeds")
    func race() async throws {
        try await onStage { stage, visitor in
            let begun = try await Begun(visitor, stamps: 2)
            let code = try await begun.request(2).string("code")
            let head = stage.head
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<64 { group.addTask { try await begun.cast.redeem(code) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 201 } == 1)
            #expect(replies.count { $0.status == 422 } == 63)
            #expect(stage.head == head + 1)
        }
    }

    @Test("The shop's list, the shop's numbers and the card's list show milestones separately")
    func lists() async throws {
        try await onStage { _, visitor in
            let begun = try await Begun(visitor, stamps: 5)
            _ = try await begun.redeem(2)
            let wrong = try await begun.redeem(4).string("redemption", "id")
            _ = try await begun.cast.owner.post("/v1/redemptions/\(wrong)/reversal", Self.reason)
            let full = try await begun.cast.redemption(of: begun.card)
            _ = try await begun.cast.redeem(full.code)
            let listed = try await begun.cast.owner.get("/v1/shops/\(begun.cast.shop)/redemptions").json["items"]?.items ?? []
            #expect(listed.map { $0["milestone"]?.int } == [nil, 4, 2])
            #expect(listed.compactMap { $0["status"]?.string } == ["redeemed", "reversed", "redeemed"])
            let totals = try await begun.cast.owner.get("/v1/shops/\(begun.cast.shop)/statistics").json["totals"]
            #expect(totals?["redemptions"]?.int == 1)
            #expect(totals?["reversals"]?.int == 0)
            #expect(totals?["milestones"]?.int == 2)
            #expect(totals?["milestoneReversals"]?.int == 1)
            let mine = try await begun.cast.customer.get("/v1/me/cards?status=redeemed").json["items"]?[0]?["milestones"]?.items ?? []
            #expect(mine.compactMap { $0["status"]?.string } == ["redeemed", "reached"])
        }
    }
}
