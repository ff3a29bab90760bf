import Testing

@Suite("Reversed stamps", .timeLimit(.minutes(15)))
struct StampReversalTests {
    private static let reason = #"{"reason":"Refunded"}"#

    @Test("A reversal takes the stamps back, and the card's history says why")
    func reverse() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 3).code)
            let (card, position) = (try stamped.string("card", "id"), try stamped.int("position"))
            let path = "/v1/stamps/\(position)/reversal"
            let reversed = try await cast.owner.post(path, Self.reason, key: "k")
            #expect(reversed.status == 200, "\(reversed.text)")
            #expect(try reversed.int("added") == -3)
            #expect(try reversed.string("card", "status") == "collecting")
            #expect(reversed.position == stage.head)
            let seen = try await cast.customer.get("/v1/cards/\(card)")
            #expect(try seen.int("stamps") == 0)
            let last = try #require(try seen.json["history"]?.items?.last)
            #expect(last["kind"]?.string == "stampReversed" && last["reason"]?.string == "Refunded")
            let head = stage.head
            #expect(try await cast.owner.post(path, Self.reason, key: "k").body == reversed.body)
            try await cast.owner.post(path, Self.reason).expectProblem("notReversible", 409)
            #expect(stage.head == head)
        }
    }

    private static func part(_ stamps: Int) -> String { #"{"reason":"Refunded","stamps":\#(stamps)}"# }

    @Test("A part is taken back, once for each key, and the rest later")
    func part() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 3).code)
            let path = "/v1/stamps/\(try stamped.int("position"))/reversal"
            let one = try await cast.owner.post(path, Self.part(1), key: "one")
            #expect(try one.status == 200 && one.int("added") == -1 && one.int("card", "stamps") == 2)
            let head = stage.head
            #expect(try await cast.owner.post(path, Self.part(1), key: "one").body == one.body)
            try await cast.owner.post(path, Self.part(2), key: "one").expectProblem("idempotencyKeyReused", 422)
            try await cast.owner.post(path, Self.reason, key: "one").expectProblem("idempotencyKeyReused", 422)
            try await cast.owner.post(path, Self.part(1)).expectProblem("idempotencyKeyRequired", 400)
            for stamps in [3, 0, -1, 61] {
                try await cast.owner.post(path, Self.part(stamps), key: "k\(stamps)").expectInvalid("/stamps")
            }
            #expect(stage.head == head)
            let rest = try await cast.owner.post(path, Self.reason)
            #expect(try rest.status == 200 && rest.int("added") == -2 && rest.int("card", "stamps") == 0)
            try await cast.owner.post(path, Self.part(1), key: "more").expectProblem("notReversible", 409)
        }
    }

    @Test("Of 64 requests at once that each take one stamp back, as many are accepted as the code gave")
    func manyParts() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 10)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 9).code)
            let path = "/v1/stamps/\(try stamped.int("position"))/reversal"
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<64 {
                    group.addTask { try await cast.owner.post(path, Self.part(1), key: "part-\(number)").status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 9, 409: 55])
            #expect(try await cast.customer.get("/v1/cards/\(try stamped.string("card", "id"))").int("stamps") == 0)
        }
    }

    @Test("After two of three purchases are refunded, the customer has the stamps of the other one, and no others")
    func twoRefunds() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 10)
            var positions: [Int] = []
            for stamps in [8, 6, 8] { positions.append(try await cast.stamp(try await cast.issue(stamps: stamps).code).int("position")) }
            for (position, added) in [(positions[1], -6), (positions[2], -8)] {
                let reversed = try await cast.owner.post("/v1/stamps/\(position)/reversal", Self.reason)
                #expect(reversed.status == 200, "\(reversed.text)")
                #expect(try reversed.int("added") == added)
            }
            let cards = try await cast.customer.get("/v1/me/cards?status=collecting,full")
            #expect(try cards.json["items"]?.items?.map { $0["stamps"]?.int } == [8])
        }
    }

    @Test("A redemption code that is already shown at the counter becomes invalid when its card loses stamps")
    func shownRedemption() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 3).code)
            let redemption = try await cast.redemption(of: try stamped.string("card", "id"))
            #expect(try await cast.owner.post("/v1/stamps/\(try stamped.int("position"))/reversal", Self.reason).status == 200)
            try await cast.redeem(redemption.code).expectProblem("redemptionNotValid", 422)
        }
    }

    @Test("Only the shop's people may reverse, within 24 hours, with a reason, and only a stamp")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let position = try await cast.stamp(try await cast.issue().code).int("position")
            let stranger = try await visitor.signedIn("+8613800138003", name: "stranger")
            let head = stage.head
            let path = "/v1/stamps/\(position)/reversal"
            try await visitor.post(path, Self.reason).expectProblem("unauthenticated", 401)
            try await cast.customer.post(path, Self.reason).expectProblem("forbidden", 403)
            try await stranger.post(path, Self.reason).expectProblem("notFound", 404)
            for place in ["1", "0", "999999", "-1", "01", "x", "18446744073709551616"] {
                try await cast.owner.post("/v1/stamps/\(place)/reversal", Self.reason).expectProblem("notFound", 404)
            }
            for body in ["{}", #"{"reason":""}"#, #"{"reason":1}"#, #"{"reason":"\u0000"}"#] {
                try await cast.owner.post(path, body).expectInvalid("/reason")
            }
            #expect(stage.head == head)
            stage.clock.advance(seconds: 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            try await owner.post(path, Self.reason).expectProblem("notReversible", 409)
        }
    }

    @Test("Of 64 concurrent reversals exactly one succeeds")
    func race() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let position = try await cast.stamp(try await cast.issue().code).int("position")
            let head = stage.head
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try await cast.owner.post("/v1/stamps/\(position)/reversal", Self.reason).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 409 } == 63)
            #expect(stage.head == head + 1)
        }
    }

    @Test("Of a reversal and a redemption at the same time exactly one happens")
    func raceWithTheReward() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for _ in 0..<8 {
                let stamped = try await cast.stamp(try await cast.issue(stamps: 3).code)
                let (card, position) = (try stamped.string("card", "id"), try stamped.int("position"))
                let code = try await cast.redemption(of: card).code
                async let reversal = cast.owner.post("/v1/stamps/\(position)/reversal", Self.reason)
                async let redemption = cast.redeem(code)
                let statuses = try await (reversal.status, redemption.status)
                #expect(statuses == (200, 422) || statuses == (409, 201), "\(statuses)")
                // The reversal leaves a card without stamps, which would collect the next code's stamps, so the customer discards the card.
                if statuses.0 == 200 { #expect(try await cast.customer.delete("/v1/cards/\(card)").status == 204) }
            }
        }
    }
}
