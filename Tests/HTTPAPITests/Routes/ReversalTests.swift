import Testing

@Suite("Reversals", .timeLimit(.minutes(15)))
struct ReversalTests {
    private static let reason = #"{"reason":"Wrong card"}"#

    private struct Redeemed {
        let cast: Cast
        let card: String
        let redemption: String
        let code: String
        var path: String { "/v1/redemptions/\(redemption)/reversal" }
    }

    private static func redeemed(_ visitor: Visitor) async throws -> Redeemed {
        let cast = try await Cast(visitor)
        let card = try await cast.fullCard()
        let redemption = try await cast.redemption(of: card)
        #expect(try await cast.redeem(redemption.code).status == 201)
        return Redeemed(cast: cast, card: card, redemption: redemption.id, code: redemption.code)
    }

    @Test("After a reversal the card is full and can be redeemed again")
    func reverse() async throws {
        try await onStage { stage, visitor in
            let done = try await Self.redeemed(visitor)
            let reversed = try await done.cast.owner.post(done.path, Self.reason, key: "k")
            #expect(reversed.status == 200, "\(reversed.text)")
            #expect(try reversed.string("redemption", "status") == "reversed")
            #expect(try reversed.string("card", "status") == "full")
            #expect(reversed.position == stage.head)
            let card = try await done.cast.customer.get("/v1/cards/\(done.card)")
            let kinds = try card.json["history"]?.items?.compactMap { $0["kind"]?.string }
            #expect(kinds == ["opened", "stamped", "redemptionRequested", "redeemed", "reversed"])
            #expect(try await done.cast.customer.get("/v1/redemptions/\(done.redemption)").string("status") == "reversed")
            try await done.cast.redeem(done.code).expectProblem("redemptionNotValid", 422)
            let again = try await done.cast.redemption(of: done.card)
            #expect(try await done.cast.redeem(again.code).status == 201)
            #expect(try await done.cast.customer.get("/v1/redemptions/\(done.redemption)").string("status") == "reversed")
            let head = stage.head
            #expect(try await done.cast.owner.post(done.path, Self.reason, key: "k").body == reversed.body)
            try await done.cast.owner.post(done.path, Self.reason).expectProblem("notReversible", 409)
            #expect(stage.head == head)
        }
    }

    @Test("A card's history has for each reversed stamp the time of the reversal, also if a newer card lost the stamp")
    func marked() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.stamp(try await cast.issue(stamps: 2).code).string("card", "id")
            let wrong = try #require(try await cast.stamp(try await cast.issue(stamps: 3).code).json["position"]?.int)
            func marks() async throws -> [Bool] {
                let history = try await cast.customer.get("/v1/cards/\(card)").json["history"]?.items ?? []
                return history.filter { $0["kind"]?.string == "stamped" }.map { $0["reversedAt"]?.string != nil }
            }
            #expect(try await marks() == [false, false])
            #expect(try await cast.owner.post("/v1/stamps/\(wrong)/reversal", Self.reason).status == 200)
            #expect(try await marks() == [false, true])
        }
    }

    @Test("Only a completed redemption can be reversed, and only within 24 hours")
    func tooLate() async throws {
        try await onStage { stage, visitor in
            let done = try await Self.redeemed(visitor)
            let pending = try await done.cast.redemption(of: try await done.cast.fullCard())
            try await done.cast.owner.post("/v1/redemptions/\(pending.id)/reversal", Self.reason).expectProblem("notReversible", 409)
            stage.clock.advance(seconds: 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let head = stage.head
            try await owner.post(done.path, Self.reason).expectProblem("notReversible", 409)
            #expect(stage.head == head)
        }
    }

    @Test("Only the shop's people may reverse, the holder is forbidden to, and others get 404")
    func others() async throws {
        try await onStage { stage, visitor in
            let done = try await Self.redeemed(visitor)
            let stranger = try await visitor.signedIn("+8613800138003", name: "stranger")
            let head = stage.head
            try await visitor.post(done.path, Self.reason).expectProblem("unauthenticated", 401)
            try await done.cast.customer.post(done.path, Self.reason).expectProblem("forbidden", 403)
            try await stranger.post(done.path, Self.reason).expectProblem("notFound", 404)
            try await done.cast.owner.post("/v1/redemptions/rdm_1/reversal", Self.reason).expectProblem("notFound", 404)
            for body in ["{}", #"{"reason":""}"#, #"{"reason":1}"#, #"{"reason":"\u0000"}"#] {
                try await done.cast.owner.post(done.path, body).expectInvalid("/reason")
            }
            #expect(stage.head == head)
            try await done.cast.hire(stranger)
            #expect(try await stranger.post(done.path, Self.reason).status == 200)
        }
    }

    @Test("Of 32 concurrent reversals exactly one succeeds")
    func race() async throws {
        try await onStage { stage, visitor in
            let done = try await Self.redeemed(visitor)
            let head = stage.head
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<32 { group.addTask { try await done.cast.owner.post(done.path, Self.reason).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 409 } == 31)
            #expect(stage.head == head + 1)
        }
    }
}
