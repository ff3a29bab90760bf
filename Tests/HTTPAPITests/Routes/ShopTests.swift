import HTTPTypes
import Testing

@Suite("Shops and campaigns", .timeLimit(.minutes(15)))
struct ShopTests {
    @Test("Opening a shop makes the account a merchant")
    func open() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let opened = try await owner.post("/v1/shops", Cast.shopBody)
            #expect(opened.status == 201)
            let shop = try opened.string("id")
            #expect(shop.hasPrefix("shop_"))
            #expect(opened.headers[.location] == "/v1/shops/\(shop)")
            #expect(opened.position == stage.head)
            let seen = try await visitor.get("/v1/shops/\(shop)")
            #expect(try seen.json == opened.json)
            #expect(
                try seen.json.names == [
                    "id", "name", "phone", "region", "address", "location", "images", "timeZone", "openingHours", "suspended", "rating",
                    "campaigns",
                ])
            #expect(try seen.json["rating"] == JSONValue(Array(#"{"average":null,"count":0,"histogram":[0,0,0,0,0]}"#.utf8)))
            let me = try await owner.get("/v1/me")
            #expect(try me.json["isMerchant"] == .bool(true))
            #expect(try me.string("shop") == shop)
        }
    }

    @Test("An account opens several shops, and clients that know only one shop see the open shop that it has owned for the longest time")
    func several() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let shops = try await [
                owner.post("/v1/shops", Cast.shopBody, key: "a"), owner.post("/v1/shops", Cast.shopBody, key: "b"),
            ].map { try $0.string("id") }
            #expect(shops[0] != shops[1])
            #expect(try await owner.post("/v1/shops", Cast.shopBody, key: "b").string("id") == shops[1])
            #expect(try await owner.get("/v1/me").string("shop") == shops[0])
            let mine = try #require(try await owner.get("/v1/me/shops").json["items"]?.items)
            #expect(mine.map { $0["id"]?.string } == shops && mine.allSatisfy { $0["role"] == .string("owner") })
            for shop in shops {
                try await owner.post("/v1/shops/\(shop)/reviews", #"{"rating":5}"#).expectProblem("ownShop", 403)
                let campaign = try await owner.post("/v1/shops/\(shop)/campaigns", Cast.campaignBody()).string("id")
                let code = try await owner.post("/v1/campaigns/\(campaign)/codes", "{}").string("code")
                try await owner.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: code).expectProblem("ownCampaign", 403)
            }
            #expect(try await owner.post("/v1/shops/\(shops[0])/closing").status == 200)
            #expect(try await owner.get("/v1/me").string("shop") == shops[1])
            let export = try await owner.get("/v1/me/export").json
            #expect(export["shops"]?.items?.count == 2 && export["shop"]?["id"] == .string(shops[1]))
        }
    }

    @Test("Erasing an owner closes all of their shops")
    func erased() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let shops = try await [owner.post("/v1/shops", Cast.shopBody), owner.post("/v1/shops", Cast.shopBody)]
                .map { try $0.string("id") }
            #expect(try await owner.delete("/v1/me").status == 204)
            for shop in shops {
                let page = try await visitor.get("/v1/shops/\(shop)")
                #expect(try page.string("name") == "" && page.json["closedAt"]?.string != nil)
            }
        }
    }

    @Test(
        "Names in any script are returned unchanged",
        arguments: ["🧋 Bubble 🧋", "مقهى الشاي الأخضر", "שָׁלוֹם", "Café Zoë", "\\\"quoted\\\"", "珍珠奶茶"])
    func names(_ name: String) async throws {
        try await onStage { _, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let body = Cast.shopBody.replacing("好喝奶茶店", with: name)
            let opened = try await owner.post("/v1/shops", body)
            #expect(opened.status == 201)
            #expect(try opened.string("name") == name.replacing("\\\"", with: "\""))
            let shop = try opened.string("id")
            #expect(try await visitor.get("/v1/shops/\(shop)").string("name") == opened.string("name"))
        }
    }

    @Test("A campaign shows what was published, its shop and links to maps")
    func publish() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let seen = try await visitor.get("/v1/campaigns/\(cast.campaign)")
            #expect(
                try seen.json.names == [
                    "id", "kind", "title", "shop", "image", "goal", "reward", "favorites", "startsAt", "endsAt", "running", "details",
                    "stampsPerDayMax", "minimumGapSeconds", "rating",
                    "reviewCount", "links",
                ])
            #expect(try seen.int("goal") == 3)
            #expect(try seen.json["running"] == .bool(true))
            #expect(try seen.string("shop", "id") == cast.shop)
            #expect(try seen.string("startsAt") == "2026-11-01T00:00:00.000Z")
            #expect(try seen.json["links"]?.names == ["map", "apple", "google", "amap"])
            #expect(try seen.string("links", "amap").contains("position=121.478223,31.228458&"))
            let shop = try await visitor.get("/v1/shops/\(cast.shop)")
            #expect(try shop.json["campaigns"]?.items?.compactMap { $0["id"]?.string } == [cast.campaign])
        }
    }

    @Test("A promotion needs no goal and no reward, and issues no codes")
    func promotion() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let body = """
                {"kind":"promotion","title":"Two for one","details":"",\
                "startsAt":"2026-11-01T00:00:00Z","endsAt":"2027-01-01T00:00:00+08:00"}
                """
            let published = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body)
            #expect(published.status == 201, "\(published.text)")
            #expect(try published.json["goal"] == .null)
            #expect(try published.string("endsAt") == "2026-12-31T16:00:00.000Z")
            let id = try published.string("id")
            #expect(published.headers[.location] == "/v1/campaigns/\(id)")
            let head = stage.head
            try await cast.owner.post("/v1/campaigns/\(id)/codes").expectProblem("campaignNotRunning", 409)
            #expect(stage.head == head)
        }
    }

    @Test("Ending a campaign ends its codes, and ending it again changes nothing")
    func end() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            try await cast.customer.post("/v1/campaigns/\(cast.campaign)/end").expectProblem("forbidden", 403)
            let ended = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end")
            #expect(ended.status == 200)
            #expect(try ended.json["running"] == .bool(false))
            #expect(try ended.string("endsAt") == "2026-11-21T09:00:00.000Z")
            let head = stage.head
            try await cast.stamp(code).expectProblem("campaignNotRunning", 409)
            try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes").expectProblem("campaignNotRunning", 409)
            #expect(try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end").status == 200)
            #expect(stage.head == head)
        }
    }

    @Test("Neither a customer nor an anonymous client may publish campaigns or issue codes")
    func strangers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let body = Cast.campaignBody()
            try await cast.customer.post("/v1/shops/\(cast.shop)/campaigns", body).expectProblem("forbidden", 403)
            try await cast.customer.post("/v1/campaigns/\(cast.campaign)/codes", "{}").expectProblem("forbidden", 403)
            try await visitor.post("/v1/shops/\(cast.shop)/campaigns", body).expectProblem("unauthenticated", 401)
            #expect(stage.head == head)
        }
    }
}
