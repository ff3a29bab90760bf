import HTTPTypes
import Testing

@Suite("Operators", .timeLimit(.minutes(15)))
struct AdminTests {
    private static func head(_ visitor: Visitor) async throws -> Visitor {
        try await visitor.signedIn(Stage.operatorPhone, name: "operator")
    }

    @Test("An operator corrects a card by an event in the card's history")
    func adjust() async throws {
        try await onStage { stage, visitor in
            let (cast, head) = (try await Cast(visitor), try await Self.head(visitor))
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            let path = "/v1/admin/cards/\(card)/adjustments"
            let adjusted = try await head.post(path, #"{"stamps":2,"reason":"Machine was down"}"#, key: "k")
            #expect(adjusted.status == 201, "\(adjusted.text)")
            #expect(try adjusted.string("card", "status") == "full" && adjusted.int("card", "stamps") == 3)
            #expect(adjusted.position == stage.head)
            let again = try await head.post(path, #"{"stamps":2,"reason":"Machine was down"}"#, key: "k")
            #expect(again.body == adjusted.body && adjusted.position == stage.head)
            let less = try await head.post(path, #"{"stamps":-3,"reason":"Not that card"}"#)
            #expect(try less.string("card", "status") == "collecting" && less.int("card", "stamps") == 0)
            let seen = try await cast.customer.get("/v1/cards/\(card)")
            let history = try #require(try seen.json["history"]?.items)
            #expect(history.compactMap { $0["kind"]?.string } == ["opened", "stamped", "adjusted", "adjusted"])
            #expect(history.compactMap { $0["stamps"]?.int } == [0, 1, 2, -3])
            #expect(try await cast.stamp(try await cast.issue().code).string("card", "id") == card, "the card takes stamps again")
        }
    }

    @Test("An adjustment with a stale version is rejected, so that sending it twice applies it once")
    func onceOnly() async throws {
        try await onStage { stage, visitor in
            let (cast, head) = (try await Cast(visitor), try await Self.head(visitor))
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            let path = "/v1/admin/cards/\(card)/adjustments"
            let body = #"{"stamps":1,"reason":"Machine was down"}"#
            let events = try await head.get("/v1/admin/events?tag=card:\(card)").json["items"]?.items ?? []
            let seen: HTTPFields = [.ifMatch: "\"\(try #require(events.last?["position"]?.int))\""]
            let adjusted = try await head.post(path, body, headers: seen)
            #expect(adjusted.status == 201)
            try await head.post(path, body, headers: seen).expectProblem("versionConflict", 412)
            #expect(stage.head == adjusted.position)
            let next: HTTPFields = [.ifMatch: try #require(adjusted.headers[.eTag])]
            #expect(try await head.post(path, body, headers: next).int("card", "stamps") == 3)
        }
    }

    @Test("The reason of a correction is shown wherever the card is shown")
    func reasons() async throws {
        try await onStage { stage, visitor in
            let (cast, head) = (try await Cast(visitor), try await Self.head(visitor))
            let card = try await cast.fullCard()
            let redemption = try await cast.redemption(of: card)
            _ = try await cast.redeem(redemption.code)
            let reversal = try await cast.owner.post("/v1/redemptions/\(redemption.id)/reversal", #"{"reason":"换错了"}"#)
            #expect(reversal.status == 200)
            let adjusted = try await head.post("/v1/admin/cards/\(card)/adjustments", #"{"stamps":-1,"reason":"Too\nmany"}"#)
            func reasons(_ card: JSONValue?) -> [String?] { card?["history"]?.items?.map { $0["reason"]?.string } ?? [] }
            let expected: [String?] = [nil, nil, nil, nil, "换错了", "Too\nmany"]
            #expect(try await reasons(cast.customer.get("/v1/cards/\(card)").json) == expected)
            #expect(try reasons(reversal.json["card"]) == Array(expected.dropLast()))
            #expect(try reasons(adjusted.json["card"]) == expected)
            #expect(try await reasons(cast.customer.get("/v1/me/export").json["cards"]?[0]) == expected)
            let stamped = try await cast.stamp(try await cast.issue().code)
            #expect(try reasons(stamped.json["card"]) == expected + [nil] && reasons(stamped.json["cards"]?[0]) == expected + [nil])
        }
    }

    @Test("An adjustment that a card cannot take is rejected, and the answer names the field")
    func impossible() async throws {
        try await onStage { stage, visitor in
            let (cast, head) = (try await Cast(visitor), try await Self.head(visitor))
            let card = try await cast.fullCard()
            let path = "/v1/admin/cards/\(card)/adjustments"
            let before = stage.head
            for stamps in ["1", "-4", "0", "99", "1.5", "\"1\"", "null"] {
                try await head.post(path, #"{"stamps":\#(stamps),"reason":"x"}"#).expectInvalid("/stamps")
            }
            try await head.post(path, #"{"stamps":-1}"#).expectInvalid("/reason")
            try await head.post(path, #"{"stamps":-1,"reason":" "}"#).expectInvalid("/reason")
            try await head.post("/v1/admin/cards/card_1/adjustments", #"{"stamps":1,"reason":"x"}"#).expectProblem("notFound", 404)
            let stale: HTTPFields = [.ifMatch: "\"1\""]
            try await head.post(path, #"{"stamps":-1,"reason":"x"}"#, headers: stale).expectProblem("versionConflict", 412)
            #expect(stage.head == before)
            let redemption = try await cast.redemption(of: card)
            #expect(try await cast.redeem(redemption.code).status == 201)
            try await head.post(path, #"{"stamps":-1,"reason":"x"}"#).expectInvalid("/stamps")
        }
    }

    @Test("Only an operator may use the operators' endpoints")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let before = stage.head
            let paths = ["/v1/admin/cards/\(card)/adjustments", "/v1/admin/shops/\(cast.shop)/suspension"]
            for path in paths {
                try await visitor.post(path, #"{"stamps":-1,"reason":"x"}"#).expectProblem("unauthenticated", 401)
                for someone in [cast.owner, cast.customer] {
                    try await someone.post(path, #"{"stamps":-1,"reason":"x"}"#).expectProblem("forbidden", 403)
                }
            }
            try await cast.owner.delete(paths[1]).expectProblem("forbidden", 403)
            try await cast.owner.get("/v1/admin/events").expectProblem("forbidden", 403)
            try await visitor.get("/v1/admin/events").expectProblem("unauthenticated", 401)
            #expect(stage.head == before)
        }
    }

    @Test("A suspended shop cannot issue codes, stamp or post notices until it is reinstated")
    func suspension() async throws {
        try await onStage { stage, visitor in
            let (cast, head) = (try await Cast(visitor), try await Self.head(visitor))
            let card = try await cast.fullCard()
            let redemption = try await cast.redemption(of: card)
            let code = try await cast.issue().code
            let path = "/v1/admin/shops/\(cast.shop)/suspension"
            try await head.post(path, "{}").expectInvalid("/reason")
            for _ in 0..<2 { #expect(try await head.post(path, #"{"reason":"Sells stamps"}"#).status == 204) }
            let suspended = stage.head
            #expect(try await visitor.get("/v1/shops/\(cast.shop)").json["suspended"] == .bool(true))
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").json["running"] == .bool(false))
            try await cast.stamp(code).expectProblem("suspended", 403)
            try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes").expectProblem("suspended", 403)
            let notice = #"{"title":"Closed","text":"They closed us.","audience":"shop"}"#
            try await cast.owner.post("/v1/notices", notice).expectProblem("suspended", 403)
            // At the suspended shop, full cards can still be redeemed.
            let preview = #"{"code":"\#(redemption.code)"}"#
            #expect(try await cast.owner.post("/v1/redemptions/preview", preview).status == 200)
            // A wrong code gets the usual answer, which does not reveal the suspension.
            try await cast.stamp("AAAA-AAAA").expectProblem("codeNotValid", 422)
            #expect(stage.head == suspended)
            for _ in 0..<2 { #expect(try await head.delete(path).status == 204) }
            #expect(stage.head == suspended + 1)
            #expect(try await cast.stamp(code).status == 201)
            #expect(try await cast.redeem(redemption.code).status == 201)
            let reinstated = stage.head
            #expect(try await head.post(path, #"{"reason":"Again"}"#).status == 204)
            try await head.send(.delete, path, #"{"reason":1}"#).expectInvalid("/reason")
            #expect(try await head.send(.delete, path, #"{"reason":"They stopped"}"#).status == 204)
            #expect(stage.head == reinstated + 2)
            try await head.post("/v1/admin/shops/shop_1/suspension", #"{"reason":"x"}"#).expectProblem("notFound", 404)
        }
    }
}
