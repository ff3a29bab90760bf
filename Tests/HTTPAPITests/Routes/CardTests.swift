import HTTPTypes
import Testing

@Suite("Cards and redemptions", .timeLimit(.minutes(15)))
struct CardTests {
    @Test("A card is visible to its holder only")
    func holder() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            try await cast.owner.get("/v1/cards/\(card)").expectProblem("notFound", 404)
            try await cast.owner.delete("/v1/cards/\(card)").expectProblem("notFound", 404)
            try await cast.owner.post("/v1/cards/\(card)/redemption").expectProblem("notFound", 404)
            try await visitor.get("/v1/cards/\(card)").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A discarded card leaves the list, and its pending redemption ends")
    func discard() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let redemption = try await cast.redemption(of: card)
            let reply = try await cast.customer.delete("/v1/cards/\(card)")
            #expect(reply.status == 204 && reply.body.isEmpty)
            #expect(reply.position == stage.head)
            #expect(try await cast.customer.get("/v1/me/cards").json["items"] == .array([]))
            #expect(try await cast.customer.get("/v1/cards/\(card)").string("status") == "discarded")
            #expect(try await cast.customer.get("/v1/redemptions/\(redemption.id)").string("status") == "expired")
            let head = stage.head
            try await cast.redeem(redemption.code).expectProblem("redemptionNotValid", 422)
            try await cast.customer.post("/v1/cards/\(card)/redemption").expectProblem("cardNotFull", 409)
            #expect(try await cast.customer.delete("/v1/cards/\(card)").status == 204)
            #expect(stage.head == head)
        }
    }

    @Test("A pending redemption ends when its holder's account is erased, and its shop's people see that it is over")
    func erasedHolder() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let redemption = try await cast.redemption(of: try await cast.fullCard())
            let path = "/v1/redemptions/\(redemption.id)"
            #expect(try await cast.owner.get(path).string("status") == "pending")
            #expect(try await cast.customer.delete("/v1/me").status == 204)
            try await cast.redeem(redemption.code).expectProblem("redemptionNotValid", 422)
            #expect(try await cast.owner.get(path).string("status") == "expired")
        }
    }

    @Test("A pending redemption ends when its holder becomes the shop's owner")
    func holderOwns() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138004", name: "member")
            try await cast.hire(member)
            let redemption = try await cast.redemption(of: try await cast.fullCard())
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/transfer", #"{"phone":"+8613800138002"}"#).status == 202)
            let offer = try #require(try await cast.customer.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
            #expect(try await cast.customer.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
            let body = #"{"code":"\#(redemption.code)"}"#
            try await member.post("/v1/redemptions", body, key: "redeem").expectProblem("redemptionNotValid", 422)
            for person in [member, cast.customer] {
                #expect(try await person.get("/v1/redemptions/\(redemption.id)").string("status") == "expired")
            }
            let changes = try #require(try await cast.customer.get("/v1/me/changes").json["items"]?.items)
            let changed = changes.first { $0["kind"] == .string("redemption") }
            #expect(changed?["value"]?["status"] == .string("expired"), "\(changes)")
        }
    }

    @Test("A full card can be redeemed exactly once")
    func redeem() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let asked = try await cast.customer.post("/v1/cards/\(card)/redemption")
            #expect(try asked.json.names == ["id", "code", "payload", "qrSvg", "expiresAt"])
            let (id, code) = (try asked.string("id"), try asked.string("code"))
            #expect(asked.headers[.location] == "/v1/redemptions/\(id)")
            #expect(try asked.string("payload") == "\(Stage.publicURL)/r/" + code.filter { $0 != "-" })
            #expect(try asked.string("expiresAt") == "2026-11-21T09:05:00.000Z")

            let head = stage.head
            let preview = try await cast.owner.post("/v1/redemptions/preview", #"{"code":"\#(code.lowercased())"}"#)
            #expect(preview.status == 200)
            #expect(try preview.string("redemption", "status") == "pending")
            #expect(try preview.string("reward") == "One free drink")
            #expect(stage.head == head)

            let redeemed = try await cast.redeem(code)
            #expect(redeemed.status == 201)
            #expect(try redeemed.json.names == ["redemption", "card", "reward", "position"])
            #expect(try redeemed.string("redemption", "id") == id)
            #expect(try redeemed.string("redemption", "status") == "redeemed")
            #expect(try redeemed.string("redemption", "card") == card)
            #expect(try redeemed.string("card", "status") == "redeemed")
            #expect(try redeemed.json["card"] == (try await cast.customer.get("/v1/cards/\(card)").json))
            for visitor in [cast.customer, cast.owner] {
                #expect(try await visitor.get("/v1/redemptions/\(id)").string("status") == "redeemed")
            }
            let after = stage.head
            try await cast.redeem(code).expectProblem("redemptionNotValid", 422)
            try await cast.customer.post("/v1/cards/\(card)/redemption").expectProblem("cardNotFull", 409)
            #expect(stage.head == after)
        }
    }

    @Test("A redemption ends when a newer one is requested, and after five minutes")
    func replaced() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let (older, newer) = (try await cast.redemption(of: card), try await cast.redemption(of: card))
            #expect(older.code != newer.code)
            #expect(try await cast.customer.get("/v1/redemptions/\(older.id)").string("status") == "replaced")
            try await cast.redeem(older.code).expectProblem("redemptionNotValid", 422)
            stage.clock.advance(seconds: 300)
            #expect(try await cast.customer.get("/v1/redemptions/\(newer.id)").string("status") == "expired")
            try await cast.redeem(newer.code).expectProblem("redemptionNotValid", 422)
        }
    }

    @Test("Another shop cannot redeem the code, a customer may not try, and a third account cannot see the redemption")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let redemption = try await cast.redemption(of: try await cast.fullCard())
            let rival = try await visitor.signedIn("+8613800138004")
            _ = try await rival.post("/v1/shops", Cast.shopBody)
            let stranger = try await visitor.signedIn("+8613800138005")
            let head = stage.head
            let body = #"{"code":"\#(redemption.code)"}"#
            for path in ["/v1/redemptions", "/v1/redemptions/preview"] {
                try await rival.post(path, body, key: "r").expectProblem("redemptionNotValid", 422)
                try await cast.customer.post(path, body, key: "c").expectProblem("forbidden", 403)
                try await visitor.post(path, body, key: "v").expectProblem("unauthenticated", 401)
                try await cast.owner.post(path, #"{"code":"no code"}"#, key: "o").expectProblem("redemptionNotValid", 422)
            }
            try await stranger.get("/v1/redemptions/\(redemption.id)").expectProblem("notFound", 404)
            #expect(stage.head == head)
        }
    }

    @Test("Ten wrong redemption codes, previews included, stop a shop")
    func budget() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for number in 0..<10 {
                let path = number % 2 == 0 ? "/v1/redemptions" : "/v1/redemptions/preview"
                try await cast.owner.post(path, #"{"code":"AAAA-AAAA"}"#, key: "k\(number)").expectProblem("redemptionNotValid", 422)
            }
            try await cast.redeem("AAAA-AAAA").expectProblem("rateLimited", 429)
        }
    }

    @Test("A card that is not full cannot be redeemed")
    func notFull() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            let head = stage.head
            try await cast.customer.post("/v1/cards/\(card)/redemption").expectProblem("cardNotFull", 409)
            #expect(stage.head == head)
        }
    }
}
