import Foundation
import HTTPTypes
import Testing

@testable import HTTPAPI

/// A member of a shop finds everything that happened there: by card, code, customer, number, member, kind and day.
@Suite("Activity of a shop", .timeLimit(.minutes(15)))
struct ActivityTests {
    private static let customerPhone = "%2B8613800138002"

    private static func kinds(_ reply: Reply) throws -> [String] {
        try #require(try reply.json["items"]?.items, "\(reply.text)").compactMap { $0["kind"]?.string }
    }

    private static func positions(_ reply: Reply) throws -> [Int] {
        try #require(try reply.json["items"]?.items, "\(reply.text)").compactMap { $0["position"]?.int }
    }

    private static func path(_ cast: Cast, _ query: String = "") -> String { "/v1/shops/\(cast.shop)/activity\(query)" }

    private static func takeBack(_ stamps: Int, at position: Int, _ cast: Cast) async throws {
        let body = #"{"reason":"One cup too many","stamps":\#(stamps)}"#
        #expect(try await cast.owner.post("/v1/stamps/\(position)/reversal", body, key: UUID().uuidString).status == 200)
    }

    @Test("A card's story is told newest first, with who acted, why, and what can still be taken back")
    func story() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 5)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 3).code)
            try await Self.takeBack(1, at: try stamped.int("position"), cast)
            let list = try await cast.owner.get(Self.path(cast))
            #expect(try Self.kinds(list) == ["stampReversed", "stamped", "opened", "issued"])
            let items = try #require(try list.json["items"]?.items)
            #expect(items[0]["stamps"]?.int == -1 && items[0]["reason"]?.string == "One cup too many")
            #expect(items[0]["member"]?.string == cast.owner.account && items[1]["member"]?.string == cast.owner.account)
            #expect(items[1]["stamps"]?.int == 3 && items[1]["reversible"]?["stamps"]?.int == 2)
            #expect(items[1]["reversedAt"]?.string == items[0]["at"]?.string && items[2]["member"] == nil)
            #expect(items[1]["customer"]?["handle"]?.string == items[2]["customer"]?["handle"]?.string)
            try await Self.takeBack(2, at: try stamped.int("position"), cast)
            let again = try await cast.owner.get(Self.path(cast, "?kinds=stamped"))
            #expect(try again.json["items"]?[0]?["reversible"] == nil && again.json["items"]?.items?.count == 1)
            stage.clock.advance(seconds: 86_400)
            let back = try await visitor.signedIn("+8613800138001", name: "owner")
            #expect(try await Self.kinds(back.get(Self.path(cast))).count == 5)
        }
    }

    @Test("What can be taken back ends after a day and with the reward, and a redeemed card's next card can still lose its own")
    func reversible() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 5).code)
            let card = try stamped.string("card", "id")
            _ = try await cast.redeem(try await cast.redemption(of: card).code)
            let list = try await cast.owner.get(Self.path(cast, "?kinds=stamped,redeemed"))
            #expect(try Self.kinds(list) == ["redeemed", "stamped", "stamped"])
            #expect(try list.json["items"]?[0]?["reversible"]?["until"]?.string != nil)
            let items = try #require(try list.json["items"]?.items)
            #expect(items.map { $0["reversible"]?["stamps"]?.int } == [nil, 2, 2] && items.map { $0["stamps"]?.int } == [nil, 2, 3])
            let first = try #require(items[2]["position"]?.int)
            let beyond = try await cast.owner.post("/v1/stamps/\(first)/reversal", #"{"reason":"Too many","stamps":3}"#, key: "beyond")
            try beyond.expectProblem("notReversible", 409)
            try await Self.takeBack(1, at: first, cast)
            let rest = try await cast.owner.get(Self.path(cast, "?kinds=stamped")).json["items"]?.items
            #expect(rest?.map { $0["reversible"]?["stamps"]?.int } == [1, 1])
            stage.clock.advance(seconds: 86_400)
            let later = try await visitor.signedIn("+8613800138001", name: "owner").get(Self.path(cast))
            #expect(try Self.kinds(later).contains("stamped") && !later.text.contains("reversible"))
        }
    }

    @Test("Who acted has their name at the shop, and what a part has left is told when it can no longer be taken back")
    func nameAndRest() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 5)
            let clerk = try await visitor.signedIn("+8613800138004", name: "clerk")
            try await cast.hire(clerk)
            let path = "/v1/shops/\(cast.shop)/staff/\(clerk.account)"
            #expect(try await cast.owner.patch(path, #"{"label":"阿美"}"#, key: "label").status == 204)
            let code = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", #"{"stamps":3}"#).string("code")
            try await Self.takeBack(1, at: try await cast.stamp(code).int("position"), cast)
            stage.clock.advance(seconds: 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let row = try #require(try await owner.get(Self.path(cast, "?kinds=stamped")).json["items"]?[0])
            #expect(row["label"]?.string == "阿美" && row["left"]?.int == 2)
            #expect(row["reversedAt"] != nil && row["reversible"] == nil)
        }
    }

    @Test("A card is found by its last six characters, a code as typed, a member and kinds by name, also together")
    func filters() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await visitor.signedIn("+8613800138004", name: "clerk")
            try await cast.hire(clerk)
            let other = try await visitor.signedIn("+8613800138005", name: "other")
            let (first, second) = (try await cast.issue(), try await cast.issue())
            let stamped = try await cast.stamp(first.code)
            _ = try await cast.stamp(second.code, as: other)
            let his = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}").string("code")
            _ = try await cast.stamp(his)
            let card = try stamped.string("card", "id")
            let ending = String(card.suffix(6))
            let cases: [(query: String, kinds: [String])] = [
                ("?card=\(ending)", ["stamped", "stamped", "opened"]), ("?card=\(ending.uppercased())&kinds=opened", ["opened"]),
                ("?card=\(card)", ["stamped", "stamped", "opened"]), ("?card=zzzzzz", []),
                ("?code=\(first.code.lowercased())", ["stamped", "issued"]), ("?code=ZZZZ-ZZZZ", []),
                ("?member=\(clerk.account)", ["stamped", "issued"]), ("?member=\(clerk.account)&card=\(ending)", ["stamped"]),
                ("?member=\(other.account)", []), ("?kinds=issued,opened", ["issued", "opened", "opened", "issued", "issued"]),
                ("?phone=\(Self.customerPhone)", ["stamped", "stamped", "opened"]),
                ("?phone=13800138002&region=CN&kinds=opened", ["opened"]),
            ]
            for (query, kinds) in cases {
                let list = try await cast.owner.get(Self.path(cast, query))
                #expect(try Self.kinds(list) == kinds, "\(query)")
            }
            for (query, field) in [
                ("?card=12345", "/card"), ("?code=1", "/code"), ("?kinds=stamped,lost", "/kinds"), ("?customer=x", "/customer"),
                ("?phone=12", "/phone"), ("?from=2026-11-31", "/from"), ("?from=2026-11-30&to=2026-11-29", "/to"), ("?cursor=1", "/cursor"),
            ] {
                try await cast.owner.get(Self.path(cast, query)).expectInvalid(field)
            }
        }
    }

    @Test("A customer is found by handle, page by page, and no handle leads to another shop's customer")
    func handle() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 10)
            for _ in 0..<3 { _ = try await cast.stamp(try await cast.issue().code) }
            let other = try await visitor.signedIn("+8613800138005", name: "other")
            _ = try await cast.stamp(try await cast.issue().code, as: other)
            let newest = try await cast.owner.get(Self.path(cast, "?kinds=opened"))
            let handle = try #require(try newest.json["items"]?[1]?["customer"]?["handle"]?.string)
            let all = try await cast.owner.get(Self.path(cast, "?customer=\(handle)"))
            #expect(try Self.kinds(all) == ["stamped", "stamped", "stamped", "opened"])
            var (found, next): ([Int], String?) = ([], "")
            while let cursor = next {
                let query = "?customer=\(handle)&limit=1" + (cursor.isEmpty ? "" : "&cursor=\(cursor)")
                let page = try await cast.owner.get(Self.path(cast, query))
                found += try Self.positions(page)
                next = try page.json["next"]?.string
            }
            #expect(found == found.sorted(by: >) && Set(found).count == 4)
            let nobody = String(repeating: "0", count: 16)
            #expect(try await Self.kinds(cast.owner.get(Self.path(cast, "?customer=\(nobody)"))).isEmpty)
        }
    }

    @Test("Days are the shop's, and acts of three days ago are found without reading those since")
    func days() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 50)
            _ = try await cast.stamp(try await cast.issue(stamps: 3).code)
            let day = try #require(try await cast.owner.get(Self.path(cast)).json["items"]?[0]?["at"]?.string).prefix(10)
            stage.clock.advance(seconds: 3 * 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            for _ in 0..<10 {
                #expect(try await owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":100}"#).status == 201)
            }
            let route = "/v1/shops/{id}/activity"
            let before = try await stage.rows("GET", route, visitor)
            let list = try await owner.get(Self.path(cast, "?from=\(day)&to=\(day)&timeZone=UTC"))
            #expect(try Self.kinds(list) == ["stamped", "opened", "issued"])
            #expect(try await stage.rows("GET", route, visitor) - before < 300)
        }
    }

    @Test("A stranger's number is answered like an empty list, and each look-up names the member in the log")
    func strangers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            _ = try await visitor.signedIn("+8613800138009", name: "stranger")
            let head = stage.head
            let nobody = try await cast.owner.get(Self.path(cast, "?phone=%2B8613800138008"))
            let stranger = try await cast.owner.get(Self.path(cast, "?phone=%2B8613800138009"))
            #expect(nobody.status == 200 && stranger.body == nobody.body)
            #expect(try Self.kinds(stranger).isEmpty && stranger.json["next"] == .null)
            let holder = try await cast.owner.get(Self.path(cast, "?phone=\(Self.customerPhone)"))
            #expect(try Self.kinds(holder) == ["stamped", "opened"])
            #expect(stage.head == head + 3)
            #expect(!holder.text.contains("13800138002") && !holder.text.contains(cast.customer.account))
        }
    }

    @Test("Look-ups by number have a budget, and other searches do not")
    func budget() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = Self.path(cast, "?phone=%2B8613800138008")
            for _ in 0..<60 { #expect(try await cast.owner.get(path).status == 200) }
            let head = stage.head
            try await cast.owner.get(path).expectProblem("rateLimited", 429)
            #expect(stage.head == head)
            #expect(try await cast.owner.get(Self.path(cast)).status == 200)
        }
    }

    @Test("A former member and another shop's owner read nothing, by number neither, and leave no look-up in the log")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await visitor.signedIn("+8613800138004", name: "clerk")
            try await cast.hire(clerk)
            #expect(try await clerk.get(Self.path(cast)).status == 200)
            #expect(try await cast.owner.delete("/v1/shops/\(cast.shop)/staff/\(clerk.account)").status == 204)
            let rival = try await visitor.signedIn("+8613800138006", name: "rival")
            #expect(try await rival.post("/v1/shops", Cast.shopBody).status == 201)
            let head = stage.head
            for who in [clerk, rival, cast.customer] {
                for query in ["", "?phone=\(Self.customerPhone)", "?card=zzzzzz"] {
                    try await who.get(Self.path(cast, query)).expectProblem("forbidden", 403)
                }
            }
            #expect(stage.head == head)
        }
    }

    @Test("A customer's name is shown only if they gave it to this shop")
    func names() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            #expect(try await cast.customer.patch("/v1/me", #"{"nickname":"小绿"}"#, key: "name").status == 200)
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try await !cast.owner.get(Self.path(cast)).text.contains("小绿"))
            #expect(try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":5}"#).status == 201)
            #expect(try await cast.owner.get(Self.path(cast)).text.contains("小绿"))
        }
    }
}
