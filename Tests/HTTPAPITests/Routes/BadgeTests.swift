import CommandService
import Composition
import HTTPTypes
import Testing

@Suite("Stamps at the counter", .timeLimit(.minutes(15)))
struct BadgeTests {
    private func give(
        _ cast: Cast, _ body: String, as visitor: Visitor? = nil, key: String = "give"
    ) async throws -> Reply {
        try await (visitor ?? cast.owner).post("/v1/campaigns/\(cast.campaign)/stamps", body, key: key)
    }

    @Test("A badge is valid for two minutes; its text says nothing about its account, and no two texts are alike")
    func badge() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let badge = try await cast.customer.get("/v1/me/badge")
            #expect(try badge.json.names == ["code", "payload", "qrSvg", "expiresAt"])
            #expect(badge.headers[.cacheControl] == "no-store")
            #expect(try badge.string("expiresAt") == "2026-11-21T09:02:00.000Z")
            let (code, payload) = (try badge.string("code"), try badge.string("payload"))
            #expect(code.count == 64 && payload == "\(Stage.publicURL)/b/" + code)
            #expect(!badge.text.contains(cast.customer.account))
            #expect(try await cast.customer.get("/v1/me/badge").string("code") != code)
            let given = try await give(cast, #"{"badge":"\#(code)","stamps":2}"#)
            #expect(given.status == 201, "\(given.text)")
            #expect(try given.int("added") == 2)
            #expect(try given.json["card"]?.names == ["id", "campaign", "shop", "status", "stamps", "goal", "reward", "openedAt"])
            let card = try given.string("card", "id")
            #expect(try await cast.customer.get("/v1/cards/\(card)").int("stamps") == 2)
            #expect(try await give(cast, #"{"badge":"\#(payload)"}"#, key: "link").string("card", "status") == "full")
            stage.clock.advance(seconds: 119)
            #expect(try await give(cast, #"{"badge":"\#(code)"}"#, key: "late").status == 201)
            stage.clock.advance(seconds: 1)
            let head = stage.head
            try await give(cast, #"{"badge":"\#(code)"}"#, key: "too-late").expectProblem("badgeNotValid", 422)
            // A retry of an accepted request gets the original answer.
            #expect(try await give(cast, #"{"badge":"\#(code)","stamps":2}"#).body == given.body)
            #expect(stage.head == head)
        }
    }

