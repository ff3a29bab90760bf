import Testing

@Suite("Staff", .timeLimit(.minutes(15)))
struct StaffTests {
    private static func path(_ cast: Cast, _ account: String) -> String { "/v1/shops/\(cast.shop)/staff/\(account)" }

    @Test("Staff may issue, destroy and read codes, and preview and redeem rewards")
    func counter() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138003", name: "member")
            let redemption = try await cast.redemption(of: try await cast.fullCard())
            let body = #"{"code":"\#(redemption.code)"}"#
            try await member.post("/v1/redemptions/preview", body).expectProblem("forbidden", 403)
            try await cast.hire(member)
            let issued = try await member.post("/v1/campaigns/\(cast.campaign)/codes")
            #expect(issued.status == 201, "\(issued.text)")
            let code = "/v1/codes/\(try issued.string("id"))"
            #expect(try await member.get(code).string("status") == "open")
            #expect(try await member.delete(code).status == 204)
            #expect(try await member.get("/v1/redemptions/\(redemption.id)").status == 200)
            #expect(try await member.post("/v1/redemptions/preview", body).status == 200)
            #expect(try await member.post("/v1/redemptions", body, key: "k").status == 201)
            // Staff may work at the counter, but may not manage the shop.
            let campaigns = "/v1/shops/\(cast.shop)/campaigns"
            try await member.post(campaigns, Cast.campaignBody()).expectProblem("roleRequired", 403)
            try await member.post("/v1/campaigns/\(cast.campaign)/end").expectProblem("roleRequired", 403)
        }
    }

    @Test("A hired customer cannot collect, redeem or review at the shop until leaving it")
    func noCustomers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let redemption = try await cast.redemption(of: card)
            let code = try await cast.issue().code
            try await cast.hire(cast.customer)
            let head = stage.head
            try await cast.stamp(code).expectProblem("ownCampaign", 403)
            try await cast.customer.post("/v1/cards/\(card)/redemption").expectProblem("ownCampaign", 403)
            try await cast.redeem(redemption.code).expectProblem("redemptionNotValid", 422)
            try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":5}"#).expectProblem("ownShop", 403)
            #expect(stage.head == head)
            #expect(try await cast.customer.delete("/v1/me/employments/\(cast.shop)").status == 204)
            #expect(try await cast.stamp(code).status == 201)
            #expect(try await cast.redeem(redemption.code).status == 201)
            // An account that works at no shop may not redeem codes.
            try await cast.customer.post("/v1/redemptions", #"{"code":"AAAA-AAAA"}"#, key: "k").expectProblem("forbidden", 403)
        }
    }

    @Test("Ending a staff member's work destroys the open codes of that member", arguments: [true, false])
    func codes(_ isRemoved: Bool) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138003", name: "member")
            try await cast.hire(member)
            let codes = "/v1/campaigns/\(cast.campaign)/codes"
            let (open, used) = (try await member.post(codes), try await member.post(codes))
            let owners = try await cast.issue()
            #expect(try await cast.stamp(try used.string("code")).status == 201)
            stage.clock.advance(seconds: 1)
            let ended =
                isRemoved
                ? try await cast.owner.delete(Self.path(cast, member.account))
                : try await member.delete("/v1/me/employments/\(cast.shop)")
            #expect(ended.status == 204)
            #expect(try await cast.owner.get("/v1/codes/\(try open.string("id"))").string("status") == "destroyed")
            #expect(try await cast.owner.get("/v1/codes/\(try used.string("id"))").string("status") == "used")
            try await cast.stamp(try open.string("code")).expectProblem("codeNotValid", 422)
            #expect(try await cast.stamp(owners.code).status == 201)
        }
    }

    @Test("Repeating an offer or a dismissal adds no event")
    func idempotent() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = Self.path(cast, cast.customer.account)
            let before = stage.head
            for _ in 0..<2 { #expect(try await cast.owner.put(path, key: "in").status == 202) }
            #expect(try await cast.owner.put(path).status == 202)
            #expect(stage.head == before + 1)
            for _ in 0..<2 { #expect(try await cast.owner.delete(path).status == 204) }
            #expect(stage.head == before + 2)
            try await cast.hire(cast.customer)
            let list = try await cast.owner.get("/v1/shops/\(cast.shop)/staff")
            #expect(try list.json["staff"]?.items?.compactMap(\.string) == [cast.customer.account])
            let head = stage.head
            for _ in 0..<2 { #expect(try await cast.owner.delete(path).status == 204) }
            #expect(stage.head == head + 1)
            #expect(try await cast.owner.put(Self.path(cast, cast.owner.account)).status == 202)
            #expect(try await cast.owner.delete(Self.path(cast, cast.owner.account)).status == 204)
            #expect(stage.head == head + 1)
        }
    }

    @Test("Only the owner may invite and remove staff")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let path = Self.path(cast, cast.customer.account)
            try await visitor.put(path).expectProblem("unauthenticated", 401)
            try await cast.customer.put(path).expectProblem("forbidden", 403)
            try await cast.customer.delete(path).expectProblem("forbidden", 403)
            try await cast.customer.get("/v1/shops/\(cast.shop)/staff").expectProblem("forbidden", 403)
            try await cast.customer.get("/v1/shops/\(cast.shop)/invitations").expectProblem("forbidden", 403)
            for account in ["acct_1", cast.shop, "x"] {
                try await cast.owner.put(Self.path(cast, account)).expectProblem("notFound", 404)
            }
            try await cast.owner.post(path).expectProblem("methodNotAllowed", 405)
            #expect(stage.head == head)
        }
    }
}
