import CommandService
import Foundation
import Loyalty
import LoyaltyCodec
import ReadModels
import Testing

@Suite("erasing oneself", .timeLimit(.minutes(40)))
struct ErasureTests {
    @Test("ends every session, leaves what counts, and says nothing more about the person")
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

    @Test("ends its refresh tokens like any other that is not good")
    func refresh() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let token = try #require(me.refreshToken)
            #expect(try await me.delete("/v1/me").status == 204)
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).expectProblem("unauthenticated", 401)
        }
    }

    @Test("frees the phone for a new account that has nothing of the old one, as often as one likes")
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

    @Test("takes the password along: the new account has none")
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

    @Test("of an owner ends the shop's campaigns; the shop stays")
    func owner() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            #expect(try await cast.owner.delete("/v1/me").status == 204)
            try await cast.stamp(code).expectProblem("campaignNotRunning", 409)
            #expect(try await visitor.get("/v1/shops/\(cast.shop)").status == 200)
            let anew = try await visitor.signedIn("+8613800138001")
            #expect(try await anew.get("/v1/me").json["isMerchant"] == .bool(false))
        }
    }

    @Test("keeps an operator's phone an operator's")
    func operators() async throws {
        try await onStage { _, visitor in
            _ = try await visitor.signedIn(Stage.operatorPhone).delete("/v1/me")
            #expect(try await visitor.signedIn(Stage.operatorPhone).get("/v1/me").json["isOperator"] == .bool(true))
        }
    }

    @Test("ends every session also where the key cannot be destroyed at once, says that something went wrong, and finishes by itself")
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
            while try Data(contentsOf: URL(filePath: file)).firstRange(of: name) != nil {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
