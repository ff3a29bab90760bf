import CommandService
import Composition
import EventLog
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@Suite("Data export", .timeLimit(.minutes(15)))
struct ExportTests {
    @Test("An export contains the profile, cards with history, reviews, replies, sessions and every event")
    func everything() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let me = cast.customer
            _ = try await me.patch("/v1/me", #"{"nickname":"小茶"}"#)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 2).code)
            let review = try await me.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4,"text":"很好喝"}"#).string("id")
            _ = try await me.post("/v1/reviews/\(review)/replies", #"{"text":"P.S. 真的"}"#)
            let reply = try await me.get("/v1/me/export")
            #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
            let json = try reply.json
            #expect(json["account"]?["phone"]?.string == "+8613800138002")
            #expect(json["account"]?["nickname"]?.string == "小茶")
            #expect(json["account"]?["hasPassword"] == .bool(false))
            #expect(try json["cards"]?[0]?["id"]?.string == stamped.string("card", "id"))
            #expect(json["cards"]?[0]?["history"]?.items?.count == 2)
            #expect(json["reviews"]?[0]?["text"]?.string == "很好喝" && json["reviews"]?[0]?["rating"]?.int == 4)
            #expect(json["replies"]?[0]?["text"]?.string == "P.S. 真的" && json["replies"]?[0]?["parent"]?.string == review)
            #expect(json["sessions"]?.items?.count == 1 && json["sessions"]?[0]?["endedAt"] == .null)
            #expect(json["shop"] == .null)
            let types = json["events"]?.items?.compactMap { $0["type"]?.string } ?? []
            #expect(
                types == [
                    "AccountRegistered", "SessionStarted", "ProfileEdited", "CardOpened", "CardStamped", "ReviewPosted", "ReplyPosted",
                ])
            #expect(json["position"]?.int == Int(stage.head))
            #expect(try await cast.owner.get("/v1/me/export").json["shop"]?["id"]?.string == cast.shop)
        }
    }

    @Test("An export contains favourites, and every notice with the time at which it was read")
    func keptAndRead() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let me = cast.customer
            let empty = try await me.get("/v1/me/export").json
            #expect(empty["favorites"]?.items?.isEmpty == true && empty["notices"]?.items?.isEmpty == true)
            _ = try await cast.stamp(try await cast.issue().code)
            let other = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "Other")).string("id")
            for campaign in [cast.campaign, other, cast.campaign] { _ = try await me.put("/v1/campaigns/\(campaign)/favorite") }
            _ = try await me.delete("/v1/campaigns/\(cast.campaign)/favorite")
            stage.clock.advance(seconds: 60)
            _ = try await me.put("/v1/campaigns/\(cast.campaign)/favorite")
            // The test posts through the service. Over HTTP the owner's budget for notices would run out before the first page is
            // full.
            let (shop, owner) = (try #require(ShopID(text: cast.shop)), try #require(AccountID(text: cast.owner.account)))
            for number in 1...101 {
                let posted = try await stage.service.postNotice(
                    title: "Notice \(number)", text: "…", to: .shop(shop), by: Caller(account: owner))
                me.newest.see(posted.position.rawValue)
            }
            let newest = try await me.get("/v1/me/notices?limit=1").json["items"]?[0]?["id"]?.string ?? ""
            #expect(try await me.put("/v1/me/notices/\(newest)/read").status == 204)
            let json = try await me.get("/v1/me/export").json
            #expect(json["favorites"]?.items?.compactMap { $0["campaign"]?.string } == [other, cast.campaign])
            #expect(json["favorites"]?[0]?["addedAt"] != json["favorites"]?[1]?["addedAt"])
            let notices = try #require(json["notices"]?.items)
            #expect(notices.compactMap { $0["title"]?.string } == (1...101).reversed().map { "Notice \($0)" })
            #expect(notices[0]["read"] == .bool(true) && notices[0]["readAt"]?.string != nil)
            #expect(notices[1]["read"] == .bool(false) && notices[1]["readAt"] == .null)
            #expect(notices[0]["shop"]?["id"]?.string == cast.shop)
        }
    }

    @Test("An owner's export has in the clear what the owner wrote: campaigns, notices and the reason for closing a shop")
    func written() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let owner = cast.owner
            let picture = try await owner.picture()
            let second = try await owner.post("/v1/shops", Cast.shopBody).string("id")
            _ = try await owner.patch("/v1/shops/\(second)", #"{"images":["\#(picture)"]}"#, headers: [.ifMatch: "*"])
            let posted = try await owner.post("/v1/notices", Self.notice("Now", cast.shop)).string("id")
            let moment = #","publishAt":"\#(stage.clock.now().advanced(bySeconds: 86_400).rfc3339)""#
            let scheduled = try await owner.post("/v1/notices", Self.notice("Later", cast.shop, moment)).string("id")
            let withdrawn = try await owner.post("/v1/notices", Self.notice("Never", cast.shop, moment)).string("id")
            #expect(try await owner.send(.delete, "/v1/notices/\(withdrawn)").status == 204)
            let open = try await owner.get("/v1/me/export").json
            let notices = try #require(open["postedNotices"]?.items)
            #expect(notices.map { $0["id"]?.string } == [posted, scheduled, withdrawn])
            #expect(notices.map { $0["title"]?.string } == ["Now", "Later", "Never"])
            #expect(notices.allSatisfy { $0["text"]?.string == "Come." && $0["shop"]?["id"]?.string == cast.shop })
            #expect(notices.map { $0["status"]?.string } == ["posted", "scheduled", "withdrawn"])
            #expect(notices[0]["publishAt"] == nil && notices[1]["postedAt"] == .null && notices[1]["publishAt"]?.string != nil)
            #expect(open["shops"]?[0]?["closedAt"] == .null && open["shops"]?[0]?["closingReason"] == .null)
            #expect(open["shops"]?[1]?["images"] == .array([.string(picture)]) && open["shops"]?[0]?["images"] == .array([]))
            #expect(try await owner.post("/v1/shops/\(cast.shop)/closing", #"{"reason":"We move."}"#).status == 200)
            let closed = try await owner.get("/v1/me/export").json
            #expect(closed["shops"]?[0]?["closedAt"]?.string != nil && closed["shops"]?[0]?["closingReason"]?.string == "We move.")
            #expect(closed["shops"]?[1]?["closedAt"] == .null && closed["shops"]?[1]?["redeemUntil"] == .null)
            let campaign = try #require(closed["campaigns"]?[0])
            #expect(closed["campaigns"]?.items?.count == 1 && campaign["id"]?.string == cast.campaign)
            #expect(campaign["shop"]?.string == cast.shop && campaign["title"]?.string == "Ten cups, the eleventh is free")
            #expect(campaign["details"]?.string == "Any drink counts." && campaign["reward"]?.string == "One free drink")
            #expect(campaign["goal"]?.int == 3 && campaign["endedAt"]?.string != nil)
        }
    }

    private static func notice(_ title: String, _ shop: String, _ more: String = "") -> String {
        #"{"title":"\#(title)","text":"Come.","audience":"shop","shop":"\#(shop)"\#(more)}"#
    }

    @Test("A scheduled notice that has appeared is in its author's export once, as a posted one")
    func appeared() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let moment = #","publishAt":"\#(stage.clock.now().advanced(bySeconds: 600).rfc3339)""#
            let id = try await cast.owner.post("/v1/notices", Self.notice("Tea", cast.shop, moment)).string("id")
            stage.clock.advance(seconds: 600)
            try await stage.service.runDue()
            let notices = try #require(try await cast.owner.get("/v1/me/export").json["postedNotices"]?.items)
            #expect(notices.map { $0["id"]?.string } == [id] && notices[0]["status"]?.string == "posted")
            #expect(notices[0]["title"]?.string == "Tea" && notices[0]["postedAt"]?.string != nil)
        }
    }

    @Test("The exports of both owners have the event by which a shop changed hands, and neither names the other account")
    func givenAway() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let offered = try await cast.owner.post("/v1/shops/\(cast.shop)/transfer", #"{"phone":"+8613800138002"}"#)
            #expect(offered.status == 202, "\(offered.text)")
            let offer = try #require(try await cast.customer.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
            #expect(try await cast.customer.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
            func transfers(_ reply: Reply) throws -> [JSONValue] {
                (try reply.json["events"]?.items ?? []).filter { $0["type"]?.string == "ShopTransferred" }
            }
            let (given, taken) = (try await cast.owner.get("/v1/me/export"), try await cast.customer.get("/v1/me/export"))
            #expect(try transfers(given).count == 1 && transfers(taken).count == 1)
            let (left, got) = (try #require(try transfers(given).first), try #require(try transfers(taken).first))
            #expect(left["event"]?["shop"]?.string == cast.shop && left["actor"] == .null)
            #expect(left["event"]?["formerOwner"]?.string == cast.owner.account && left["event"]?["account"] == .null)
            #expect(got["event"]?["account"]?.string == cast.customer.account && got["event"]?["formerOwner"] == .null)
            #expect(!given.text.contains(cast.customer.account) && !taken.text.contains(cast.owner.account))
        }
    }

    @Test("An export needs a signed-in account, and is limited to ten in ten minutes")
    func limits() async throws {
        try await onStage { stage, visitor in
            try await visitor.get("/v1/me/export").expectProblem("unauthenticated", 401)
            let me = try await visitor.signedIn("+8613800138009")
            for _ in 0..<10 { #expect(try await me.get("/v1/me/export").status == 200) }
            try await me.get("/v1/me/export").expectProblem("rateLimited", 429)
            #expect(try await visitor.signedIn("+8613800138010").get("/v1/me/export").status == 200)
        }
    }
}
