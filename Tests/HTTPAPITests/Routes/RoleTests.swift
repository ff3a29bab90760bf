import HTTPTypes
import Testing

@Suite("Roles", .timeLimit(.minutes(15)))
struct RoleTests {
    private static func path(_ cast: Cast, _ account: String) -> String { "/v1/shops/\(cast.shop)/staff/\(account)" }

    private static func role(_ visitor: Visitor, at shop: String) async throws -> String? {
        let items = try #require(try await visitor.get("/v1/me/shops").json["items"]?.items)
        return items.first { $0["id"]?.string == shop }?["role"]?.string
    }

    private static func accept(_ visitor: Visitor) async throws -> Reply {
        let offer = try #require(try await visitor.get("/v1/me/invitations").json["items"]?[0])
        return try await visitor.post("/v1/me/invitations/\(try #require(offer["id"]?.string))/acceptance")
    }

    @Test("A manager may manage campaigns, notices and the codes of others and read statistics, but may not manage the shop")
    func manager() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138003", name: "member")
            try await cast.hire(member, as: "manager")
            #expect(try await Self.role(member, at: cast.shop) == "manager")
            let campaign = try await member.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "Nine cups"))
            #expect(try campaign.string("title") == "Nine cups", "\(campaign.text)")
            let edited = try await member.patch(
                "/v1/campaigns/\(cast.campaign)", #"{"reward":"Any tea"}"#, headers: [.ifMatch: "*"])
            #expect(try edited.string("reward") == "Any tea")
            for path in ["staff", "statistics", "analytics", "codes", "stamps", "redemptions"] {
                #expect(try await member.get("/v1/shops/\(cast.shop)/\(path)").status == 200, "\(path)")
            }
            let code = try await cast.issue()
            #expect(try await member.delete("/v1/codes/\(code.id)").status == 204)
            #expect(try await member.delete("/v1/shops/\(cast.shop)/codes?staff=\(cast.owner.account)").status == 204)
            let notice = try await member.post("/v1/notices", #"{"title":"Hello","text":"All of you","audience":"shop"}"#)
            #expect(notice.status == 201, "\(notice.text)")
            #expect(try await member.post("/v1/campaigns/\(cast.campaign)/end").status == 200)
            #expect(try await member.post("/v1/campaigns/\(cast.campaign)/reopening").status == 200)
            let head = stage.head
            try await member.patch("/v1/shops/\(cast.shop)", #"{"name":"Mine"}"#, headers: [.ifMatch: "*"])
                .expectProblem("roleRequired", 403)
            try await member.put(Self.path(cast, cast.customer.account)).expectProblem("roleRequired", 403)
            try await member.delete(Self.path(cast, member.account)).expectProblem("roleRequired", 403)
            try await member.get("/v1/shops/\(cast.shop)/invitations").expectProblem("roleRequired", 403)
            try await member.post("/v1/shops/\(cast.shop)/closing").expectProblem("roleRequired", 403)
            #expect(stage.head == head)
        }
    }

    @Test("Counter staff see no statistics and no staff, and destroy only the codes that they issued")
    func counter() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138003", name: "member")
            try await cast.hire(member)
            let code = try await cast.issue()
            let head = stage.head
            for path in ["staff", "statistics", "analytics", "codes"] {
                try await member.get("/v1/shops/\(cast.shop)/\(path)").expectProblem("roleRequired", 403)
                try await cast.customer.get("/v1/shops/\(cast.shop)/\(path)").expectProblem("forbidden", 403)
            }
            try await member.delete("/v1/codes/\(code.id)").expectProblem("roleRequired", 403)
            try await member.post("/v1/notices", #"{"title":"Hello","text":"All","audience":"shop"}"#).expectProblem("roleRequired", 403)
            #expect(stage.head == head)
            #expect(try await member.get("/v1/codes/\(code.id)").string("status") == "open")
            let own = try await member.post("/v1/campaigns/\(cast.campaign)/codes")
            #expect(try await member.delete("/v1/codes/\(try own.string("id"))").status == 204)
        }
    }

    @Test("A higher role is offered first, and a lower role takes effect at once")
    func changes() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138003", name: "member")
            try await cast.hire(member)
            let path = Self.path(cast, member.account)
            let offered = try await cast.owner.put(path, #"{"role":"manager"}"#)
            #expect(try offered.status == 202 && offered.string("role") == "manager")
            #expect(try await Self.role(member, at: cast.shop) == "counter")
            let list = try await member.get("/v1/me/invitations")
            #expect(try list.json["items"]?[0]?["role"] == .string("manager"))
            #expect(try await cast.owner.get("/v1/shops/\(cast.shop)/invitations").json["items"]?[0]?["role"] == .string("manager"))
            #expect(try await Self.accept(member).status == 204)
            #expect(try await Self.role(member, at: cast.shop) == "manager")
            let head = stage.head
            // A client of an earlier version does not know roles. It repeats its offer without a role.
            #expect(try await cast.owner.put(path).status == 202)
            #expect(stage.head == head)
            for _ in 0..<2 { #expect(try await cast.owner.put(path, #"{"role":"counter"}"#, key: "down").status == 202) }
            #expect(stage.head == head + 1)
            #expect(try await Self.role(member, at: cast.shop) == "counter")
            try await cast.owner.put(path, #"{"role":"manager"}"#, key: "down").expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("A role is offered to a phone number, whether or not an account has that number")
    func numbers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/invitations"
            let known = try await cast.owner.post(path, #"{"phone":"+8613800138002","role":"manager"}"#)
            let unknown = try await cast.owner.post(path, #"{"phone":"+8613800138099","role":"manager"}"#)
            #expect(known.status == 202 && unknown.status == 202)
            #expect(known.text.replacing("+8613800138002", with: "+8613800138099") == unknown.text)
            #expect(try await Self.accept(cast.customer).status == 204)
            #expect(try await Self.role(cast.customer, at: cast.shop) == "manager")
        }
    }

    @Test("A role that cannot be offered is refused", arguments: [#""owner""#, #""boss""#, "1", "[]", #""Manager""#])
    func malformed(_ role: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            try await cast.owner.put(Self.path(cast, cast.customer.account), #"{"role":\#(role)}"#).expectInvalid("/role")
            try await cast.owner.post("/v1/shops/\(cast.shop)/invitations", #"{"phone":"+8613800138002","role":\#(role)}"#)
                .expectInvalid("/role")
            #expect(stage.head == head)
        }
    }

    @Test("The list of staff has names as people chose them, roles and open codes")
    func list() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (member, manager) = (try await visitor.signedIn("+8613800138003"), try await visitor.signedIn("+8613800138005"))
            _ = try await member.patch("/v1/me", #"{"nickname":"小绿"}"#)
            try await cast.hire(member)
            try await cast.hire(manager, as: "manager")
            for _ in 0..<2 { _ = try await member.post("/v1/campaigns/\(cast.campaign)/codes") }
            _ = try await cast.issue(validFor: 60)
            stage.clock.advance(seconds: 60)
            let reply = try await cast.owner.get("/v1/shops/\(cast.shop)/staff")
            let items = try #require(try reply.json["items"]?.items)
            #expect(items.map { $0["role"]?.string } == ["owner", "manager", "counter"])
            #expect(items.map { $0["account"]?.string } == [cast.owner.account, manager.account, member.account])
            #expect(items.map { $0["openCodes"]?.int } == [0, 0, 2])
            #expect(items[2].names == ["account", "handle", "nickname", "avatar", "role", "since", "openCodes"])
            #expect(items[2]["nickname"] == .string("小绿") && items[1]["nickname"] == .null)
            #expect(!reply.text.contains("+86"), "the answer has no phone number")
            #expect(try await manager.get("/v1/shops/\(cast.shop)/staff").text == reply.text)
        }
    }

    @Test("A manager of several shops names the shop that a notice is from")
    func notices() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let rival = try await visitor.signedIn("+8613800138009")
            let other = try await rival.post("/v1/shops", Cast.shopBody).string("id")
            let member = try await visitor.signedIn("+8613800138003", name: "member")
            try await cast.hire(member, as: "manager")
            _ = try await rival.put("/v1/shops/\(other)/staff/\(member.account)", #"{"role":"manager"}"#)
            #expect(try await Self.accept(member).status == 204)
            func post(_ shop: String) async throws -> Reply {
                try await member.post("/v1/notices", #"{"title":"Hello","text":"All","audience":"shop"\#(shop)}"#)
            }
            try await post("").expectInvalid("/shop")
            #expect(try await post(#","shop":"\#(other)""#).string("shop", "id") == other)
            try await post(#","shop":"shop_1""#).expectProblem("notFound", 404)
            try await post(#","shop":"\#(cast.campaign)""#).expectProblem("notFound", 404)
        }
    }
}
