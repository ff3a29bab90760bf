import HTTPTypes
import Testing

@Suite("Notices", .timeLimit(.minutes(15)))
struct NoticeTests {
    private static func body(_ audience: String, title: String = "New tea", text: String = "Come and try.") -> String {
        #"{"title":"\#(title)","text":"\#(text)","audience":"\#(audience)"}"#
    }

    private static func titles(_ reply: Reply) throws -> [String] {
        try #require(try reply.json["items"]?.items).map { try #require($0["title"]?.string) }
    }

    @Test("An account gets the operator's notices since it registered and a shop's since it has a card there")
    func audiences() async throws {
        try await onStage { _, visitor in
            let office = try await visitor.signedIn(Stage.operatorPhone)
            _ = try await office.post("/v1/notices", Self.body("all", title: "before anybody"))
            let cast = try await Cast(visitor)
            _ = try await cast.owner.post("/v1/notices", Self.body("shop", title: "before the card"))
            _ = try await cast.stamp(try await cast.issue().code)
            let stranger = try await visitor.signedIn("+8613800138003")
            let posted = try await cast.owner.post("/v1/notices", Self.body("shop", title: "十杯送一"))
            #expect(posted.status == 201)
            #expect(try posted.json.names == ["id", "title", "text", "audience", "shop", "postedAt"])
            #expect(try posted.json["shop"]?["name"] == .string("好喝奶茶店"))
            _ = try await office.post("/v1/notices", Self.body("all", title: "to all"))

            let mine = try await cast.customer.get("/v1/me/notices")
            #expect(try Self.titles(mine) == ["to all", "十杯送一"])
            #expect(try mine.int("unread") == 2)
            let item = try #require(try mine.json["items"]?[1])
            #expect(item.names == ["id", "title", "text", "audience", "shop", "postedAt", "read"])
            #expect(item["text"] == .string("Come and try.") && item["audience"] == .string("shop"))
            #expect(try Self.titles(try await stranger.get("/v1/me/notices")) == ["to all"])
            #expect(try Self.titles(try await office.get("/v1/me/notices")) == ["to all", "before anybody"])
        }
    }

