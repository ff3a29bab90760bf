import CommandService
import EventLog
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@testable import Composition
@testable import HTTPAPI

@Suite("Cards that wait for a phone number", .timeLimit(.minutes(15)))
struct WaitingNumberTests {
    private static let number = "+8613800138222"
    /// A number, and the form in which versions without numbering plans read the typed text.
    private static let (british, former) = ("+442079460958", "+4402079460958")
    private static let typed = #""phone":"+44 (0)20 7946 0958""#
    private static let national = #""phone":"020 7946 0958","region":"GB""#

    private func code(_ visitor: Visitor, for typed: String = #""phone":"\#(number)""#) async throws -> String {
        try await visitor.post("/v1/verifications", "{\(typed)}").string("devCode")
    }

    private func give(_ cast: Cast, _ typed: String, stamps: Int = 1) async throws -> Reply {
        let body = #"{\#(typed),"stamps":\#(stamps)}"#
        return try await cast.owner.post("/v1/campaigns/\(cast.campaign)/stamps", body, key: UUID().uuidString)
    }

    /// The numbers of stamps on a visitor's cards, newest card first.
    private func stamps(of visitor: Visitor) async throws -> [Int] {
        try #require(try await visitor.get("/v1/me/cards").json["items"]?.items).compactMap { $0["stamps"]?.int }
    }

