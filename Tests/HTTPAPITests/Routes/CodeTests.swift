import HTTPTypes
import Testing

@Suite("Codes and stamps", .timeLimit(.minutes(15)))
struct CodeTests {
    @Test("A code is returned as text, as a link and as a QR picture")
    func issue() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let reply = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes")
            #expect(reply.status == 201)
            #expect(try reply.json.names == ["id", "code", "payload", "qrSvg", "expiresAt"])
            let code = try reply.string("code")
            #expect(code.wholeMatch(of: #/[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/#) != nil)
            #expect(try reply.string("payload") == "\(Stage.publicURL)/s/" + code.filter { $0 != "-" })
            #expect(try reply.string("qrSvg").hasPrefix("<svg "))
            #expect(try reply.string("expiresAt") == "2026-11-21T09:10:00.000Z")
            #expect(reply.headers[.cacheControl] == "no-store")
            let id = try reply.string("id")
            #expect(reply.headers[.location] == "/v1/codes/\(id)")
            let status = try await cast.owner.get("/v1/codes/\(id)")
            #expect(try status.string("status") == "open")
            #expect(!status.text.contains(code))
            try await cast.customer.get("/v1/codes/\(id)").expectProblem("notFound", 404)
        }
    }

    @Test(
        "A code is accepted in any common spelling",
        arguments: [
            { $0 }, { $0.lowercased() }, { $0.filter { $0 != "-" } }, { " " + $0.replacing("-", with: "  ") + " " },
            {
                $0.replacing("1", with: "l").replacing("0", with: "o")
            },
        ] as [@Sendable (String) -> String])
    func typed(_ spell: @Sendable (String) -> String) async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            #expect(try await cast.stamp(spell(try await cast.issue().code)).status == 201)
        }
    }

    @Test("A scanned link is accepted like a typed code, for stamps and for rewards")
    func scanned() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 1)
            let shown = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes")
            let stamped = try await cast.stamp(try shown.string("payload"))
            #expect(stamped.status == 201, "\(stamped.text)")
            let card = try stamped.string("card", "id")
            let request = try await cast.customer.post("/v1/cards/\(card)/redemption")
            try await cast.redeem(try request.string("payload").replacing("/r/", with: "/s/")).expectProblem("redemptionNotValid", 422)
            #expect(try await cast.redeem("https://elsewhere.example/r/" + request.string("code").lowercased()).status == 201)
        }
    }

    @Test("Stamps fill an open card first, and those beyond the goal open new cards")
    func cards() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let first = try await cast.stamp(try await cast.issue(stamps: 2).code)
            #expect(first.status == 201)
            #expect(try first.json.names == ["card", "cards", "added", "position", "at"])
            #expect(try first.int("added") == 2)
            let card = try first.string("card", "id")
            #expect(first.headers[.location] == "/v1/cards/\(card)")
            #expect(
                try first.json["card"]?.names == [
                    "id", "campaign", "shop", "status", "stamps", "goal", "reward", "openedAt", "history",
                ])
            #expect(try first.string("card", "campaign") == cast.campaign)
            #expect(try first.string("card", "shop") == cast.shop)
            #expect(try UInt64(first.int("position")) == stage.head && first.position == stage.head)
            let seen = try await cast.customer.get("/v1/cards/\(card)")
            #expect(try seen.json == first.json["card"])

            let second = try await cast.stamp(try await cast.issue(stamps: 5).code)
            #expect(try second.int("added") == 5)
            #expect(try second.string("card", "id") == card)
            #expect(try second.string("card", "status") == "full")
            let statuses = try second.json["cards"]?.items?.map { $0["status"]?.string }
            #expect(statuses == ["full", "full", "collecting"])
            let stamps = try second.json["cards"]?.items?.map { $0["stamps"]?.int }
            #expect(stamps == [3, 3, 1])
        }
    }

    @Test("Unknown, used, destroyed, expired, foreign and malformed codes get the same answer")
    func notValid() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let other = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody()).string("id")
            let (used, destroyed, expiring, good) = (
                try await cast.issue(), try await cast.issue(), try await cast.issue(validFor: 1), try await cast.issue()
            )
            _ = try await cast.stamp(used.code)
            #expect(try await cast.owner.delete("/v1/codes/\(destroyed.id)").status == 204)
            stage.clock.advance(seconds: 1)
            let head = stage.head
            var answers: [Reply] = []
            for code in ["AAAA-AAAA", used.code, destroyed.code, expiring.code, "", "AAAA-AAA", "AAAA-AAAAA", "UUUU-UUUU", "奶茶"] {
                answers.append(try await cast.stamp(code))
            }
            let body = #"{"code":"\#(good.code)","campaign":"\#(other)"}"#
            answers.append(try await cast.customer.post("/v1/stamps", body, key: "k"))
            for answer in answers { try answer.expectProblem("codeNotValid", 422) }
            #expect(Set(try answers.map { try $0.string("detail") }).count == 1)
            #expect(stage.head == head)
            for (id, status) in [(used.id, "used"), (destroyed.id, "destroyed"), (expiring.id, "expired"), (good.id, "open")] {
                #expect(try await cast.owner.get("/v1/codes/\(id)").string("status") == status)
            }
        }
    }

    @Test("Ten wrong codes stop an account for ten minutes, and other accounts are not affected")
    func budget() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue(validFor: 3_600).code
            for _ in 0..<10 { try await cast.stamp("AAAA-AAAA").expectProblem("codeNotValid", 422) }
            let head = stage.head
            let stopped = try await cast.stamp(code)
            try stopped.expectProblem("rateLimited", 429)
            #expect(stopped.headers[.retryAfter] == "600")
            #expect(stage.head == head)
            let other = try await visitor.signedIn("+8613800138003")
            try await cast.stamp("AAAA-AAAA", as: other).expectProblem("codeNotValid", 422)
            stage.clock.advance(seconds: 600)
            #expect(
                try await cast.customer.post("/v1/sessions/refresh", #"{"refreshToken":"\#(cast.customer.refreshToken!)"}"#).status == 201)
            #expect(try await cast.stamp(code).status == 201)
        }
    }

    @Test("A rate-limited account still gets replays of accepted requests, and its key reveals nothing about other codes")
    func retriesPassTheBudget() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (code, other) = (try await cast.issue().code, try await cast.issue().code)
            let first = try await cast.stamp(code, key: "mine")
            for _ in 0..<10 { try await cast.stamp("AAAA-AAAA").expectProblem("codeNotValid", 422) }
            let head = stage.head
            let again = try await cast.stamp(code, key: "mine")
            #expect(again.status == 201 && again.body == first.body)
            for guess in [other, "AAAA-AAAB", "no code"] {
                try await cast.stamp(guess, key: "mine").expectProblem("idempotencyKeyReused", 422)
            }
            try await cast.stamp(other, key: "new").expectProblem("rateLimited", 429)
            #expect(stage.head == head)
        }
    }

    @Test("An owner cannot collect stamps at their own shop")
    func own() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let head = stage.head
            try await cast.stamp(code, as: cast.owner).expectProblem("ownCampaign", 403)
            #expect(stage.head == head)
            #expect(try await cast.stamp(code).status == 201)
        }
    }

    @Test("Destroying a code again changes nothing, and a used or foreign code cannot be destroyed")
    func destroy() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (open, used) = (try await cast.issue(), try await cast.issue())
            _ = try await cast.stamp(used.code)
            try await cast.customer.delete("/v1/codes/\(open.id)").expectProblem("notFound", 404)
            #expect(try await cast.owner.delete("/v1/codes/\(open.id)").status == 204)
            let head = stage.head
            #expect(try await cast.owner.delete("/v1/codes/\(open.id)").status == 204)
            try await cast.owner.delete("/v1/codes/\(used.id)").expectProblem("codeNotOpen", 409)
            #expect(stage.head == head)
        }
    }
}