    @Test("Reading a notice is recorded once, and an account can read only its own notices")
    func reading() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let office = try await visitor.signedIn(Stage.operatorPhone)
            let first = try await office.post("/v1/notices", Self.body("all", title: "one")).string("id")
            _ = try await office.post("/v1/notices", Self.body("all", title: "two"))
            let other = try await cast.owner.post("/v1/notices", Self.body("shop")).string("id")
            #expect(try await cast.customer.send(.put, "/v1/me/notices/\(first)/read").status == 204)
            let head = stage.head
            #expect(try await cast.customer.send(.put, "/v1/me/notices/\(first)/read").status == 204)
            #expect(stage.head == head)
            for id in [other, "ntc_00000000000000000000000000", cast.shop] {
                try await cast.customer.send(.put, "/v1/me/notices/\(id)/read").expectProblem("notFound", 404)
            }
            let page = try await cast.customer.get("/v1/me/notices?limit=1")
            #expect(try page.int("unread") == 1)
            #expect(try page.json["items"]?[0]?["read"] == .bool(false))
            let rest = try await cast.customer.get("/v1/me/notices?limit=1&cursor=\(try page.string("next"))")
            #expect(try rest.json["items"]?[0]?["read"] == .bool(true))
            #expect(try rest.json["next"] == .null)
            #expect(try await cast.owner.get("/v1/me/notices").int("unread") == 2)
        }
    }

    @Test("Operators post to everyone, owners to their customers, and no other account posts")
    func refused() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let office = try await visitor.signedIn(Stage.operatorPhone)
            let head = stage.head
            try await cast.owner.post("/v1/notices", Self.body("all")).expectProblem("forbidden", 403)
            try await cast.customer.post("/v1/notices", Self.body("shop")).expectProblem("forbidden", 403)
            try await office.post("/v1/notices", Self.body("shop")).expectProblem("forbidden", 403)
            try await visitor.post("/v1/notices", Self.body("all")).expectProblem("unauthenticated", 401)
            try await visitor.get("/v1/me/notices").expectProblem("unauthenticated", 401)
            try await office.post("/v1/notices", Self.body("everyone")).expectInvalid("/audience")
            try await office.post("/v1/notices", Self.body("all", title: "")).expectInvalid("/title")
            try await office.post("/v1/notices", Self.body("all", text: "  ")).expectInvalid("/text")
            try await office.post("/v1/notices", Self.body("all", title: String(repeating: "茶", count: 101))).expectInvalid("/title")
            #expect(stage.head == head)
        }
    }

    @Test("An owner of several open shops names the shop that a notice is from; closed shops do not count")
    func severalShops() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let second = try await cast.owner.post("/v1/shops", Cast.shopBody).string("id")
            let head = stage.head
            try await cast.owner.post("/v1/notices", Self.body("shop")).expectInvalid("/shop")
            #expect(stage.head == head)
            let named = String(Self.body("shop").dropLast()) + #","shop":"\#(second)"}"#
            #expect(try await cast.owner.post("/v1/notices", named).string("shop", "id") == second)
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/closing").status == 200)
            #expect(try await cast.owner.post("/v1/notices", Self.body("shop")).string("shop", "id") == second)
            #expect(try await cast.owner.post("/v1/shops/\(second)/closing").status == 200)
            try await cast.owner.post("/v1/notices", Self.body("shop")).expectProblem("shopClosed", 409)
        }
    }

    @Test("An owner of one shop who manages another names the shop that a notice is from")
    func ownedAndManaged() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let rival = try await visitor.signedIn("+8613800138009", name: "rival")
            try await cast.hire(rival, as: "manager")
            #expect(try await rival.post("/v1/notices", Self.body("shop")).string("shop", "id") == cast.shop)
            #expect(try await rival.post("/v1/shops", Cast.shopBody).status == 201)
            try await rival.post("/v1/notices", Self.body("shop")).expectInvalid("/shop")
        }
    }

    @Test("A notice to a campaign's holders may name any shop of the campaign, and no other")
    func holdersAtShop() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let branch = try await cast.owner.post("/v1/shops", Cast.shopBody).string("id")
            let body = { (shop: String) in
                String(Self.body("holders").dropLast()) + #","campaign":"\#(cast.campaign)","shop":"\#(shop)"}"#
            }
            let head = stage.head
            for shop in [branch, "shop_00000000000000000000000000", cast.campaign, ""] {
                try await cast.owner.post("/v1/notices", body(shop)).expectInvalid("/shop")
            }
            #expect(stage.head == head)
            let edited = try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"shops":["\#(branch)"]}"#, seen: "*")
            #expect(edited.status == 200, "\(edited.text)")
            for shop in [cast.shop, branch] {
                let posted = try await cast.owner.post("/v1/notices", body(shop))
                #expect(posted.status == 201, "\(posted.text)")
                #expect(try posted.string("shop", "id") == cast.shop && posted.string("campaign") == cast.campaign)
            }
        }
    }

    @Test("Only those who may post to a campaign's holders learn which shops the campaign names")
    func holdersForStrangers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let branch = try await cast.owner.post("/v1/shops", Cast.shopBody).string("id")
            #expect(try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"shops":["\#(branch)"]}"#, seen: "*").status == 200)
            let counter = try await visitor.signedIn("+8613800138003", name: "counter")
            try await cast.hire(counter)
            let rival = try await visitor.signedIn("+8613800138009", name: "rival")
            let strange = try await rival.post("/v1/shops", Cast.shopBody).string("id")
            let head = stage.head
            for shop in [cast.shop, branch, strange, "shop_00000000000000000000000000", "nonsense", ""] {
                let body = String(Self.body("holders").dropLast()) + #","campaign":"\#(cast.campaign)","shop":"\#(shop)"}"#
                for stranger in [cast.customer, rival] { try await stranger.post("/v1/notices", body).expectProblem("forbidden", 403) }
                try await counter.post("/v1/notices", body).expectProblem("roleRequired", 403)
            }
            #expect(stage.head == head)
        }
    }

    @Test("A repeated key posts the notice once and gets the same answer")
    func idempotent() async throws {
        try await onStage { stage, visitor in
            let office = try await visitor.signedIn(Stage.operatorPhone)
            let first = try await office.post("/v1/notices", Self.body("all"), key: "k")
            let head = stage.head
            let again = try await office.post("/v1/notices", Self.body("all"), key: "k")
            #expect(again.body == first.body && stage.head == head)
            try await office.post("/v1/notices", Self.body("all", title: "Other"), key: "k").expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("A retry gets the first answer even after its sender has left the shop or opened another one")
    func retriedLater() async throws {
        try await onStage { stage, visitor in
            // Given: a manager and the owner have each posted a notice to the customers of the shop, without naming the shop.
            let cast = try await Cast(visitor)
            let manager = try await visitor.signedIn("+8613800138004", name: "manager")
            try await cast.hire(manager, as: "manager")
            let managers = try await manager.post("/v1/notices", Self.body("shop", title: "Tasting"), key: "m")
            let owners = try await cast.owner.post("/v1/notices", Self.body("shop"), key: "o")
            #expect(managers.status == 201 && owners.status == 201)
            // When: the manager leaves, and the owner closes the shop and opens another one.
            #expect(try await manager.delete("/v1/me/employments/\(cast.shop)").status == 204)
            #expect(try await cast.owner.post("/v1/shops", Cast.shopBody).status == 201)
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/closing").status == 200)
            let head = stage.head
            // Then: each retry gets the answer to the first request, and posts nothing.
            for (sender, title, key, first) in [(manager, "Tasting", "m", managers), (cast.owner, "New tea", "o", owners)] {
                let again = try await sender.post("/v1/notices", Self.body("shop", title: title), key: key)
                #expect(again.status == 201 && again.body == first.body, "\(again.text)")
            }
            try await manager.post("/v1/notices", Self.body("shop"), key: "m").expectProblem("idempotencyKeyReused", 422)
            try await manager.post("/v1/notices", Self.body("shop"), key: "new").expectProblem("forbidden", 403)
            #expect(stage.head == head)
        }
    }
}
