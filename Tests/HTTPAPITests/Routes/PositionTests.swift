import HTTPTypes
import Testing

@Suite("Positions", .timeLimit(.minutes(15)))
struct PositionTests {
    private func get(_ visitor: Visitor, _ path: String, from position: String) async throws -> Reply {
        try await visitor.get(path, headers: [.minPosition: position])
    }

    @Test("A read from the position of a write sees that write, and every answer to a write has its position")
    func readYourWrites() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for _ in 0..<20 {
                let reply = try await cast.stamp(try await cast.issue().code)
                let card = try reply.string("card", "id")
                let position = try #require(reply.position)
                #expect(position == stage.head)
                let seen = try await get(cast.customer, "/v1/cards/\(card)", from: "\(position)")
                #expect(try seen.json == reply.json["card"])
            }
        }
    }

    @Test("A rejected write returns the log's position, and a rejected read does not")
    func refusals() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let refused = try await cast.stamp("ZZZZ-ZZZZ")
            try refused.expectProblem("codeNotValid", 422)
            #expect(refused.position == stage.head)
            #expect(try await cast.owner.edit("/v1/shops/\(cast.shop)", "{}", seen: nil).position == stage.head)
            #expect(try await visitor.delete("/v1/me").position == stage.head)
            #expect(try await visitor.get("/v1/me").position == nil)
        }
    }

    @Test("A read waits for a later position, but not forever")
    func notCaughtUp() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let start = ContinuousClock.now
            let reply = try await get(cast.customer, "/v1/me/cards", from: "\(stage.head + 1)")
            try reply.expectProblem("notCaughtUp", 503)
            #expect(reply.headers[.retryAfter] == "1")
            #expect((ContinuousClock.now - start) / .seconds(1) >= 1.5)
        }
    }

    @Test("An invalid position is rejected on every read", arguments: ["-1", "x", "1.0", "+1", "18446744073709551616"])
    func malformed(_ position: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for path in [
                "/v1/me", "/v1/me/cards", "/v1/shops/\(cast.shop)", "/v1/campaigns/\(cast.campaign)", "/v1/shops/\(cast.shop)/reviews",
            ] {
                try await get(cast.customer, path, from: position).expectProblem("invalidRequest", 400)
            }
        }
    }
}
