import Foundation
import Testing

/// Many clients compete for one resource. One of them succeeds, and the log contains its success once.
@Suite("Races", .timeLimit(.minutes(15)))
struct RaceTests {
    private static let clients = 64

    private func together(_ send: @escaping @Sendable (Int) async throws -> Reply) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for number in 0..<Self.clients { group.addTask { try await send(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func count(_ replies: [Reply], _ status: Int) -> Int {
        replies.count { $0.status == status }
    }

    @Test("Of 64 customers who race for one stamp code, exactly one gets it")
    func stampCode() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            var customers: [Visitor] = []
            for number in 0..<Self.clients { customers.append(try await visitor.signedIn("+86139\(10_000_000 + number)")) }
            let code = try await cast.issue().code
            let head = stage.head
            let replies = try await together { [customers] in try await cast.stamp(code, as: customers[$0]) }
            #expect(count(replies, 201) == 1)
            #expect(count(replies, 422) == Self.clients - 1)
            // The events are one opened card and one stamp.
            #expect(stage.head == head + 2)
        }
    }

    @Test("Of 64 concurrent requests by one customer for one code, one succeeds and the others get 422")
    func oneCustomer() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let replies = try await together { _ in try await cast.stamp(code) }
            #expect(count(replies, 201) == 1)
            #expect(count(replies, 422) == Self.clients - 1)
        }
    }

    @Test("Of 64 concurrent requests for one redemption code, exactly one redeems it")
    func redemptionCode() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.redemption(of: try await cast.fullCard()).code
            let head = stage.head
            let replies = try await together { _ in try await cast.redeem(code) }
            #expect(count(replies, 201) == 1)
            #expect(count(replies, 422) == Self.clients - 1)
            #expect(stage.head == head + 1)
        }
    }

    @Test("64 concurrent requests with the same key have one effect and get one answer")
    func oneKey() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue(stamps: 3).code
            let head = stage.head
            let stamps = try await together { _ in try await cast.stamp(code, key: "one") }
            #expect(count(stamps, 201) == Self.clients)
            #expect(Set(stamps.map(\.body)).count == 1)
            #expect(Set(stamps.map(\.position)).count == 1)
            #expect(stage.head == head + 2)
            let redemption = try await cast.redemption(of: try stamps[0].string("card", "id")).code
            let redeemed = try await together { _ in try await cast.redeem(redemption, key: "two") }
            #expect(count(redeemed, 201) == Self.clients)
            #expect(Set(redeemed.map(\.body)).count == 1)
            #expect(stage.head == head + 4)
        }
    }

    @Test("An account that opens 128 shops, 64 of them concurrently, gets exactly a hundred")
    func shops() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let head = stage.head
            let first = try await together { _ in try await owner.post("/v1/shops", Cast.shopBody) }
            #expect(count(first, 201) == Self.clients)
            let second = try await together { _ in try await owner.post("/v1/shops", Cast.shopBody) }
            #expect(count(second, 201) == 100 - Self.clients)
            #expect(count(second, 409) == 2 * Self.clients - 100)
            #expect(stage.head == head + 100)
        }
    }
}