    @Test("The badge of an erased account is refused like any invalid one, and a retry of an earlier stamp is answered again")
    func erased() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.customer.get("/v1/me/badge").string("code")
            let given = try await give(cast, #"{"badge":"\#(code)"}"#)
            #expect(given.status == 201)
            #expect(try await cast.customer.delete("/v1/me").status == 204)
            let head = stage.head
            try await give(cast, #"{"badge":"\#(code)"}"#, key: "after").expectProblem("badgeNotValid", 422)
            let again = try await give(cast, #"{"badge":"\#(code)"}"#)
            #expect(again.status == 201 && again.body == given.body)
            #expect(stage.head == head)
        }
    }

    @Test("A badge whose account is erased while 64 requests show it is stamped or refused as invalid, never as not found")
    func erasedMeanwhile() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.customer.get("/v1/me/badge").string("code")
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for number in 0..<64 {
                    if number == 16 { group.addTask { try await cast.customer.delete("/v1/me") } }
                    group.addTask { try await give(cast, #"{"badge":"\#(code)"}"#, key: "\(number)") }
                }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 204 } == 1)
            for reply in replies where ![201, 204].contains(reply.status) { try reply.expectProblem("badgeNotValid", 422) }
        }
    }

    @Test("A text that the server has not made is refused as an invalid badge")
    func forged() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.customer.get("/v1/me/badge").string("code")
            let flipped = (code.first == "A" ? "B" : "A") + code.dropFirst()
            // The requests with a bad badge are sent after one with a valid badge, so that the customer has a card that is still collecting
            // stamps.
            #expect(try await give(cast, #"{"badge":"\#(code)","stamps":1}"#, key: "collecting").status == 201)
            let head = stage.head
            for badge in ["", "x", flipped, String(code.dropLast()), code + "A", String(repeating: "A", count: 64), cast.customer.account] {
                try await give(cast, #"{"badge":"\#(badge)"}"#).expectProblem("badgeNotValid", 422)
            }
            for body in ["{}", #"{"badge":"\#(code)","phone":"+8613800138002"}"#, #"{"badge":7}"#] {
                try await give(cast, body).expectInvalid("/badge")
            }
            for phone in ["", "13800138002", "+", "+0123456789", "x"] {
                try await give(cast, #"{"phone":"\#(phone)"}"#).expectInvalid("/phone")
            }
            for stamps in ["0", "11", "-1", "1.5", "\"1\"", "-9223372036854775808", "-9223372036854775807", "9223372036854775807"] {
                try await give(cast, #"{"badge":"\#(code)","stamps":\#(stamps)}"#).expectInvalid("/stamps")
            }
            try await cast.owner.post("/v1/campaigns/\(cast.campaign)/stamps", #"{"badge":"\#(code)"}"#)
                .expectProblem("idempotencyKeyRequired", 400)
            try await give(cast, #"{"badge":"\#(code)"}"#, as: cast.customer).expectProblem("forbidden", 403)
            let own = try await cast.owner.get("/v1/me/badge").string("code")
            try await give(cast, #"{"badge":"\#(own)"}"#).expectProblem("ownCampaign", 403)
            #expect(stage.head == head)
        }
    }

    @Test("Somebody who works at none of the campaign's shops gets one refusal for valid and invalid badges, numbers and paper cards")
    func outsiders() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let rival = try await visitor.signedIn("+8613800138055", name: "rival")
            _ = try await rival.post("/v1/shops", Cast.shopBody)
            let valid = try await cast.customer.get("/v1/me/badge").string("code")
            let printed = try await cast.owner.post(
                "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":1}"#, key: "print",
                headers: [.accept: "application/json"])
            let paper = try #require(try printed.json["cards"]?[0]?["code"]?.string)
            let head = stage.head
            let bodies = [
                #"{"badge":"\#(valid)"}"#, #"{"badge":"x"}"#, #"{"paper":"\#(paper)"}"#, #"{"paper":"0000-0000-0000-0000"}"#,
                #"{"phone":"+8613800138002"}"#, #"{"phone":"x"}"#, "{}",
            ]
            for outsider in [rival, cast.customer] {
                for (number, body) in bodies.enumerated() {
                    try await give(cast, body, as: outsider, key: "\(number)").expectProblem("forbidden", 403)
                }
            }
            let unknown = "/v1/campaigns/camp_00000000000000000000000000/stamps"
            try await rival.post(unknown, #"{"badge":"x"}"#, key: "unknown").expectProblem("notFound", 404)
            #expect(stage.head == head)
        }
    }

    @Test("A retry of a stamp by somebody who left the shop since is answered again, and a new request is refused")
    func formerStaff() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138003", name: "member")
            try await cast.hire(member)
            let badge = try await cast.customer.get("/v1/me/badge").string("code")
            let bodies = [#"{"badge":"\#(badge)"}"#, #"{"phone":"+8613800138002"}"#]
            var given: [Reply] = []
            for (number, body) in bodies.enumerated() { given.append(try await give(cast, body, as: member, key: "\(number)")) }
            #expect(try await cast.owner.delete("/v1/shops/\(cast.shop)/staff/\(member.account)").status == 204)
            for (number, body) in bodies.enumerated() {
                let again = try await give(cast, body, as: member, key: "\(number)")
                #expect(again.status == 201 && again.body == given[number].body, "\(again.text)")
                try await give(cast, body, as: member, key: "new").expectProblem("forbidden", 403)
            }
        }
    }

    @Test("The card of a known number is stamped, and 64 concurrent requests with the same key stamp once")
    func phone() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try await give(cast, #"{"phone":"+8613800138002"}"#).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 201 })
            #expect(stage.head == head + 3)
            let cards = try await cast.customer.get("/v1/me/cards")
            #expect(try cards.json["items"]?.items?.map { $0["stamps"]?.int } == [1])
        }
    }

    @Test("An unknown number gets a card, which is kept for ninety days for the person who verifies the number", arguments: [89, 90])
    func unknownNumber(_ days: Int) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let number = "+8613800138077"
            let given = try await give(cast, #"{"phone":"\#(number)","stamps":2}"#, key: "1")
            #expect(given.status == 201, "\(given.text)")
            // Another gift to the same phone number goes to the same card.
            let again = try await give(cast, #"{"phone":"\#(number)"}"#, key: "2")
            #expect(try again.string("card", "id") == given.string("card", "id"))
            #expect(try again.string("card", "status") == "full")
            stage.clock.advance(seconds: Int64(days) * 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let person = try await visitor.signedIn(number, name: "person")
            let cards = try #require(try await person.get("/v1/me/cards").json["items"]?.items)
            #expect(cards.count == (days < 90 ? 1 : 0))
            guard let card = cards.first?["id"]?.string else { return }
            let code = try await person.post("/v1/cards/\(card)/redemption").string("code")
            #expect(try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem").status == 201)
        }
    }

    @Test("A refused gift reserves no number, and neither does a key that was used for something else")
    func refusedGift() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let number = "+8613911111111"
            let head = stage.head
            try await give(cast, #"{"phone":"\#(number)","stamps":0}"#, key: "none").expectInvalid("/stamps")
            try await give(cast, #"{"phone":"\#(number)","shop":"\#(cast.campaign)"}"#, key: "place").expectInvalid("/shop")
            #expect(stage.head == head)
            #expect(try await give(cast, #"{"phone":"+8613800138002"}"#, key: "used").status == 201)
            try await give(cast, #"{"phone":"\#(number)"}"#, key: "used").expectProblem("idempotencyKeyReused", 422)
            #expect(try !stage.service.isKnown(try #require(E164Number(number))))
            #expect(try await give(cast, #"{"phone":"\#(number)"}"#, key: "good").status == 201)
            #expect(try stage.service.isKnown(try #require(E164Number(number))))
        }
    }

    @Test("A member of a shop may give stamps to a limited number of unknown phone numbers a day")
    func bounded() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 50)
            for number in 0..<300 {
                #expect(try await give(cast, #"{"phone":"+86139\#(10_000_000 + number)"}"#, key: "\(number)").status == 201)
            }
            try await give(cast, #"{"phone":"+8613911111111"}"#, key: "more").expectProblem("rateLimited", 429)
            // A gift to a registered number is refused in the same way. Otherwise a member of the staff could find out which numbers are
            // registered.
            try await give(cast, #"{"phone":"+8613800138002"}"#, key: "known").expectProblem("rateLimited", 429)
            try await give(cast, #"{"phone":"+8613910000007"}"#, key: "again").expectProblem("rateLimited", 429)
            // A retry of a gift that was accepted gets the original answer.
            #expect(try await give(cast, #"{"phone":"+8613910000007"}"#, key: "7").status == 201)
            // At another owner's shop, the exhausted budget must not reveal which phone numbers are registered.
            let rival = try await visitor.signedIn("+8613800138055")
            let shop = try await rival.post("/v1/shops", Cast.shopBody).string("id")
            let foreign = try await rival.post("/v1/shops/\(shop)/campaigns", Cast.campaignBody()).string("id")
            for phone in ["+8613911111111", "+8613800138002"] {
                try await cast.owner.post("/v1/campaigns/\(foreign)/stamps", #"{"phone":"\#(phone)"}"#, key: phone)
                    .expectProblem("forbidden", 403)
            }
        }
    }

    @Test("A member of a shop may give stamps to phone numbers, known or not, a limited number of times in ten minutes")
    func boundedGifts() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 50)
            let body = #"{"phone":"+8613800138002"}"#
            // Neither a refused gift nor a retry uses up the budget.
            try await give(cast, #"{"phone":"+8613800138001"}"#, key: "own").expectProblem("ownCampaign", 403)
            for number in 0..<400 {
                #expect(try await give(cast, body, key: "\(number)").status == 201)
                if number == 7 { #expect(try await give(cast, body, key: "7").status == 201) }
            }
            let head = stage.head
            try await give(cast, body, key: "more").expectProblem("rateLimited", 429)
            try await give(cast, #"{"phone":"+8613911111111"}"#, key: "new").expectProblem("rateLimited", 429)
            #expect(try await give(cast, body, key: "8").status == 201, "a retry is answered as before")
            let badge = try await cast.customer.get("/v1/me/badge").string("code")
            #expect(stage.head == head)
            #expect(try await give(cast, #"{"badge":"\#(badge)"}"#, key: "badge").status == 201, "the budget is for phone numbers only")
            stage.clock.advance(seconds: 600)
            #expect(try await give(cast, body, key: "more").status == 201)
        }
    }
}
