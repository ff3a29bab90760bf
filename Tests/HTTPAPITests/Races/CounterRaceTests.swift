import Testing

/// Sends many concurrent requests against a limit that an owner or an operator has set. The limit must never be exceeded.
@Suite("Races against limits", .timeLimit(.minutes(15)))
struct CounterRaceTests {
    private static let clients = 32

    private func together(_ send: @escaping @Sendable (Int) async throws -> Reply) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for number in 0..<Self.clients { group.addTask { try await send(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Of 32 concurrent codes for one card, only as many give stamps as the cap allows")
    func cap() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 50)
            _ = try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"stampsPerDayMax":5}"#, seen: "*")
            var codes: [String] = []
            for _ in 0..<Self.clients { codes.append(try await cast.issue().code) }
            let head = stage.head
            let replies = try await together { [codes] in try await cast.stamp(codes[$0]) }
            #expect(replies.count { $0.status == 201 } == 5 && replies.count { $0.status == 429 } == Self.clients - 5)
            // The events are one opened card and five stamps.
            #expect(stage.head == head + 6)
        }
    }

    @Test("32 concurrent adjustments never take a card past its goal")
    func adjustments() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 9)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            let path = "/v1/admin/cards/\(card)/adjustments"
            let replies = try await together { _ in try await head.post(path, #"{"stamps":1,"reason":"x"}"#) }
            #expect(replies.count { $0.status == 201 } == 8 && replies.count { $0.status == 400 } == Self.clients - 8)
            let seen = try await cast.customer.get("/v1/cards/\(card)")
            #expect(try seen.int("stamps") == 9 && seen.string("status") == "full")
            // Concurrent requests with the same idempotency key adjust the card only once.
            let less = try await together { _ in try await head.post(path, #"{"stamps":-1,"reason":"y"}"#, key: "one") }
            #expect(Set(less.map(\.body)).count == 1)
            #expect(try await cast.customer.get("/v1/cards/\(card)").int("stamps") == 8)
        }
    }

    @Test("No code is issued after the shop's suspension in the log")
    func suspension() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            let path = "/v1/admin/shops/\(cast.shop)/suspension"
            let replies = try await together { number in
                if number == 9 { return try await head.post(path, #"{"reason":"Sells stamps"}"#) }
                return try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes")
            }
            let suspended = try #require(replies.first { $0.status == 204 }?.position)
            #expect(stage.head == suspended)
            #expect(replies.allSatisfy { [201, 204, 403].contains($0.status) })
            #expect(replies.allSatisfy { $0.status != 201 || ($0.position ?? .max) < suspended })
        }
    }
}
