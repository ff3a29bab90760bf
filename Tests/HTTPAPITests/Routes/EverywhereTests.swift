import Testing

@Suite("Signing out everywhere", .timeLimit(.minutes(15)))
struct EverywhereTests {
    @Test("Signing out everywhere ends all sessions of the account at once, and no other account's")
    func everywhere() async throws {
        try await onStage { stage, visitor in
            var mine: [Visitor] = []
            for _ in 0..<3 { mine.append(try await visitor.signedIn("+8613800138009")) }
            let other = try await visitor.signedIn("+8613800138010")
            for one in mine { #expect(try await one.get("/v1/me").status == 200) }
            let head = stage.head
            let reply = try await mine[1].delete("/v1/sessions")
            #expect(reply.status == 204 && reply.position == head + 3)
            for one in mine {
                try await one.get("/v1/me").expectProblem("unauthenticated", 401)
                let token = try #require(one.refreshToken)
                try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).expectProblem("unauthenticated", 401)
            }
            #expect(try await other.get("/v1/me").status == 200)
            #expect(try await visitor.signedIn("+8613800138009").account == mine[0].account)
        }
    }
}
