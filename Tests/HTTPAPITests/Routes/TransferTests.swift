import HTTPTypes
import Testing

@Suite("Transfers", .timeLimit(.minutes(15)))
struct TransferTests {
    private static let mine = "/v1/me/invitations"

    private static func offer(_ visitor: Visitor) async throws -> JSONValue? {
        try await visitor.get(mine).json["items"]?[0]
    }

    private static func offers(_ cast: Cast, to phone: String = "+8613800138002", key: String? = nil) async throws -> Reply {
        try await cast.owner.post("/v1/shops/\(cast.shop)/transfer", #"{"phone":"\#(phone)"}"#, key: key)
    }

    @Test("A shop changes its owner when the other account accepts, and keeps its campaigns, cards and contact data")
    func transfer() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138004", name: "member")
            try await cast.hire(member)
            let open = try await cast.issue()
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            let before = try await visitor.get("/v1/shops/\(cast.shop)").json
            let offered = try await Self.offers(cast, key: "offer")
            #expect(try offered.status == 202 && offered.string("role") == "owner")
            let head = stage.head
            #expect(try await Self.offers(cast, key: "offer").body == offered.body)
            #expect(try await Self.offers(cast).status == 202)
            #expect(stage.head == head)
            let item = try #require(try await Self.offer(cast.customer))
            #expect(item["kind"] == .string("transfer") && item["role"] == .string("owner"))
            #expect(item["shop"]?["name"] == .string("好喝奶茶店"))
            let listed = try await cast.owner.get("/v1/shops/\(cast.shop)/invitations").json["items"]?[0]
            #expect(listed?["kind"] == .string("transfer"))
            stage.clock.advance(seconds: 1)
            let acceptance = "\(Self.mine)/\(try #require(item["id"]?.string))/acceptance"
            try await member.post(acceptance).expectProblem("notFound", 404)
            for _ in 0..<2 { #expect(try await cast.customer.post(acceptance, key: "yes").status == 204) }
            #expect(stage.head == head + 1)
            #expect(try await cast.customer.get("/v1/me").string("shop") == cast.shop)
            #expect(try await cast.owner.get("/v1/me").json["shop"] == .null)
            #expect(try await cast.owner.get("/v1/me/shops").json["items"]?.items?.isEmpty == true)
            let after = try await visitor.get("/v1/shops/\(cast.shop)").json
            #expect(after["name"] == before["name"] && after["campaigns"] == before["campaigns"])
            let edited = try await cast.customer.patch("/v1/shops/\(cast.shop)", #"{"name":"Mine"}"#, headers: [.ifMatch: "*"])
            #expect(try edited.string("name") == "Mine" && edited.string("address") == "南京东路 1 号")
            try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"Back"}"#, headers: [.ifMatch: "*"])
                .expectProblem("forbidden", 403)
            #expect(try await cast.customer.get("/v1/codes/\(open.id)").string("status") == "destroyed")
            try await cast.owner.get("/v1/codes/\(open.id)").expectProblem("notFound", 404)
            let code = try await member.post("/v1/campaigns/\(cast.campaign)/codes", "{}").string("code")
            try await cast.customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "own").expectProblem("ownCampaign", 403)
            #expect(try await cast.owner.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "theirs").status == 201)
            let staff = try await cast.customer.get("/v1/shops/\(cast.shop)/staff").json["items"]?.items
            #expect(staff?.map { $0["account"]?.string } == [cast.customer.account, member.account])
        }
    }

    @Test("An offer to an unknown number is answered and recorded like any other")
    func nobody() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let known = try await Self.offers(cast)
            let unknown = try await Self.offers(cast, to: "+8613800138099")
            #expect(known.status == 202 && unknown.status == 202)
            #expect(try known.json.names == unknown.json.names && known.string("phone") != unknown.string("phone"))
            // The second offer replaces the first one. This adds two events: the end of the first offer, and the new offer.
            #expect(unknown.position == (known.position ?? 0) + 2)
            #expect(try await Self.offer(cast.customer) == nil)
            for phone in ["", "0138", "+86138001380021234567"] { try await Self.offers(cast, to: phone).expectInvalid("/phone") }
            try await cast.owner.post("/v1/shops/\(cast.shop)/transfer", "{}").expectInvalid("/phone")
        }
    }

    @Test("An offer that was declined, withdrawn or has lapsed cannot be accepted")
    func closed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            func newOffer() async throws -> String {
                #expect(try await Self.offers(cast).status == 202)
                return try #require(try await Self.offer(cast.customer)?["id"]?.string)
            }
            let declined = try await newOffer()
            for _ in 0..<2 { #expect(try await cast.customer.delete("\(Self.mine)/\(declined)").status == 204) }
            let withdrawn = try await newOffer()
            for _ in 0..<2 { #expect(try await cast.owner.delete("/v1/shops/\(cast.shop)/transfer").status == 204) }
            let ended = try await newOffer()
            #expect(try await cast.owner.delete("/v1/shops/\(cast.shop)/invitations/\(ended)").status == 204)
            let lapsed = try await newOffer()
            stage.clock.advance(seconds: 7 * 86_400)
            let customer = try await visitor.signedIn("+8613800138002")
            for offer in [declined, withdrawn, ended, lapsed] {
                try await customer.post("\(Self.mine)/\(offer)/acceptance").expectProblem("offerNotOpen", 409)
            }
            #expect(try await Self.offer(customer) == nil)
        }
    }

    @Test("The owner's list of open offers begins with those that lapse last, whatever they offer")
    func listed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/invitations"
            #expect(try await cast.owner.post(path, #"{"phone":"+8613800138098","role":"manager"}"#).status == 202)
            stage.clock.advance(seconds: 60)
            #expect(try await Self.offers(cast).status == 202)
            stage.clock.advance(seconds: 60)
            #expect(try await cast.owner.post(path, #"{"phone":"+8613800138099"}"#).status == 202)
            let items = try #require(try await cast.owner.get(path).json["items"]?.items)
            #expect(items.map { $0["role"]?.string } == ["counter", "owner", "manager"])
        }
    }

    @Test("A shop that closes does not change hands, before or after the offer")
    func closing() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await Self.offers(cast)
            let offer = try #require(try await Self.offer(cast.customer)?["id"]?.string)
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/closing").status == 200)
            try await cast.customer.post("\(Self.mine)/\(offer)/acceptance").expectProblem("shopClosed", 409)
            try await Self.offers(cast).expectProblem("shopClosed", 409)
        }
    }

    @Test("Only the owner offers a shop")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let member = try await visitor.signedIn("+8613800138004", name: "member")
            try await cast.hire(member, as: "manager")
            let (path, body) = ("/v1/shops/\(cast.shop)/transfer", #"{"phone":"+8613800138004"}"#)
            let head = stage.head
            try await visitor.post(path, body).expectProblem("unauthenticated", 401)
            try await cast.customer.post(path, body).expectProblem("forbidden", 403)
            try await member.post(path, body).expectProblem("roleRequired", 403)
            try await member.delete(path).expectProblem("roleRequired", 403)
            try await cast.owner.post("/v1/shops/shop_01h455vb4pex5vsknk084sn02q/transfer", body).expectProblem("notFound", 404)
            #expect(try await cast.owner.post(path, #"{"phone":"+8613800138001"}"#).status == 202)
            #expect(stage.head == head, "an offer to the owner adds no event")
        }
    }
}
