import HTTPTypes
import Testing

@Suite("positions")
struct PositionTests {
    private func get(_ visitor: Visitor, _ path: String, from position: String) async throws -> Reply {
        try await visitor.get(path, headers: [.minPosition: position])
    }

    @Test("whoever writes and then looks, sees it; every answer to a write says where it is")
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

    @Test("a refused write says how far the log had come; a refused read says nothing of it")
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

    @Test("a position that does not come is waited for, and not for ever")
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

    @Test("what is no position is refused, on every read", arguments: ["-1", "x", "1.0", "+1", "18446744073709551616"])
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
