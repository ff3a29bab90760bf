import HTTPTypes
import Testing

/// Tests campaigns of several shops over HTTP.
@Suite("Branches", .timeLimit(.minutes(15)))
struct BranchTests {
    /// An owner of two shops that share a campaign, a clerk of the second shop, and a stranger who owns another shop.
    private struct Brand {
        let cast: Cast
        let second, campaign: String
        let clerk, rival: Visitor
        let rivalShop: String

        init(_ visitor: Visitor) async throws {
            cast = try await Cast(visitor)
            second = try await cast.owner.post("/v1/shops", Cast.shopBody).string("id")
            clerk = try await visitor.signedIn("+8613800138003", name: "clerk")
            rival = try await visitor.signedIn("+8613800138004", name: "rival")
            rivalShop = try await rival.post("/v1/shops", Cast.shopBody).string("id")
            _ = try await cast.owner.put("/v1/shops/\(second)/staff/\(clerk.account)", #"{"role":"counter"}"#)
            let offer = try #require(try await clerk.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
            #expect(try await clerk.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
            campaign = try await cast.owner.post(
                "/v1/shops/\(cast.shop)/campaigns", BranchTests.body(#"["\#(second)"]"#)
            ).string("id")
        }

        func code(_ actor: Visitor, _ body: String = "{}") async throws -> Reply {
            try await actor.post("/v1/campaigns/\(campaign)/codes", body)
        }
    }

    private static func body(_ shops: String) -> String { Cast.campaignBody().dropLast() + #","shops":\#(shops)}"# }

    @Test("A campaign shows its other shops, and an edit changes or removes them")
    func fields() async throws {
        try await onStage { stage, visitor in
            let brand = try await Brand(visitor)
            let path = "/v1/campaigns/\(brand.campaign)"
            #expect(try await visitor.get(path).json["shops"]?[0]?["id"]?.string == brand.second)
            let listed = try await visitor.get("/v1/shops/\(brand.second)").json["campaigns"]?.items ?? []
            #expect(listed.compactMap { $0["id"]?.string } == [brand.campaign])
            #expect(listed.first?["shop"]?["id"]?.string == brand.cast.shop)
            let head = stage.head
            let same = try await brand.cast.owner.edit(path, #"{"shops":["\#(brand.cast.shop)","\#(brand.second)"]}"#, seen: "*")
            #expect(same.status == 200)
            #expect(stage.head == head)
            #expect(try await brand.cast.owner.edit(path, #"{"shops":null}"#, seen: "*").json["shops"] == nil)
            #expect(try await visitor.get("/v1/shops/\(brand.second)").json["campaigns"]?.items?.isEmpty == true)
        }
    }

    @Test("A list of thousands of texts that are no ids of shops gets a short answer")
    func longList() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/campaigns"
            func list(_ count: Int) -> String { "[" + Array(repeating: "\"\"", count: count).joined(separator: ",") + "]" }
            let long = try await cast.owner.post(path, Self.body(list(21_000)))
            try long.expectInvalid("/shops")
            #expect(long.body.count < 1_024)
            let edit = try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"shops":\#(list(21_000))}"#, seen: "*")
            try edit.expectInvalid("/shops")
            #expect(edit.body.count < 1_024)
            // None of the 100 texts in the list is the ID of a shop, but the answer names only the first 32 of them.
            let short = try await cast.owner.post(path, Self.body(list(100)), headers: [.acceptLanguage: "zh"])
            try short.expectInvalid("/shops/0")
            #expect(try short.json["errors"]?.items?.count == 32 && short.body.count < 8_192)
        }
    }

    @Test("Shops that do not exist, belong to somebody else, are named twice or are too many are refused")
    func refused() async throws {
        try await onStage { stage, visitor in
            let brand = try await Brand(visitor)
            let hundred = "[" + (0..<100).map { "\"shop_000000000000000000000000\($0 / 10)\($0 % 10)\"" }.joined(separator: ",") + "]"
            let head = stage.head
            let lists = [
                ("8", "/shops"), ("{}", "/shops"), ("[1]", "/shops"), (hundred, "/shops"), (#"["\#(brand.campaign)"]"#, "/shops/0"),
                (#"[""]"#, "/shops/0"), (#"["\#(brand.second)","\#(brand.rivalShop)"]"#, "/shops/1"),
                (#"["shop_00000000000000000000000001"]"#, "/shops/0"), (#"["\#(brand.second)","\#(brand.second)"]"#, "/shops/1"),
            ]
            for (shops, pointer) in lists {
                try await brand.cast.owner.post("/v1/shops/\(brand.cast.shop)/campaigns", Self.body(shops)).expectInvalid(pointer)
                try await brand.cast.owner.edit("/v1/campaigns/\(brand.campaign)", #"{"shops":\#(shops)}"#, seen: "*")
                    .expectInvalid(pointer)
            }
            #expect(stage.head == head)
        }
    }

    @Test("A code is issued at the shop that the request names, otherwise at the campaign's own, and a retry gets the same answer")
    func place() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let own = try await brand.cast.owner.get("/v1/codes/\(try await brand.code(brand.cast.owner).string("id"))")
            #expect(try own.string("shop") == brand.cast.shop)
            try await brand.code(brand.cast.owner, #"{"shop":"\#(brand.rivalShop)"}"#).expectInvalid("/shop")
            try await brand.code(brand.cast.owner, #"{"shop":"nonsense"}"#).expectInvalid("/shop")
            try await brand.code(brand.rival).expectProblem("forbidden", 403)
            try await brand.code(brand.clerk, #"{"shop":"\#(brand.cast.shop)"}"#).expectProblem("forbidden", 403)
            let path = "/v1/campaigns/\(brand.campaign)/codes"
            let issued = try await brand.cast.owner.post(path, #"{"shop":"\#(brand.second)"}"#, key: "k")
            #expect(issued.status == 201, "\(issued.text)")
            #expect(try await brand.cast.owner.post(path, #"{"shop":"\#(brand.second)"}"#, key: "k").body == issued.body)
            try await brand.cast.owner.post(path, #"{"shop":"\#(brand.cast.shop)"}"#, key: "k").expectProblem("idempotencyKeyReused", 422)
            let code = try await brand.clerk.get("/v1/codes/\(try issued.string("id"))")
            #expect(try code.string("shop") == brand.second)
        }
    }

    @Test("A shared campaign is found by its other shop, near that shop, on that shop's page and in that shop's answer")
    func found() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let place = Cast.shopBody.replacing("31.2304", with: "31.5304")
            #expect(place != Cast.shopBody)
            let away = try await brand.cast.owner.post("/v1/shops", place).string("id")
            let path = "/v1/campaigns/\(brand.campaign)"
            let both = #"{"shops":["\#(brand.second)","\#(away)"]}"#
            #expect(try await brand.cast.owner.edit(path, both, seen: "*").status == 200)
            // This read waits until the model contains the last write, because the visitor names the position of that write.
            _ = try await brand.cast.owner.get("/v1/campaigns")
            for shop in [brand.second, away] {
                let listed = try await visitor.get("/v1/campaigns?shop=\(shop)").json["items"]?.items ?? []
                #expect(listed.compactMap { $0["id"]?.string } == [brand.campaign])
                #expect(listed.first?["shop"]?["id"]?.string == brand.cast.shop)
                #expect(try await visitor.get("/s/\(shop)", headers: [.accept: "text/html"]).text.contains("/c/\(brand.campaign)"))
            }
            let near = try await visitor.get("/v1/campaigns?near=31.5304,121.4737&radius=1000").json["items"]?.items ?? []
            #expect(near.compactMap { $0["id"]?.string } == [brand.campaign])
            #expect(try await brand.cast.owner.edit(path, #"{"shops":null}"#, seen: "*").status == 200)
            #expect(try await brand.cast.owner.get("/v1/campaigns?shop=\(away)").json["items"]?.items?.isEmpty == true)
            #expect(try await !visitor.get("/s/\(away)", headers: [.accept: "text/html"]).text.contains("/c/\(brand.campaign)"))
        }
    }

    @Test("Events at a shop are listed and counted at this shop alone")
    func counts() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let given = try await brand.clerk.post(
                "/v1/campaigns/\(brand.campaign)/stamps", #"{"phone":"+8613800138002","stamps":3}"#, key: "give")
            #expect(given.status == 201, "\(given.text)")
            let card = try given.string("card", "id")
            #expect(try await brand.cast.customer.get("/v1/cards/\(card)").json["shops"]?[0]?.string == brand.second)
            let reward = try await brand.cast.redemption(of: card)
            let redeemed = try await brand.clerk.post("/v1/redemptions", #"{"code":"\#(reward.code)"}"#, key: "redeem")
            #expect(redeemed.status == 201, "\(redeemed.text)")
            #expect(try redeemed.string("redemption", "shop") == brand.second)
            for (shop, count) in [(brand.cast.shop, 0), (brand.second, 1)] {
                let owner = brand.cast.owner
                #expect(try await owner.get("/v1/shops/\(shop)/codes").json["items"]?.items?.count == count)
                #expect(try await owner.get("/v1/shops/\(shop)/stamps").json["items"]?.items?.count == count)
                #expect(try await owner.get("/v1/shops/\(shop)/redemptions").json["items"]?.items?.count == count)
                let totals = try await owner.get("/v1/shops/\(shop)/statistics?from=2026-11-21&to=2026-11-21").json["days"]?[0]
                #expect(totals?["newCards"]?.int == count, "\(shop)")
                #expect(totals?["stamps"]?.int == 3 * count)
                #expect(totals?["redemptions"]?.int == count)
                #expect(totals?["activeCustomers"]?.int == count)
            }
        }
    }

    @Test("A card that another shop of the campaign opened verifies reviews of the campaign's own shop, in the answer and in the list")
    func verified() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let given = try await brand.clerk.post("/v1/campaigns/\(brand.campaign)/stamps", #"{"phone":"+8613800138002"}"#, key: "give")
            #expect(given.status == 201, "\(given.text)")
            for (shop, isVerified) in [(brand.cast.shop, true), (brand.second, false)] {
                let path = "/v1/shops/\(shop)/reviews"
                let posted = try await brand.cast.customer.post(path, #"{"rating":5}"#)
                #expect(posted.status == 201, "\(posted.text)")
                #expect(try posted.json["verified"] == .bool(isVerified))
                #expect(try await brand.cast.customer.get(path).json["items"]?[0]?["verified"] == .bool(isVerified))
            }
        }
    }

    @Test("A brand's figures count each stamp at its shop, and a customer or a card of several shops once in the total")
    func brand() async throws {
        try await onStage { stage, visitor in
            let brand = try await Brand(visitor)
            let owner = brand.cast.owner
            let path = "/v1/campaigns/\(brand.campaign)"
            for (shop, key) in [(brand.cast.shop, "one"), (brand.second, "two"), (brand.second, "three")] {
                let code = try await brand.code(owner, #"{"shop":"\#(shop)"}"#).string("code")
                #expect(try await brand.cast.customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: key).status == 201)
            }
            _ = try await brand.clerk.post(path + "/stamps", #"{"phone":"+8613800138009"}"#, key: "other")
            let days = "?from=2026-11-21&to=2026-11-21"
            let seen = try await owner.get("/v1/me/statistics" + days)
            #expect(seen.status == 200, "\(seen.text)")
            let json = try seen.json
            let (totals, shops) = (json["totals"], try #require(json["shops"]?.items))
            #expect(totals?["stamps"]?.int == 4 && totals?["newCards"]?.int == 2 && totals?["fullCards"]?.int == 1)
            #expect(totals?["activeCustomers"]?.int == 2 && json["days"]?[0]?["activeCustomers"]?.int == 2)
            #expect(json["cohorts"]?.items?.isEmpty == true, "no cohort begins on this day, which is no Monday")
            #expect(json["staff"]?.items?.compactMap { $0["stamps"]?.int }.sorted() == [1, 3])
            #expect(shops.compactMap { $0["shop"]?["id"]?.string } == [brand.cast.shop, brand.second])
            // The card was opened at the first shop and became full at the second.
            #expect(shops.map { $0["totals"]?["stamps"]?.int } == [1, 3] && shops.map { $0["totals"]?["newCards"]?.int } == [1, 1])
            #expect(shops.map { $0["totals"]?["fullCards"]?.int } == [0, 1])
            #expect(shops.map { $0["totals"]?["activeCustomers"]?.int } == [1, 2])
            for (shop, part) in zip([brand.cast.shop, brand.second], shops) {
                #expect(try await owner.get("/v1/shops/\(shop)/statistics" + days).json["totals"] == part["totals"])
            }
            let others = try await brand.clerk.get("/v1/me/statistics" + days).json
            #expect(others["shops"]?.items?.isEmpty == true && others["totals"]?["stamps"]?.int == 0)
            try await owner.get("/v1/me/statistics?timeZone=Nowhere").expectInvalid("/timeZone")
            try await owner.get("/v1/me/statistics?from=2026-11-21&to=2026-11-20").expectInvalid("/to")
            try await owner.get("/v1/me/statistics?from=2020-01-01&to=2026-11-20").expectInvalid("/to")
            try await visitor.get("/v1/me/statistics").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A customer of both shops is counted once in the figures of both shops together")
    func together() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let path = "/v1/campaigns/\(brand.campaign)/stamps"
            for (actor, place) in [(brand.clerk, brand.second), (brand.cast.owner, brand.cast.shop)] {
                let body = #"{"phone":"+8613800138002","shop":"\#(place)"}"#
                #expect(try await actor.post(path, body, key: place).status == 201)
            }
            let reply = try await brand.cast.owner.get("/shop/\(brand.cast.shop)/numbers/branches?days=30")
            let rows = try #require(try reply.json["sections"]?[0]?["rows"]?.items)
            #expect(rows.map { $0[1]?.int } == [1, 1, 2], "the stamps of each shop, then of both shops")
            #expect(rows.map { $0[3]?.int } == [1, 1, 1], "the customers of each shop, then of both shops")
        }
    }

    @Test("A shop that was suspended or left the campaign issues no more codes, and its earlier codes stay valid")
    func over() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let code = try await brand.code(brand.clerk).string("code")
            let path = "/v1/campaigns/\(brand.campaign)"
            #expect(try await brand.cast.owner.edit(path, #"{"shops":[]}"#, seen: "*").status == 200)
            try await brand.code(brand.clerk).expectProblem("forbidden", 403)
            #expect(try await brand.cast.stamp(code).status == 201)
        }
    }

    @Test("Sixty-four counters of both shops at once: a reward is handed out once")
    func race() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let given = try await brand.clerk.post(
                "/v1/campaigns/\(brand.campaign)/stamps", #"{"phone":"+8613800138002","stamps":3}"#, key: "give")
            let reward = try await brand.cast.redemption(of: try given.string("card", "id"))
            let body = #"{"code":"\#(reward.code)""#
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let atHome = body + #","shop":"\#(brand.cast.shop)"}"#
                        let reply =
                            number.isMultiple(of: 2)
                            ? try await brand.clerk.post("/v1/redemptions", body + "}", key: "r\(number)")
                            : try await brand.cast.owner.post("/v1/redemptions", atHome, key: "r\(number)")
                        return reply.status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 1)
        }
    }
}
