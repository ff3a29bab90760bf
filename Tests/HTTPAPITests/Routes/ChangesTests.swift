import CommandService
import Composition
import EventLog
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@testable import HTTPAPI

@Suite("Changes of an account's own things", .timeLimit(.minutes(15)))
struct ChangesTests {
    @Test("A copy that follows the changes equals the lists, and no change is shown twice")
    func follows() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let customer = cast.customer
            var feed = ChangeFeed()
            try await feed.follow(customer)
            #expect(feed.copy.keys.contains("account ") && feed.copy.count == 2)
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            _ = try await customer.put("/v1/campaigns/\(cast.campaign)/favorite")
            _ = try await customer.patch("/v1/me", #"{"nickname":"小绿"}"#)
            try await feed.follow(customer)
            let position = feed.position
            let notice = try await cast.owner.post("/v1/notices", #"{"title":"Hi","text":"All","audience":"shop"}"#).string("id")
            _ = try await customer.put("/v1/me/notices/\(notice)/read")
            let full = try await cast.stamp(try await cast.issue(stamps: 4).code)
            let first = try await cast.redemption(of: try full.string("card", "id"))
            let second = try await cast.redemption(of: try full.string("card", "id"))
            _ = try await customer.put("/v1/me/mutes/\(cast.shop)")
            try await feed.follow(customer)
            #expect(feed.copy["notice \(notice)"]?["read"] == .bool(true))
            #expect(feed.copy["redemption \(first.id)"]?["status"]?.string == "replaced")
            #expect(feed.copy["redemption \(second.id)"]?["status"]?.string == "pending")
            _ = try await cast.redeem(second.code)
            _ = try await customer.delete("/v1/campaigns/\(cast.campaign)/favorite")
            _ = try await customer.delete("/v1/me/mutes/\(cast.shop)")
            try await cast.hire(try await visitor.signedIn("+8613800138077"))
            try await feed.follow(customer)
            for positions in feed.shown.values { #expect(Set(positions).count == positions.count && positions == positions.sorted()) }
            try await agrees(feed.copy, customer)
            // Another client starts later, from a snapshot, and reaches the same state.
            var late = ChangeFeed(after: position)
            try await late.follow(customer)
            for (thing, value) in late.copy { #expect(feed.copy[thing] == value, "\(thing)") }
        }
    }

    @Test("A password that is set or removed changes the account")
    func password() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138002")
            var feed = ChangeFeed()
            try await feed.follow(me)
            let shown = feed.shown["account "]?.count ?? 0
            stage.clock.advance(seconds: 60)
            let code = try await me.post("/v1/verifications", #"{"phone":"+8613800138002"}"#).string("devCode")
            #expect(try await me.put("/v1/me/password", #"{"new":"correct horse","code":"\#(code)"}"#).status == 204)
            try await feed.follow(me)
            #expect(feed.copy["account "]?["hasPassword"] == .bool(true) && feed.shown["account "]?.count == shown + 1)
            #expect(try await me.delete("/v1/me/password").status == 204)
            try await feed.follow(me)
            #expect(feed.copy["account "]?["hasPassword"] == .bool(false) && feed.shown["account "]?.count == shown + 2)
        }
    }

    private func agrees(_ copy: [String: JSONValue], _ customer: Visitor) async throws {
        let cards = try #require(try await customer.get("/v1/me/cards?status=collecting,full,redeemed").json["items"]?.items)
        #expect(cards.count == 2 && copy.keys.filter { $0.hasPrefix("card ") }.count == 2)
        for card in cards { #expect(copy["card \(card["id"]?.string ?? "")"] == card) }
        #expect(copy["account "] == (try await customer.get("/v1/me").json))
        #expect(!copy.keys.contains { $0.hasPrefix("favorite ") || $0.hasPrefix("mute ") })
        let sessions = try #require(try await customer.get("/v1/me/sessions").json["items"]?.items)
        #expect(copy.keys.filter { $0.hasPrefix("session ") }.count == sessions.count)
    }

    @Test("A list names its position, and changes after it are exactly what came later")
    func snapshot() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            for path in ["/v1/me", "/v1/me/cards", "/v1/me/notices", "/v1/me/favorites", "/v1/me/sessions"] {
                let reply = try await cast.customer.get(path)
                let position = try #require(reply.headers[HTTPField.Name("GreenTea-Position")!])
                let later = try await cast.customer.get("/v1/me/changes?after=\(position)")
                #expect(try later.json["items"]?.items?.isEmpty == true, "\(path)")
            }
            let position = try await cast.customer.get("/v1/me/cards").headers[HTTPField.Name("GreenTea-Position")!] ?? ""
            let stamped = try await cast.stamp(try await cast.issue().code)
            let changes = try await cast.customer.get("/v1/me/changes?after=\(position)")
            #expect(try changes.json["items"]?.items?.map { $0["kind"]?.string } == ["card"])
            #expect(try changes.json["items"]?[0]?["value"]?["stamps"]?.int == 2)
            #expect(try changes.json["items"]?[0]?["position"]?.int == stamped.int("position"))
        }
    }