    private func change(_ visitor: Visitor, code: String, key: String? = nil) async throws -> Reply {
        try await visitor.put("/v1/me/phone", #"{"phone":"\#(Self.number)","code":"\#(code)"}"#, key: key)
    }

    private func gift(_ giver: Visitor, _ campaign: String, _ stamps: Int = 1) async throws -> Reply {
        let body = #"{"phone":"\#(Self.number)","stamps":\#(stamps)}"#
        return try await giver.post("/v1/campaigns/\(campaign)/stamps", body, key: UUID().uuidString)
    }

    @Test("Verifying a number gives its cards to the verifier, with their stamps, history and receipts, once")
    func taken() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 5)
            let given = try await gift(cast.owner, cast.campaign, 2)
            #expect(given.status == 201, "\(given.text)")
            let right = try await code(visitor)
            let reply = try await change(cast.customer, code: right, key: "change")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try reply.string("phone") == Self.number && reply.string("id") == cast.customer.account)
            let cards = try #require(try await cast.customer.get("/v1/me/cards").json["items"]?.items)
            #expect(cards.count == 1 && cards[0]["stamps"]?.int == 2)
            let id = try #require(cards[0]["id"]?.string)
            let history = try #require(try await cast.customer.get("/v1/cards/\(id)").json["history"]?.items)
            #expect(history.map { $0["kind"]?.string } == ["opened", "stamped", "taken"])
            let stamped = try #require(history[1]["position"]?.int)
            #expect(try await cast.customer.get("/v1/stamps/\(stamped)/receipt").status == 200)
            let head = stage.head
            #expect(try await change(cast.customer, code: "000000", key: "change").body == reply.body)
            #expect(stage.head == head)
            #expect(try await cast.stamp(try await cast.issue().code).string("card", "id") == id)
            #expect(try await visitor.signedIn(Self.number).account == cast.customer.account)
            let changes = try await cast.customer.get("/v1/me/changes?after=0").json["items"]?.items
            #expect(changes?.contains { $0["kind"]?.string == "card" && $0["id"]?.string == id } == true)
            let refunded = try await cast.owner.post("/v1/stamps/\(stamped)/reversal", #"{"reason":"Refund"}"#, key: "refund")
            #expect(refunded.status == 200, "\(refunded.text)")
            #expect(try await cast.customer.get("/v1/cards/\(id)").json["stamps"]?.int == 1)
        }
    }

    @Test("A shop that stamps the number again before the change keeps nobody from it, and no stamp is lost")
    func raced() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 50)
            let other = try await visitor.signedIn("+8613800138007")
            let shop = try await other.post("/v1/shops", Cast.shopBody).string("id")
            let campaign = try await other.post("/v1/shops/\(shop)/campaigns", Cast.campaignBody(goal: 50)).string("id")
            #expect(try await gift(cast.owner, cast.campaign).status == 201)
            let right = try await code(visitor)
            #expect(try await gift(other, campaign).status == 201)
            enum Outcome {
                case changed(Bool)
                case given(Bool)
            }
            let outcomes: [Outcome] = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for each in 0..<64 {
                    group.addTask {
                        guard each == 32 else { return .given(try await gift(other, campaign).status == 201) }
                        while true {
                            try Task.checkCancellation()
                            // The change is refused only while a gift holds the number, and its code stays valid.
                            let reply = try await change(cast.customer, code: right)
                            guard reply.status == 503 else { return .changed(reply.status == 200) }
                            await Task.yield()
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let given = outcomes.count { if case .given(true) = $0 { true } else { false } }
            #expect(outcomes.contains { if case .changed(true) = $0 { true } else { false } })
            let cards = try #require(try await cast.customer.get("/v1/me/cards").json["items"]?.items)
            let stamps = cards.filter { $0["shop"]?["id"]?.string == shop || $0["shop"]?.string == shop }.compactMap { $0["stamps"]?.int }
            #expect(stamps.reduce(0, +) == given + 1, "\(cards)")
        }
    }

    @Test(
        "Cards that wait for a number do not keep an operator from giving it to an account, and whoever verifies it next gets them",
        arguments: [false, true])
    func requested(_ objects: Bool) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 5)
            #expect(try await gift(cast.owner, cast.campaign, 3).status == 201)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let body = #"{"phone":"\#(Self.number)","reason":"Lost"}"#
            let reply = try await officer.put("/v1/admin/accounts/\(cast.customer.account)/phone", body)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try await cast.customer.get("/v1/me/cards").json["items"]?.items?.isEmpty == true)
            if objects { #expect(try await cast.customer.delete("/v1/me/phone/change").status == 204) }
            stage.clock.advance(seconds: 72 * 3_600)
            let verifier = try await visitor.signedIn(Self.number)
            #expect((verifier.account == cast.customer.account) != objects)
            let cards = try #require(try await verifier.get("/v1/me/cards").json["items"]?.items)
            #expect(cards.count == 1 && cards.first?["stamps"]?.int == 3)
            let again = try await visitor.signedIn(Self.number)
            #expect(try await again.get("/v1/me/cards").json["items"]?.items?.count == 1)
        }
    }

    @Test("Two changes to one number at once: one account gets it with all cards, the other nothing")
    func twoAtOnce() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 5)
            let second = try await visitor.signedIn("+8613800138008")
            #expect(try await gift(cast.owner, cast.campaign, 3).status == 201)
            let right = try await code(visitor)
            let replies: [(Visitor, Reply)] = try await withThrowingTaskGroup(of: (Visitor, Reply).self) { group in
                for each in [cast.customer, second] { group.addTask { (each, try await change(each, code: right)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count { $0.1.status == 200 } == 1, "\(replies.map { $0.1.text })")
            for (who, reply) in replies {
                let cards = try await who.get("/v1/me/cards").json["items"]?.items
                #expect(cards?.count == (reply.status == 200 ? 1 : 0))
            }
        }
    }

    @Test("Whoever works for the shop gets no stamps of it by a number, and the number all the same")
    func ownShop() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 5)
            #expect(try await gift(cast.owner, cast.campaign, 3).status == 201)
            let reply = try await change(cast.owner, code: try await code(visitor))
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try await cast.owner.get("/v1/me/cards?status=collecting,full,redeemed").json["items"]?.items?.isEmpty == true)
        }
    }

    @Test("What was stamped more than ninety days ago is not given")
    func over() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 5)
            #expect(try await gift(cast.owner, cast.campaign, 3).status == 201)
            stage.clock.advance(seconds: 90 * 86_400)
            let customer = try await visitor.signedIn("+8613800138002")
            let reply = try await change(customer, code: try await code(visitor))
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try await customer.get("/v1/me/cards").json["items"]?.items?.isEmpty == true)
        }
    }

    @Test(
        "A change to a number gives the cards that wait under the form that old versions kept, but none of an account with that form",
        arguments: [false, true])
    func formerForm(_ isRegistered: Bool) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 5)
            let waiting: AccountID = stage.service.newID()
            try await stage.service.onThread { [store = stage.service.keyStore] in
                _ = try store.claim([KeyStore.PhoneClaim(number: Self.former, account: waiting)])
            }
            #expect(try await give(cast, Self.typed).status == 201)
            #expect(try await give(cast, Self.national).string("phone") == Self.british)
            if isRegistered { _ = try await stage.service.register(try #require(E164Number(Self.former))) }
            let right = try await code(visitor, for: Self.typed)
            let reply = try await cast.customer.put("/v1/me/phone", #"{\#(Self.typed),"code":"\#(right)"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try reply.string("phone") == Self.british)
            #expect(try await stamps(of: cast.customer) == [isRegistered ? 1 : 2])
            #expect(try stage.service.claimant(of: Self.former) == (isRegistered ? waiting : nil))
        }
    }

    @Test("Signing in gives the cards that wait under the verified number to an account that old versions kept under another form")
    func formerAccount() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 5)
            let account = try await stage.service.register(try #require(E164Number(Self.former)))
            #expect(try await give(cast, Self.national, stamps: 2).string("phone") == Self.british)
            for round in 1...2 {
                let right = try await code(visitor, for: Self.typed)
                let session = try await visitor.post("/v1/sessions", #"{\#(Self.typed),"code":"\#(right)"}"#)
                #expect(try session.string("account", "id") == account.id.text)
                var me = visitor
                me.token = try session.string("accessToken")
                #expect(try await stamps(of: me) == [2 * round])
                #expect(try stage.service.claimant(of: Self.british) == nil)
                #expect(try await give(cast, Self.national, stamps: 2).string("phone") == Self.british)
            }
        }
    }

    @Test("After a crash between two cards, a retry gives the rest, and nothing twice")
    func halfTaken() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 9)
            let second = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(goal: 9, title: "B")).string("id")
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try await gift(cast.owner, cast.campaign, 3).status == 201)
            #expect(try await gift(cast.owner, second, 2).status == 201)
            let holder = try #require(try stage.service.claimant(of: Self.number))
            let opened = try stage.service.past.facts([.cardOpened], Tag(kind: .account, value: holder.value))
            let first = try #require(opened.first?.event.card)
            let customer = try #require(AccountID(text: cast.customer.account))
            _ = try await stage.service.submit(.takeWaitingCard(TakeWaitingCard(card: first)), by: Caller(account: customer))
            for _ in 1...2 {
                let reply = try await change(cast.customer, code: try await code(visitor), key: "change")
                #expect(reply.status == 200, "\(reply.text)")
                #expect(try await stamps(of: cast.customer) == [2, 4])
            }
            #expect(try stage.service.claimant(of: Self.number) == customer)
            let taken = try stage.service.past.facts([.waitingCardTaken], Tag(kind: .account, value: customer.value))
            let sources = taken.compactMap { fact -> CardID? in
                guard case .waitingCardTaken(let event) = fact.event else { return nil }
                return event.from.map { _ in event.card }
            }
            #expect(sources == opened.compactMap(\.event.card))
        }
    }

    @Test("A card that was taken over is in the export with its earlier events, and makes a review one of a customer")
    func shownEverywhere() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 5)
            #expect(try await gift(cast.owner, cast.campaign, 2).status == 201)
            #expect(try await change(cast.customer, code: try await code(visitor)).status == 200)
            let card = try #require(try await cast.customer.get("/v1/me/cards").json["items"]?[0]?["id"]?.string)
            let path = "/v1/shops/\(cast.shop)/reviews"
            let review = try await cast.customer.post(path, #"{"rating":5}"#)
            #expect(try review.json["verified"] == .bool(true))
            #expect(try await cast.customer.get(path).json["items"]?[0]?["verified"] == .bool(true))
            let export = try await cast.customer.get("/v1/me/export").json
            #expect(export["cards"]?.items?.map { $0["id"]?.string } == [card])
            #expect(export["cards"]?[0]?["history"]?.items?.map { $0["kind"]?.string } == ["opened", "stamped", "taken"])
            let events = (export["events"]?.items ?? []).filter { $0["event"]?["card"]?.string == card }
            #expect(events.map { $0["type"]?.string } == ["CardOpened", "CardStamped", "WaitingCardTaken"])
            #expect(events.prefix(2).allSatisfy { $0["event"]?["holder"] == .null && $0["actor"] == .null })
        }
    }
}
