import CommandService
import Composition
import EventLog
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Patience
import ReadModels
import Testing

@testable import HTTPAPI

@Suite("Account deletion", .timeLimit(.minutes(15)))
struct ErasureTests {
    @Test("Deleting an account ends every session and the person's texts, and keeps ratings and replies by others")
    func erases() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let me = cast.customer
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            let review = try await me.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4,"text":"很好喝"}"#).string("id")
            _ = try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"谢谢"}"#)
            let second = try await visitor.signedIn("+8613800138002")
            let reply = try await me.delete("/v1/me")
            #expect(reply.status == 204 && reply.position == stage.head && reply.body.isEmpty)
            for one in [me, second] { try await one.get("/v1/me").expectProblem("unauthenticated", 401) }
            let shown = try await visitor.get("/v1/shops/\(cast.shop)/reviews").json["items"]?[0]
            #expect(shown?["rating"]?.int == 4 && shown?["text"] == .null)
            #expect(shown?["replies"]?[0]?["text"]?.string == "谢谢")
            #expect(try stage.service.models.ratings.rating(of: #require(ShopID(text: cast.shop))).count == 1)
        }
    }

    @Test("A deleted account's refresh token gets the same answer as any invalid one")
    func refresh() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let token = try #require(me.refreshToken)
            #expect(try await me.delete("/v1/me").status == 204)
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).expectProblem("unauthenticated", 401)
        }
    }

    @Test("A deleted account's phone can register again and again, each time as an empty account")
    func startsAnew() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            var accounts = [cast.customer.account]
            #expect(try await cast.customer.delete("/v1/me").status == 204)
            for _ in 0..<3 {
                let anew = try await visitor.signedIn("+8613800138002")
                accounts.append(anew.account)
                #expect(try await anew.get("/v1/me").string("phone") == "+8613800138002")
                #expect(try await anew.get("/v1/me/cards").json["items"]?.items?.isEmpty == true)
                #expect(try await visitor.signedIn("+8613800138002").account == anew.account)
                #expect(try await anew.delete("/v1/me").status == 204)
            }
            #expect(Set(accounts).count == 4)
        }
    }

    @Test("Deleting an account deletes its password")
    func password() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let code = try await visitor.post("/v1/verifications", #"{"phone":"+8613800138009"}"#).string("devCode")
            _ = try await me.put("/v1/me/password", #"{"new":"correct horse","code":"\#(code)"}"#)
            _ = try await me.delete("/v1/me")
            let body = #"{"phone":"+8613800138009","password":"correct horse"}"#
            try await visitor.post("/v1/sessions", body).expectProblem("verificationNotValid", 422)
            _ = try await visitor.signedIn("+8613800138009")
            try await visitor.post("/v1/sessions", body).expectProblem("verificationNotValid", 422)
        }
    }

    private static let phone = "+8613800138009"

    private func prove(_ me: Visitor, _ body: String, key: String? = nil) async throws -> Reply {
        try await me.send(.delete, "/v1/me", body, key: key)
    }

    private func code(for phone: String = phone, _ visitor: Visitor) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
    }

    @Test("A session that began ten minutes ago needs a code to erase, and a refresh does not make it new")
    func asksForACode() async throws {
        try await onStage { stage, visitor in
            var me = try await visitor.signedIn(Self.phone)
            stage.clock.advance(seconds: 599)
            let token = try #require(me.refreshToken)
            me.token = try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).string("accessToken")
            stage.clock.advance(seconds: 1)
            let head = stage.head
            try await me.delete("/v1/me").expectProblem("reauthenticationRequired", 403)
            try await prove(me, "{}").expectProblem("reauthenticationRequired", 403)
            try await prove(me, #"{"password":"correct horse"}"#).expectProblem("verificationNotValid", 422)
            let (good, others) = (try await code(visitor), try await code(for: "+8613800138010", visitor))
            if others != good { try await prove(me, #"{"code":"\#(others)"}"#).expectProblem("verificationNotValid", 422) }
            #expect(stage.head == head)
            #expect(try await me.get("/v1/me").status == 200)
            #expect(try await prove(me, #"{"code":"\#(good)"}"#, key: "leave").status == 204)
            try await me.get("/v1/me").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A session erases without a code until the last second of its first ten minutes, by code or password alike")
    func newSessions() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(Self.phone)
            stage.clock.advance(seconds: 599)
            #expect(try await me.delete("/v1/me").status == 204)
            let again = try await visitor.signedIn(Self.phone)
            let set = #"{"new":"correct horse","code":"\#(try await code(visitor))"}"#
            #expect(try await again.put("/v1/me/password", set).status == 204)
            stage.clock.advance(seconds: 86_400)
            var back = visitor
            let body = #"{"phone":"\#(Self.phone)","password":"correct horse"}"#
            back.token = try await visitor.post("/v1/sessions", body).string("accessToken")
            #expect(try await back.delete("/v1/me").status == 204)
        }
    }

    @Test("The password proves the holder of an old session, and the code of a sign-in does too")
    func otherProofs() async throws {
        try await onStage { stage, visitor in
            for proof in ["password", "code"] {
                let me = try await visitor.signedIn(Self.phone)
                let set = #"{"new":"correct horse","code":"\#(try await code(visitor))"}"#
                #expect(try await me.put("/v1/me/password", set).status == 204)
                stage.clock.advance(seconds: 600)
                try await prove(me, #"{"password":"wrong horse"}"#).expectProblem("verificationNotValid", 422)
                let body = proof == "code" ? #"{"code":"\#(try await code(visitor))"}"# : #"{"password":"correct horse"}"#
                #expect(try await prove(me, body).status == 204, "\(proof)")
            }
        }
    }

    @Test("A session from before a restart needs a code, and one from a clock that was ahead does too")
    func olderSessions() async throws {
        let (folder, clock) = (Stage.newFolder(), TestClock())
        let token = try await beforeRestart(in: folder, clock: clock) { _, visitor in try await visitor.signedIn(Self.phone).token }
        clock.advance(seconds: 600)
        try await onStage(try Stage(folder: folder, clock: clock)) { stage, visitor in
            var me = visitor
            me.token = token
            try await me.delete("/v1/me").expectProblem("reauthenticationRequired", 403)
            #expect(try await prove(me, #"{"code":"\#(try await code(visitor))"}"#).status == 204)
        }
    }

    @Test("Wrong codes and passwords of an erasure use up the budgets of the sign-in")
    func guesses() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(Self.phone)
            let set = #"{"new":"correct horse","code":"\#(try await code(visitor))"}"#
            #expect(try await me.put("/v1/me/password", set).status == 204)
            stage.clock.advance(seconds: 600)
            for _ in 0..<Limits.failuresMax {
                try await prove(me, #"{"password":"wrong horse"}"#).expectProblem("verificationNotValid", 422)
            }
            try await prove(me, #"{"password":"correct horse"}"#).expectProblem("rateLimited", 429)
            let session = #"{"phone":"\#(Self.phone)","password":"correct horse"}"#
            try await visitor.post("/v1/sessions", session).expectProblem("rateLimited", 429)
            let good = try await code(visitor)
            let wrong = good == "000000" ? "000001" : "000000"
            for _ in 0..<Verifications.triesMax {
                try await prove(me, #"{"code":"\#(wrong)"}"#).expectProblem("verificationNotValid", 422)
            }
            try await prove(me, #"{"code":"\#(good)"}"#).expectProblem("rateLimited", 429)
        }
    }

    @Test("Deleting an owner's account ends the shop's campaigns and destroys its codes, and the shop stays")
    func owner() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let manager = try await visitor.signedIn("+8613800138004", name: "manager")
            try await cast.hire(manager, as: "manager")
            let issued = try await cast.issue()
            let (code, open) = ("/v1/codes/\(issued.id)", "/v1/shops/\(cast.shop)/codes?status=open")
            #expect(try await manager.get(open).json["items"]?.items?.count == 1)
            #expect(try await cast.owner.delete("/v1/me").status == 204)
            try await cast.stamp(issued.code).expectProblem("codeNotValid", 422)
            #expect(try await manager.get(code).string("status") == "destroyed")
            #expect(try await manager.get(open).json["items"]?.items?.isEmpty == true)
            #expect(try await manager.delete(code).status == 204)
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").json["running"] == .bool(false))
            #expect(try await visitor.get("/v1/shops/\(cast.shop)").status == 200)
            let anew = try await visitor.signedIn("+8613800138001")
            #expect(try await anew.get("/v1/me").json["isMerchant"] == .bool(false))
        }
    }

    @Test("Deleting an owner's account erases the texts of its campaigns, and cards keep their counts and dates")
    func campaigns() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let (path, tag) = ("/v1/campaigns/\(cast.campaign)", try await cast.owner.tag(of: "/v1/campaigns/\(cast.campaign)"))
            #expect(try await cast.owner.edit(path, #"{"title":"Nine cups"}"#, seen: tag).string("title") == "Nine cups")
            try expectSealed(stage, ["Ten cups", "Nine cups", "Any drink counts.", "One free drink"])
            #expect(try await cast.customer.get("/v1/cards/\(card)").string("reward") == "One free drink")
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").string("title") == "Nine cups")
            #expect(try await cast.owner.delete("/v1/me").status == 204)
            let shown = try await cast.customer.get("/v1/cards/\(card)").json
            #expect(shown["reward"] == .string("") && shown["stamps"]?.int == 3 && shown["goal"]?.int == 3)
            #expect(shown["history"]?.items?.isEmpty == false && shown["openedAt"] != nil)
            #expect(try await cast.customer.get("/v1/me/cards").json["items"]?[0]?["reward"] == .string(""))
            let campaign = try await visitor.get("/v1/campaigns/\(cast.campaign)").json
            #expect(campaign["title"] == .string("") && campaign["details"] == .string("") && campaign["reward"] == .null)
            #expect(campaign["goal"]?.int == 3)
            #expect(try await visitor.get("/v1/shops/\(cast.shop)").json["campaigns"]?[0]?["title"] == .string(""))
            #expect(try await visitor.get("/c/\(cast.campaign)").text.contains("A campaign of a shop that has closed"))
        }
    }

    @Test("Deleting an owner's account hides texts that older versions stored as plaintext")
    func clearCampaigns() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (shop, owner) = (try #require(ShopID(text: cast.shop)), Caller(account: try #require(AccountID(text: cast.owner.account))))
            let now = stage.service.clock.now()
            let id = CampaignID(77)
            let publish = PublishCampaign(
                campaign: id, shop: shop, kind: .stampCard,
                terms: CampaignTerms(
                    title: "Clear cups", details: "", goal: 3, reward: "A clear drink", startsAt: now,
                    endsAt: now.advanced(bySeconds: 3_600)))
            _ = try await stage.service.submit(.publishCampaign(publish), by: owner)
            let issued = try await stage.service.issueCode(of: id, stamps: 1, validFor: 600, by: owner)
            guard case .codeIssued(let code) = issued.facts.first?.event else {
                Issue.record("no code was issued")
                return
            }
            let customer = Caller(account: try #require(AccountID(text: cast.customer.account)))
            let stamped = try await stage.service.stamp(stage.service.stampCode(of: code), by: customer)
            let card = try #require(stamped.cards.first)
            #expect(try stage.service.opened(card).reward == "A clear drink")
            #expect(try await cast.owner.delete("/v1/me").status == 204)
            #expect(try stage.service.opened(card).reward == "")
            #expect(try await visitor.get("/v1/campaigns/\(id.text)").json["title"] == .string(""))
        }
    }

    private func expectSealed(_ stage: Stage, _ texts: [String]) throws {
        var log: [UInt8] = []
        try stage.service.log.scan { _, record in
            for place in record.bytes.indices { log.append(record.bytes[place]) }
            return true
        }
        for text in texts { #expect(Data(log).range(of: Data(text.utf8)) == nil, "\(text) is in the log") }
    }

    @Test("An operator's phone stays an operator's after its account was deleted")
    func operators() async throws {
        try await onStage { _, visitor in
            _ = try await visitor.signedIn(Stage.operatorPhone).delete("/v1/me")
            #expect(try await visitor.signedIn(Stage.operatorPhone).get("/v1/me").json["isOperator"] == .bool(true))
        }
    }

    @Test("If the key cannot be destroyed at once, all sessions end, an error is reported, and the deletion finishes later")
    func keyStays() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let account = try #require(AccountID(text: me.account))
            #expect(try await me.get("/v1/me/cards").status == 200)
            let (file, away) = (stage.folder + "/keys/data.mdb", stage.folder + "/keys/away")
            try FileManager.default.moveItem(atPath: file, toPath: away)
            try await me.delete("/v1/me", key: "end").expectProblem("internal", 500)
            #expect(try stage.service.past.account(account) == nil)
            for path in ["/v1/me/cards", "/v1/me"] { try await me.get(path).expectProblem("unauthenticated", 401) }
            try await me.delete("/v1/me", key: "end").expectProblem("unauthenticated", 401)
            try FileManager.default.moveItem(atPath: away, toPath: file)
            let name = Data(stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: account.value >> UInt128($0)) })
            try await eventually("the key is destroyed") { try Data(contentsOf: URL(filePath: file)).firstRange(of: name) == nil }
        }
    }
}
