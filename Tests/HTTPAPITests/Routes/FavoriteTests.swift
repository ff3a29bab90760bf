import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite("Favourites", .timeLimit(.minutes(15)))
struct FavoriteTests {
    @Test("A favourite is stored, listed, counted and removed")
    func story() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)/favorite"
            let other = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "Other")).string("id")
            let kept = try await cast.customer.send(.put, path)
            #expect(kept.status == 204 && kept.body.isEmpty && kept.position == stage.head)
            #expect(try await cast.owner.send(.put, path).status == 204)
            _ = try await cast.customer.send(.put, "/v1/campaigns/\(other)/favorite")

            let seen = try await cast.customer.get("/v1/campaigns/\(cast.campaign)")
            #expect(try seen.int("favorites") == 2)
            #expect(try seen.json["isFavorite"] == .bool(true))
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").json["isFavorite"] == nil)
            let list = try await cast.owner.get("/v1/campaigns?sort=popular")
            #expect(try list.json["items"]?.items?.compactMap { $0["id"]?.string } == [cast.campaign, other])
            #expect(try list.json["items"]?.items?.compactMap { $0["isFavorite"] } == [.bool(true), .bool(false)])
            let shop = try await cast.customer.get("/v1/shops/\(cast.shop)")
            #expect(try shop.json["campaigns"]?[0]?["favorites"] == .number(2))

            let mine = try await cast.customer.get("/v1/me/favorites?limit=1")
            #expect(try mine.json["items"]?[0]?["id"]?.string == other)
            let next = try mine.string("next")
            let rest = try await cast.customer.get("/v1/me/favorites?limit=1&cursor=\(next)")
            #expect(try rest.json["items"]?.items?.compactMap { $0["id"]?.string } == [cast.campaign])
            #expect(try rest.json["next"] == .null)
            try await cast.owner.get("/v1/me/favorites?cursor=\(next)").expectInvalid("/cursor")

            #expect(try await cast.customer.delete(path).status == 204)
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").int("favorites") == 1)
            #expect(try await cast.customer.get("/v1/me/favorites").json["items"]?.items?.count == 1)
        }
    }

    @Test("An account that was erased is no longer counted among those with the campaign as a favourite")
    func erased() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)"
            for person in [cast.customer, cast.owner] { #expect(try await person.send(.put, path + "/favorite").status == 204) }
            func count() async throws -> Int { try await visitor.get(path, headers: [.minPosition: "\(stage.head)"]).int("favorites") }
            #expect(try await count() == 2)
            #expect(try await cast.customer.delete("/v1/me").status == 204)
            #expect(try await count() == 1)
        }
    }

    @Test("Adding or removing a favourite again changes nothing")
    func again() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)/favorite"
            #expect(try await cast.customer.delete(path).status == 204)
            _ = try await cast.customer.send(.put, path, key: "one")
            let head = stage.head
            #expect(try await cast.customer.send(.put, path).status == 204)
            #expect(try await cast.customer.send(.put, path, key: "one").status == 204)
            #expect(stage.head == head)
            try await cast.customer.delete(path, key: "one").expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("Favourites need a signed-in account and an existing campaign")
    func refused() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let path = "/v1/campaigns/\(cast.campaign)/favorite"
            try await visitor.send(.put, path).expectProblem("unauthenticated", 401)
            try await visitor.delete(path).expectProblem("unauthenticated", 401)
            try await visitor.get("/v1/me/favorites").expectProblem("unauthenticated", 401)
            for id in ["camp_00000000000000000000000000", cast.shop, "nonsense"] {
                try await cast.customer.send(.put, "/v1/campaigns/\(id)/favorite").expectProblem("notFound", 404)
                try await cast.customer.delete("/v1/campaigns/\(id)/favorite").expectProblem("notFound", 404)
            }
            #expect(stage.head == head)
        }
    }

    @Test("Changes of favourites are limited, and a request that changes nothing is not counted")
    func bounded() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (me, path) = (cast.customer, "/v1/campaigns/\(cast.campaign)/favorite")
            for _ in 0..<3 { #expect(try await me.delete(path).status == 204) }
            for number in 0..<AccountBudget.favoriteChanges.limit.most {
                let reply = try await number.isMultiple(of: 2) ? me.put(path) : me.delete(path)
                #expect(reply.status == 204, "change \(number)")
            }
            #expect(try await me.put(path).code == "rateLimited")
            #expect(try await cast.owner.put(path).status == 204, "another account has a budget of its own")
            stage.clock.advance(seconds: 601)
            #expect(try await me.put(path).status == 204)
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").int("favorites") == 2)
        }
    }
}