    @Test("Nobody sees changes of others, and a long history comes in several pages of bounded length")
    func pages() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for number in 0..<300 {
                let path = "/v1/campaigns/\(cast.campaign)/favorite"
                _ = number % 2 == 0 ? try await cast.customer.put(path) : try await cast.customer.delete(path)
            }
            let page = try await cast.customer.get("/v1/me/changes")
            #expect(try page.json["more"] == .bool(true))
            var feed = ChangeFeed()
            try await feed.follow(cast.customer)
            #expect(feed.pages > 1)
            #expect(!feed.copy.keys.contains { $0.hasPrefix("favorite ") })
            // The owner's feed contains the shop and none of the customer's cards or favourites.
            var other = ChangeFeed()
            try await other.follow(cast.owner)
            #expect(other.copy.keys.contains("employment \(cast.shop)"))
            #expect(!other.copy.keys.contains { $0.hasPrefix("card ") || $0.hasPrefix("favorite ") })
        }
    }

    @Test("An invalid position is refused, and a position beyond the head shows nothing")
    func malformed() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            for after in ["-1", "x", "01", "18446744073709551616", "1.5"] {
                try await customer.get("/v1/me/changes?after=\(after)").expectInvalid("/after")
            }
            let beyond = try await customer.get("/v1/me/changes?after=\(stage.head + 1_000)")
            #expect(try beyond.json["items"]?.items?.isEmpty == true && beyond.int("position") == Int(stage.head) + 1_000)
            #expect(beyond.headers[HTTPField.Name("GreenTea-Position")!] == "\(stage.head)")
            try await visitor.get("/v1/me/changes").expectProblem("unauthenticated", 401)
        }
    }

    @Test("From every position, the changes are exactly those things that the log changed later")
    func complete() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 2)
            let customer = cast.customer
            _ = try await cast.stamp(try await cast.issue(stamps: 5).code)
            let card = try await cast.fullCard(stamps: 1)
            _ = try await cast.redeem(try await cast.redemption(of: card).code)
            _ = try await customer.put("/v1/campaigns/\(cast.campaign)/favorite")
            _ = try await visitor.signedIn("+8613800138002")
            // Reads the whole log, without any index.
            var last: [String: Int] = [:]
            for event in try stage.service.log.events(matching: .all, after: .start, through: stage.service.log.head) {
                let fact = try LoyaltyCodec.decode(event)
                let thing: String? =
                    switch fact.event {
                    case .favoriteAdded(let event) where event.account.text == customer.account: "favorite \(event.campaign.text)"
                    case .sessionStarted(let event) where event.account.text == customer.account: "session \(event.session.text)"
                    case .accountRegistered(let event) where event.account.text == customer.account: "account "
                    default: fact.event.holder?.text == customer.account ? fact.event.card.map { "card \($0.text)" } : nil
                    }
                if let thing { last[thing] = Int(fact.position) }
            }
            #expect(last.count == 7)
            for start in 0...Int(stage.head) {
                var feed = ChangeFeed(after: start)
                try await feed.follow(customer)
                let got = feed.shown.filter { !$0.key.hasPrefix("redemption ") }
                #expect(got == last.filter { $0.value > start }.mapValues { [$0] }, "after \(start)")
            }
        }
    }

    @Test("An employment appears, changes and disappears, and no later change of the shop is shown")
    func workplace() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138077")
            var feed = ChangeFeed()
            try await feed.follow(member)
            try await cast.hire(member, as: "manager")
            try await feed.follow(member)
            #expect(feed.copy["employment \(cast.shop)"]?["role"]?.string == "manager" && feed.things("invitation").isEmpty)
            try await rename(cast, "Tea")
            try await feed.follow(member)
            #expect(feed.copy["employment \(cast.shop)"]?["name"]?.string == "Tea")
            #expect(feed.copy["employment \(cast.shop)"] == (try await member.get("/v1/me/shops").json["items"]?[0]))
            try await rename(cast, "Coffee")
            #expect(try await member.delete("/v1/me/employments/\(cast.shop)").status == 204)
            try await feed.follow(member)
            #expect(feed.things("employment").isEmpty)
            let left = feed.position
            try await rename(cast, "Cake")
            #expect(try await member.get("/v1/me/changes?after=\(left)").json["items"] == .array([]))
            // A client that reads from the beginning sees only the final state.
            var late = ChangeFeed()
            try await late.follow(member)
            #expect(late.things("employment").isEmpty && late.shown["employment \(cast.shop)"].map { $0[0] <= left } == true)
        }
    }

    private func rename(_ cast: Cast, _ name: String) async throws {
        let reply = try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"\#(name)"}"#, headers: [.ifMatch: "*"])
        try #require(reply.status == 200, "\(reply.text)")
    }

    @Test("A shop that changes hands or closes changes its owners' accounts")
    func owners() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let heir = try await visitor.signedIn("+8613800138078")
            var (old, new) = (ChangeFeed(), ChangeFeed())
            try await old.follow(cast.owner)
            try await new.follow(heir)
            let offered = try await cast.owner.post("/v1/shops/\(cast.shop)/transfer", #"{"phone":"+8613800138078"}"#)
            #expect(offered.status == 202, "\(offered.text)")
            try await new.follow(heir)
            let offer = try #require(new.things("invitation").first?.dropFirst("invitation ".count))
            #expect(try await heir.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
            try await old.follow(cast.owner)
            try await new.follow(heir)
            #expect(old.things("employment").isEmpty && old.copy["account "]?["shop"] == .null)
            #expect(new.things("invitation").isEmpty && new.copy["account "]?["shop"]?.string == cast.shop)
            let closed = try await heir.post("/v1/shops/\(cast.shop)/closing", #"{"redeemUntil":"2026-12-01T00:00:00Z"}"#)
            #expect(closed.status < 300, "\(closed.text)")
            try await new.follow(heir)
            #expect(new.copy["account "] == (try await heir.get("/v1/me").json) && new.copy["account "]?["shop"] == .null)
        }
    }

    @Test("An offer of a shop that nobody answers goes with the record of its lapse, for the invited account and for the owner")
    func lapsedOffer() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let heir = try await visitor.signedIn("+8613800138078")
            var feed = ChangeFeed()
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/transfer", #"{"phone":"+8613800138078"}"#).status == 202)
            try await feed.follow(heir)
            let offer = try #require(feed.things("invitation").first)
            stage.clock.advance(seconds: 8 * 86_400)
            try await stage.service.runDue()
            let lapse = Int(stage.head)
            try await stage.service.runDue()
            #expect(Int(stage.head) == lapse)
            // The access tokens of last week have expired.
            let (owner, late) = (try await visitor.signedIn("+8613800138001"), try await visitor.signedIn("+8613800138078"))
            try await feed.follow(late)
            #expect(feed.things("invitation").isEmpty && feed.shown[offer]?.last == lapse)
            #expect(try await owner.get("/v1/shops/\(cast.shop)/invitations").json["items"]?.items?.isEmpty == true)
        }
    }

    @Test("An erased account has no feed, its successor begins anew, and cards of an erased owner are shown without words")
    func erased() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try await cast.owner.delete("/v1/me").status == 204)
            var feed = ChangeFeed()
            try await feed.follow(cast.customer)
            let thing = try #require(feed.things("card").first)
            let card = try #require(feed.copy[thing])
            #expect(card["shop"]?["name"]?.string == "" && card["campaign"]?["title"]?.string == "" && card["reward"]?.string == "")
            #expect(try await cast.customer.delete("/v1/me").status == 204)
            try await cast.customer.get("/v1/me/changes").expectProblem("unauthenticated", 401)
            let anew = try await visitor.signedIn("+8613800138002")
            var fresh = ChangeFeed()
            try await fresh.follow(anew)
            #expect(fresh.copy.count == 2 && fresh.things("card").isEmpty)
        }
    }
}
