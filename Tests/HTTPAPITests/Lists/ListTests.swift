import HTTPTypes
import Testing

@Suite("Lists", .timeLimit(.minutes(15)))
struct ListTests {
    /// Reads all items of a list, page by page.
    private func walk(_ visitor: Visitor, _ path: String, limit: Int) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: String?
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let reply = try await visitor.get(path + "\(separator)limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try reply.json.names == ["items", "next"])
            pages.append(try reply.json["items"]?.items?.compactMap { $0["id"]?.string } ?? [])
            cursor = try reply.json["next"]?.string
        } while cursor != nil && pages.count < 100
        return pages
    }

    @Test("Cards come in pages, the newest first, and each appears once", arguments: [1, 2, 3, 100])
    func cards(_ limit: Int) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 1)
            let reply = try await cast.stamp(try await cast.issue(stamps: 7).code)
            let opened = try #require(try reply.json["cards"]?.items?.compactMap { $0["id"]?.string })
            let pages = try await walk(cast.customer, "/v1/me/cards", limit: limit)
            #expect(pages.flatMap { $0 } == opened.reversed())
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
            #expect(pages.allSatisfy { !$0.isEmpty })
        }
    }

    @Test("Cards come without history and can be filtered by status")
    func statuses() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 2)
            let cards = try await cast.stamp(try await cast.issue(stamps: 5).code).json["cards"]?.items?.compactMap { $0["id"]?.string }
            let ids = try #require(cards)
            _ = try await cast.redeem(try await cast.redemption(of: ids[0]).code)
            for (query, expected) in [
                ("", [ids[2], ids[1]]), ("?status=collecting", [ids[2]]), ("?status=full", [ids[1]]), ("?status=redeemed", [ids[0]]),
                ("?status=redeemed,collecting", [ids[2], ids[0]]), ("?status=discarded", []),
            ] {
                let reply = try await cast.customer.get("/v1/me/cards" + query)
                let items = try #require(try reply.json["items"]?.items)
                #expect(items.map { $0["id"]?.string } == expected, "\(query)")
                for item in items {
                    #expect(item.names == ["id", "campaign", "shop", "status", "stamps", "goal", "reward", "openedAt"])
                    #expect(item["campaign"]?.names == ["id", "title", "reward", "endsAt"])
                    #expect(item["shop"]?.names == ["id", "name", "image"])
                }
            }
            for query in ["?status=", "?status=open", "?status=full,", "?status=FULL"] {
                try await cast.customer.get("/v1/me/cards" + query).expectInvalid("/status")
            }
        }
    }

    @Test("Cards in lists have their campaign and shop in the present state, and a single card has only their ids")
    func origins() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            let first = try #require(try await cast.customer.get("/v1/me/cards").json["items"]?[0])
            #expect(first["campaign"]?["id"]?.string == cast.campaign && first["shop"]?["id"]?.string == cast.shop)
            #expect(first["campaign"]?["title"]?.string == "Ten cups, the eleventh is free")
            #expect(first["campaign"]?["reward"]?.string == "One free drink")
            #expect(first["campaign"]?["endsAt"]?.string == "2027-11-01T00:00:00.000Z")
            #expect(first["shop"]?["name"]?.string == "好喝奶茶店" && first["shop"]?["image"] == .null)
            let renamed = try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"Tea <b>"}"#, headers: [.ifMatch: "*"])
            #expect(renamed.status == 200, "\(renamed.text)")
            #expect(try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end").status == 200)
            let second = try #require(try await cast.customer.get("/v1/me/cards").json["items"]?[0])
            #expect(second["shop"]?["name"]?.string == "Tea <b>")
            #expect(second["campaign"]?["endsAt"]?.string != "2027-11-01T00:00:00.000Z")
            let single = try await cast.customer.get("/v1/cards/\(card)")
            #expect(try single.string("campaign") == cast.campaign && single.string("shop") == cast.shop)
        }
    }

    @Test("Reviews come in pages, the newest first, even while new ones are written")
    func reviews() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/reviews"
            var ids: [String] = []
            for rating in 1...5 {
                ids.append(try await cast.customer.post(path, #"{"rating":\#(rating)}"#).string("id"))
            }
            let first = try await visitor.get(path + "?limit=2")
            #expect(try first.json["items"]?.items?.compactMap { $0["id"]?.string } == [ids[4], ids[3]])
            _ = try await cast.customer.post(path, #"{"rating":1}"#)
            let cursor = try first.string("next")
            let second = try await visitor.get(path + "?limit=3&cursor=\(cursor)")
            #expect(try second.json["items"]?.items?.compactMap { $0["id"]?.string } == [ids[2], ids[1], ids[0]])
            #expect(try second.json["next"] == .null)
        }
    }

    @Test("Limits outside 1 to 100 and invalid or foreign cursors are rejected")
    func malformed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 1)
            let path = "/v1/shops/\(cast.shop)/reviews"
            for limit in ["0", "101", "-1", "x", "", "1.5", "99999999999999999999", "%20", "%2B5", "005"] {
                try await visitor.get(path + "?limit=\(limit)").expectInvalid("/limit")
                try await cast.customer.get("/v1/me/cards?limit=\(limit)").expectInvalid("/limit")
            }
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            let cursor = try await cast.customer.get("/v1/me/cards?limit=1").string("next")
            for cursor in ["", "x", "AAAA", cursor + "A", String(cursor.dropLast()), String(cursor.reversed()), "%00", "奶"] {
                try await cast.customer.get("/v1/me/cards?cursor=\(cursor)").expectInvalid("/cursor")
            }
            try await cast.owner.get("/v1/me/cards?cursor=\(cursor)").expectInvalid("/cursor")
            try await visitor.get(path + "?cursor=\(cursor)").expectInvalid("/cursor")
        }
    }
}
