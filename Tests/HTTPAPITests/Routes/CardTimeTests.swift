import CommandService
import Composition
import Foundation
import HTTPTypes
import Loyalty
import Testing

@Suite("Cards that end", .timeLimit(.minutes(15)))
struct CardTimeRouteTests {
    private static let day: Int64 = 86_400

    private func publish(_ cast: Cast, days: String, kind: String = "") async throws -> Reply {
        let body = String(Cast.campaignBody().dropLast()) + #","cardValidDays":\#(days)}"#
        return try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", kind.isEmpty ? body : kind)
    }

    /// Signs the owner and the customer in again, because their tokens have expired after a long time.
    private func again(_ cast: Cast, _ visitor: Visitor) async throws -> (owner: Visitor, customer: Visitor) {
        (try await visitor.signedIn("+8613800138001"), try await visitor.signedIn("+8613800138002"))
    }

    private func stamp(_ campaign: String, _ owner: Visitor, _ customer: Visitor, stamps: Int = 1) async throws -> Reply {
        let code = try await owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps)}"#).string("code")
        return try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: UUID().uuidString)
    }

    @Test("A campaign shows the days of its cards and accepts new ones; other kinds and numbers are refused")
    func campaign() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let campaign = try await publish(cast, days: "20").string("id")
            let seen = try await visitor.get("/v1/campaigns/\(campaign)")
            #expect(try seen.int("cardValidDays") == 20)
            let tag = try #require(seen.headers[.eTag])
            let edited = try await cast.owner.patch("/v1/campaigns/\(campaign)", #"{"cardValidDays":5}"#, headers: [.ifMatch: tag])
            #expect(try edited.int("cardValidDays") == 5)
            let next = try #require(edited.headers[.eTag])
            let cleared = try await cast.owner.patch("/v1/campaigns/\(campaign)", #"{"cardValidDays":null}"#, headers: [.ifMatch: next])
            #expect(cleared.status == 200)
            #expect(try cleared.json["cardValidDays"] == nil)
            for days in ["0", "-1", "1828", "1.5", #""7""#, "99999999999999999999"] {
                try await publish(cast, days: days).expectInvalid("/cardValidDays")
            }
            let promotion = Cast.couponBody(#","cardValidDays":3"#).replacing("coupon", with: "promotion")
            try await publish(cast, days: "", kind: promotion).expectInvalid("/cardValidDays")
            #expect(try await publish(cast, days: "", kind: Cast.couponBody(#","cardValidDays":3"#)).int("cardValidDays") == 3)
        }
    }

    @Test("A card shows when it ends, and is shown as expired from then on, before anything has recorded it")
    func expires() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let campaign = try await publish(cast, days: "20").string("id")
            let card = try await stamp(campaign, cast.owner, cast.customer).string("card", "id")
            #expect(try await cast.customer.get("/v1/cards/\(card)").json["expiresAt"]?.string != nil)
            stage.clock.advance(seconds: 20 * Self.day)
            let (owner, customer) = try await again(cast, visitor)
            let head = stage.head
            #expect(try await customer.get("/v1/cards/\(card)").string("status") == "expired")
            #expect(try await customer.get("/v1/me/cards").json["items"]?.items?.isEmpty == true)
            let listed = try await customer.get("/v1/me/cards?status=expired").json["items"]?.items ?? []
            #expect(listed.map { $0["id"]?.string } == [card] && listed.first?["status"]?.string == "expired")
            #expect(stage.head == head)
            try await stage.service.runDue()
            #expect(try await customer.get("/v1/me/cards?status=expired").json["items"]?.items?.count == 1)
            let seen = try await customer.get("/v1/cards/\(card)")
            #expect(try seen.json["history"]?.items?.last?["kind"]?.string == "expired")
            try await customer.post("/v1/cards/\(card)/redemption").expectProblem("cardNotFull", 409)
            let next = try await stamp(campaign, owner, customer)
            #expect(try next.string("card", "id") != card && next.int("card", "stamps") == 1)
            #expect(try next.json["cards"]?.items?.count == 1)
        }
    }

    @Test("The answer to a stamp after a card's end that nothing has recorded shows only the new card, and a retry gets the same bytes")
    func stampRecords() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let campaign = try await publish(cast, days: "1").string("id")
            let card = try await stamp(campaign, cast.owner, cast.customer).string("card", "id")
            stage.clock.advance(seconds: Self.day)
            let (owner, customer) = try await again(cast, visitor)
            let code = try await owner.post("/v1/campaigns/\(campaign)/codes", "{}").string("code")
            let first = try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "end")
            #expect(first.status == 201)
            #expect(try first.string("card", "id") != card)
            #expect(try first.json["cards"]?.items?.count == 1)
            stage.clock.advance(seconds: 60)
            #expect(try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "end").body == first.body)
        }
    }

    @Test("Both reminders are in my notices, can be read, and come in my changes; a muted shop sends none")
    func reminders() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let campaign = try await publish(cast, days: "20").string("id")
            let card = try await stamp(campaign, cast.owner, cast.customer).string("card", "id")
            stage.clock.advance(seconds: 6 * Self.day)
            let before = stage.head
            try await stage.service.runDue()
            var (_, customer) = try await again(cast, visitor)
            let page = try await customer.get("/v1/me/notices")
            let notice = try #require(try page.json["items"]?[0])
            #expect(try page.int("unread") == 1)
            #expect(notice["audience"]?.string == "card" && notice["card"]?.string == card && notice["daysLeft"]?.int == 14)
            #expect(notice["title"] == .null && notice["text"] == .null && notice["campaign"]?.string == campaign)
            #expect(notice["shop"]?["id"]?.string == cast.shop && notice["expiresAt"]?.string != nil)
            let id = try #require(notice["id"]?.string)
            let changes = try await customer.get("/v1/me/changes?after=\(before)").json["items"]?.items ?? []
            #expect(changes.contains { $0["kind"]?.string == "notice" && $0["value"] == notice })
            #expect(changes.contains { $0["kind"]?.string == "card" && $0["id"]?.string == card })
            let stranger = try await visitor.signedIn("+8613800138099")
            try await stranger.put("/v1/me/notices/\(id)/read").expectProblem("notFound", 404)
            #expect(try await customer.put("/v1/me/notices/\(id)/read").status == 204)
            #expect(try await customer.get("/v1/me/notices").int("unread") == 0)
            _ = try await customer.put("/v1/me/mutes/\(cast.shop)")
            stage.clock.advance(seconds: 12 * Self.day)
            let muted = stage.head
            try await stage.service.runDue()
            customer = try await again(cast, visitor).customer
            #expect(try await customer.get("/v1/me/notices").json["items"]?.items?.count == 1)
            let later = try await customer.get("/v1/me/changes?after=\(muted)").json["items"]?.items ?? []
            #expect(!later.contains { $0["kind"]?.string == "notice" })
        }
    }

    @Test("A reward that is taken back after the end leaves an expired card")
    func reversal() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let campaign = try await publish(cast, days: "1").string("id")
            let card = try await stamp(campaign, cast.owner, cast.customer, stamps: 3).string("card", "id")
            stage.clock.advance(seconds: Self.day - 60)
            var (owner, customer) = try await again(cast, visitor)
            let asked = try await customer.post("/v1/cards/\(card)/redemption")
            let code = try asked.string("code")
            #expect(try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem").status == 201)
            stage.clock.advance(seconds: 120)
            (owner, customer) = try await again(cast, visitor)
            let redemption = try asked.string("id")
            let reversed = try await owner.post("/v1/redemptions/\(redemption)/reversal", #"{"reason":"Wrong card"}"#)
            #expect(reversed.status == 200)
            #expect(try reversed.string("card", "status") == "expired")
            #expect(try await customer.get("/v1/cards/\(card)").string("status") == "expired")
            try await customer.post("/v1/cards/\(card)/redemption").expectProblem("cardNotFull", 409)
            try await stage.service.runDue()
            #expect(try await customer.get("/v1/cards/\(card)").json["history"]?.items?.last?["kind"]?.string == "expired")
        }
    }
}
