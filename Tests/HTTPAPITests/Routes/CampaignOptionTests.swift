import Foundation
import HTTPTypes
import Loyalty
import Testing

@Suite("Terms that a shop may set", .timeLimit(.minutes(15)))
struct CampaignOptionTests {
    private static func body(_ options: String, goal: Int = 3) -> String {
        Cast.campaignBody(goal: goal).dropLast() + "," + options + "}"
    }

    private static let until = "2027-11-30T00:00:00.000Z"

    /// Publishes a campaign with options at the cast's shop.
    private func publish(_ options: String, of cast: Cast, goal: Int = 3) async throws -> String {
        let reply = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Self.body(options, goal: goal))
        #expect(reply.status == 201, "\(reply.text)")
        return try reply.string("id")
    }

    private func stamp(_ campaign: String, _ stamps: Int, of cast: Cast, key: String = UUID().uuidString) async throws -> Reply {
        let code = try await cast.owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps)}"#).string("code")
        return try await cast.stamp(code, key: key)
    }

    @Test("A campaign shows the terms that it has, and an edit changes or removes them")
    func fields() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let options = #""repeats":2,"welcomeStamps":1,"redeemUntil":"\#(Self.until)""#
            let id = try await publish(options, of: cast)
            let seen = try await visitor.get("/v1/campaigns/\(id)")
            #expect(try seen.int("repeats") == 2)
            #expect(try seen.int("welcomeStamps") == 1)
            #expect(try seen.string("redeemUntil") == Self.until)
            let listed = try await visitor.get("/v1/campaigns?shop=\(cast.shop)").json["items"]?.items ?? []
            #expect(listed.contains { $0["repeats"]?.int == 2 })
            // A campaign without options is shown without the options' fields.
            let plain = try await visitor.get("/v1/campaigns/\(cast.campaign)")
            let said = try plain.json.names
            #expect(said.isDisjoint(with: ["repeats", "welcomeStamps", "redeemUntil"]))
            let edit = #"{"repeats":null,"welcomeStamps":2}"#
            let tag = try #require(seen.headers[.eTag])
            let edited = try await cast.owner.patch("/v1/campaigns/\(id)", edit, headers: [.ifMatch: tag])
            #expect(edited.status == 200, "\(edited.text)")
            #expect(try edited.json["repeats"] == nil)
            #expect(try edited.int("welcomeStamps") == 2)
            #expect(try edited.string("redeemUntil") == Self.until)
            try await cast.owner.patch("/v1/campaigns/\(id)", edit, headers: [.ifMatch: tag]).expectProblem("versionConflict", 412)
        }
    }

    @Test(
        "Terms outside of their limits, of the wrong kind or of a promotion are refused",
        arguments: [
            (#""repeats":0"#, "/repeats"), (#""repeats":101"#, "/repeats"), (#""repeats":"2""#, "/repeats"),
            (#""welcomeStamps":3"#, "/welcomeStamps"), (#""welcomeStamps":1.5"#, "/welcomeStamps"),
            (#""redeemUntil":"soon""#, "/redeemUntil"), (#""redeemUntil":"2027-10-31T23:59:59Z""#, "/redeemUntil"),
            (#""redeemUntil":"2033-11-01T00:00:00Z""#, "/redeemUntil"),
        ])
    func limits(_ field: String, _ pointer: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Self.body(field)).expectInvalid(pointer)
            let promotion = Self.body(#""repeats":1"#).replacing("stampCard", with: "promotion")
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", promotion).expectInvalid("/repeats")
            #expect(stage.head == head)
        }
    }

    @Test("The welcome stamps come with the first code, once, and a retry gets the same answer")
    func welcome() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(#""welcomeStamps":2"#, of: cast, goal: 10)
            let first = try await stamp(id, 1, of: cast, key: "first")
            #expect(try first.int("added") == 3)
            #expect(try first.int("card", "stamps") == 3)
            let code = try await cast.owner.post("/v1/campaigns/\(id)/codes", "{}").string("code")
            let second = try await cast.stamp(code, key: "second")
            #expect(try second.int("added") == 1)
            #expect(try second.int("card", "stamps") == 4)
            let head = stage.head
            #expect(try await cast.stamp(code, key: "second").body == second.body)
            #expect(stage.head == head)
            let position = try first.int("position")
            let reversed = try await cast.owner.post("/v1/stamps/\(position)/reversal", #"{"reason":"Refunded"}"#)
            #expect(try reversed.int("added") == -3)
        }
    }

    @Test("Of many concurrent codes, no more are accepted than the number of cards that an account may fill")
    func limitOfCards() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(#""repeats":2"#, of: cast, goal: 1)
            var codes: [String] = []
            for _ in 0..<8 { codes.append(try await cast.owner.post("/v1/campaigns/\(id)/codes", "{}").string("code")) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for code in codes { group.addTask { try await cast.stamp(code).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 2 && statuses.count { $0 == 409 } == 6, "\(statuses)")
            let refused = try await stamp(id, 1, of: cast)
            try refused.expectProblem("cardLimitReached", 409)
            let lapsed = try await publish(#""repeats":1"#, of: cast, goal: 3)
            let full = try await stamp(lapsed, 5, of: cast)
            #expect(try full.int("added") == 3)
            #expect(try full.string("card", "status") == "full")
            #expect(try full.json["cards"]?.items?.count == 1)
        }
    }

    @Test("After the last day a full card's reward can no longer be requested, and a code shown before no longer works")
    func lastDay() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(#""redeemUntil":"\#(Self.until)""#, of: cast)
            let full = try await stamp(id, 3, of: cast)
            #expect(try full.string("card", "redeemUntil") == Self.until)
            let card = try full.string("card", "id")
            #expect(try await cast.customer.get("/v1/cards/\(card)").string("redeemUntil") == Self.until)
            let last = try #require(ISO8601DateFormatter().date(from: "2027-11-30T00:00:00Z"))
            stage.clock.advance(seconds: Int64(last.timeIntervalSince1970) - stage.clock.now().microseconds / 1_000_000 - 60)
            let customer = try await visitor.signedIn("+8613800138002", name: "customer")
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let shown = try await customer.post("/v1/cards/\(card)/redemption")
            #expect(shown.status == 201, "\(shown.text)")
            #expect(try shown.string("expiresAt") == Self.until)
            stage.clock.advance(seconds: 60)
            let code = try shown.string("code")
            try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "late").expectProblem("redemptionNotValid", 422)
            try await customer.post("/v1/cards/\(card)/redemption").expectProblem("campaignOver", 409)
        }
    }
}
