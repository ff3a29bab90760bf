import CommandService
import Loyalty
import LoyaltyCodec
import ReadModels
import Testing

@Suite("erasing oneself")
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
            _ = try await me.put("/v1/me/password", #"{"new":"correct horse"}"#)
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
}
