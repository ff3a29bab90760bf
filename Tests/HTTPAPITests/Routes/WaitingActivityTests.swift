import Foundation
import Testing

/// Acts with cards that wait for a number are found by the number, also after an account took the cards over.
@Suite("Activity of waiting cards", .timeLimit(.minutes(15)))
struct WaitingActivityTests {
    private static let number = "+8613800138222"
    private static let byNumber = "?phone=%2B8613800138222"

    private static func gift(_ cast: Cast, _ campaign: String? = nil, _ more: String = "") async throws {
        let body = #"{"phone":"\#(number)","stamps":2\#(more)}"#
        let given = try await cast.owner.post("/v1/campaigns/\(campaign ?? cast.campaign)/stamps", body, key: UUID().uuidString)
        #expect(given.status == 201, "\(given.text)")
    }

    private static func takeOver(_ visitor: Visitor, by customer: Visitor) async throws {
        let code = try await visitor.post("/v1/verifications", #"{"phone":"\#(number)"}"#).string("devCode")
        let changed = try await customer.put("/v1/me/phone", #"{"phone":"\#(number)","code":"\#(code)"}"#, key: "change")
        #expect(changed.status == 200, "\(changed.text)")
    }

    private static func acts(_ cast: Cast, _ query: String, at shop: String? = nil) async throws -> [(kind: String?, position: Int?)] {
        let reply = try await cast.owner.get("/v1/shops/\(shop ?? cast.shop)/activity\(query)")
        return try #require(try reply.json["items"]?.items, "\(reply.text)").map { ($0["kind"]?.string, $0["position"]?.int) }
    }

    @Test("Stamps for a number without an account are found by the number, before and after somebody signs in with it")
    func signedIn() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 5)
            try await Self.gift(cast)
            let early = try await Self.acts(cast, Self.byNumber)
            #expect(early.map(\.kind) == ["stamped", "opened"])
            _ = try await visitor.signedIn(Self.number, name: "holder")
            #expect(try await Self.acts(cast, Self.byNumber).map(\.position) == early.map(\.position))
        }
    }

    @Test("An account that takes cards over is found with their earlier acts, by number and by handle, page by page")
    func takenOver() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 9)
            try await Self.gift(cast)
            let early = try await Self.acts(cast, Self.byNumber)
            try await Self.takeOver(visitor, by: cast.customer)
            _ = try await cast.stamp(try await cast.issue().code)
            let all = try await Self.acts(cast, Self.byNumber)
            #expect(all.map(\.kind) == ["stamped", "taken", "stamped", "opened"])
            #expect(all.suffix(2).map(\.position) == early.map(\.position))
            #expect(try await Self.acts(cast, "?phone=%2B8613800138002").isEmpty)
            let newest = try await cast.owner.get("/v1/shops/\(cast.shop)/activity?kinds=taken").json["items"]?[0]
            let handle = try #require(newest?["customer"]?["handle"]?.string)
            let card = try #require(newest?["card"]?.string).suffix(6)
            for query in ["?customer=\(handle)", "\(Self.byNumber)&card=\(card)"] {
                var (found, next): ([Int?], String?) = ([], "")
                while let cursor = next, found.count < 9 {
                    let reply = try await cast.owner.get(
                        "/v1/shops/\(cast.shop)/activity\(query)&limit=1" + (cursor.isEmpty ? "" : "&cursor=\(cursor)"))
                    found += try #require(try reply.json["items"]?.items, "\(reply.text)").map { $0["position"]?.int }
                    next = try reply.json["next"]?.string
                }
                #expect(found == all.map(\.position), "\(query)")
            }
        }
    }

    @Test("A shop that shares a campaign finds the acts that happened there")
    func branch() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let second = try await cast.owner.post("/v1/shops", Cast.shopBody).string("id")
            let body = Cast.campaignBody(goal: 9).dropLast() + #","shops":["\#(second)"]}"#
            let shared = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", String(body)).string("id")
            try await Self.gift(cast, shared, #","shop":"\#(second)""#)
            try await Self.takeOver(visitor, by: cast.customer)
            #expect(try await Self.acts(cast, Self.byNumber, at: second).map(\.kind) == ["stamped", "opened"])
        }
    }

    @Test("A number that is to become an account's does not yet lead to that account's acts")
    func requested() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 9)
            _ = try await cast.stamp(try await cast.issue().code)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(cast.customer.account)/phone"
            #expect(try await officer.put(path, #"{"phone":"\#(Self.number)","reason":"Lost"}"#).status == 200)
            #expect(try await Self.acts(cast, Self.byNumber).isEmpty)
        }
    }

    @Test("Cards that wait while a number is to become an account's are found by the number")
    func setAside() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 9)
            _ = try await cast.stamp(try await cast.issue().code)
            try await Self.gift(cast)
            let early = try await Self.acts(cast, Self.byNumber)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(cast.customer.account)/phone"
            #expect(try await officer.put(path, #"{"phone":"\#(Self.number)","reason":"Lost"}"#).status == 200)
            #expect(try await Self.acts(cast, Self.byNumber).map(\.position) == early.map(\.position))
        }
    }
}
