import Testing

@Suite("Invitations", .timeLimit(.minutes(15)))
struct InvitationTests {
    private static let mine = "/v1/me/invitations"

    private static func offers(_ visitor: Visitor) async throws -> [String] {
        try #require(try await visitor.get(mine).json["items"]?.items).compactMap { $0["id"]?.string }
    }

    private static func roles(_ visitor: Visitor) async throws -> [String] {
        try #require(try await visitor.get("/v1/me/shops").json["items"]?.items).compactMap { $0["role"]?.string }
    }

    @Test("An invited customer stays a customer until accepting")
    func consent() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            #expect(try await cast.owner.put("/v1/shops/\(cast.shop)/staff/\(cast.customer.account)").status == 202)
            #expect(try await cast.stamp(try await cast.issue().code).status == 201)
            #expect(try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":1}"#).status == 201)
            #expect(try await cast.redeem(try await cast.redemption(of: card).code).status == 201)
            try await cast.customer.get("/v1/shops/\(cast.shop)/staff").expectProblem("forbidden", 403)
            #expect(try await Self.roles(cast.customer) == [])
        }
    }

    @Test("An invitation is listed, can be accepted once, and then leaves the list")
    func acceptance() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.owner.put("/v1/shops/\(cast.shop)/staff/\(cast.customer.account)")
            let list = try await cast.customer.get(Self.mine)
            let item = try #require(try list.json["items"]?[0])
            #expect(item.names == ["id", "kind", "role", "shop", "invitedAt", "expiresAt"])
            #expect(item["kind"] == .string("staff") && item["role"] == .string("counter"))
            #expect(item["shop"]?["name"] == .string("好喝奶茶店"))
            let offer = try #require(item["id"]?.string)
            try await cast.owner.post("\(Self.mine)/\(offer)/acceptance").expectProblem("notFound", 404)
            try await cast.owner.delete("\(Self.mine)/\(offer)").expectProblem("notFound", 404)
            #expect(try await Self.roles(cast.owner) == ["owner"])
            let head = stage.head
            for _ in 0..<2 { #expect(try await cast.customer.post("\(Self.mine)/\(offer)/acceptance", key: "k").status == 204) }
            #expect(try await cast.customer.post("\(Self.mine)/\(offer)/acceptance").status == 204)
            #expect(stage.head == head + 1)
            #expect(try await Self.offers(cast.customer) == [])
            #expect(try await Self.roles(cast.customer) == ["counter"])
            try await cast.customer.delete("\(Self.mine)/\(offer)").expectProblem("offerNotOpen", 409)
            try await cast.owner.delete("/v1/shops/\(cast.shop)/invitations/\(offer)").expectProblem("offerNotOpen", 409)
            try await cast.owner.delete("/v1/me/employments/\(cast.shop)").expectProblem("forbidden", 403)
            #expect(try await cast.customer.delete("/v1/me/employments/\(cast.shop)").status == 204)
            try await cast.customer.post("\(Self.mine)/\(offer)/acceptance").expectProblem("offerNotOpen", 409)
        }
    }

    @Test("An invitation that was declined, withdrawn or has lapsed cannot be accepted")
    func closed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/staff/\(cast.customer.account)"
            _ = try await cast.owner.put(path)
            let declined = try #require(try await Self.offers(cast.customer).first)
            for _ in 0..<2 { #expect(try await cast.customer.delete("\(Self.mine)/\(declined)").status == 204) }
            _ = try await cast.owner.put(path)
            let withdrawn = try #require(try await Self.offers(cast.customer).first)
            #expect(try await cast.owner.delete("/v1/shops/\(cast.shop)/invitations/\(withdrawn)").status == 204)
            _ = try await cast.owner.put(path)
            let ended = try #require(try await Self.offers(cast.customer).first)
            #expect(try await cast.owner.delete(path).status == 204)
            _ = try await cast.owner.put(path)
            let lapsed = try #require(try await Self.offers(cast.customer).first)
            stage.clock.advance(seconds: 7 * 86_400)
            let owner = try await visitor.signedIn("+8613800138001")
            let customer = try await visitor.signedIn("+8613800138002")
            #expect(try await Self.offers(customer) == [])
            #expect(try await owner.get("/v1/shops/\(cast.shop)/invitations").json["items"]?.items?.isEmpty == true)
            for offer in [declined, withdrawn, ended, lapsed] {
                try await customer.post("\(Self.mine)/\(offer)/acceptance").expectProblem("offerNotOpen", 409)
            }
        }
    }

    @Test("An invitation to an unknown account or phone number is answered and recorded like any other")
    func nobody() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let real = try await cast.owner.put("/v1/shops/\(cast.shop)/staff/\(cast.customer.account)")
            let head = stage.head
            let unreal = try await cast.owner.put("/v1/shops/\(cast.shop)/staff/acct_01h455vb4pex5vsknk084sn02q")
            #expect(real.status == 202 && unreal.status == 202 && real.body == unreal.body)
            #expect(real.position == head && unreal.position == head + 1)
            _ = try await cast.owner.delete("/v1/shops/\(cast.shop)/staff/\(cast.customer.account)")
            let path = "/v1/shops/\(cast.shop)/invitations"
            let known = try await cast.owner.post(path, #"{"phone":"+8613800138002"}"#)
            let unknown = try await cast.owner.post(path, #"{"phone":"+8613800138099"}"#)
            #expect(known.status == 202 && unknown.status == 202)
            #expect(known.text.replacing("+8613800138002", with: "+8613800138099") == unknown.text)
            #expect(unknown.position == (known.position ?? 0) + 1)
            for phone in ["+8613800138002", "+8613800138099"] {
                let again = try await cast.owner.post(path, #"{"phone":"\#(phone)"}"#)
                #expect(again.status == 202 && stage.head == unknown.position)
            }
            let open = try await cast.owner.get(path)
            #expect(try open.json["items"]?.items?.count == 3)
            #expect(!open.text.contains("acct_"), "an offer to a number must not give away an account")
            #expect(try await Self.offers(cast.customer).count == 1)
            try await cast.owner.post(path, #"{"phone":"0138"}"#).expectInvalid("/phone")
        }
    }

    @Test("Invitations are limited, and those without effect are not counted")
    func budget() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            func offer(_ number: Int) async throws -> Reply {
                try await cast.owner.post("/v1/shops/\(cast.shop)/invitations", #"{"phone":"+86138001390\#(10 + number)"}"#)
            }
            for number in 0..<60 { #expect(try await offer(number).status == 202) }
            let head = stage.head
            try await offer(60).expectProblem("rateLimited", 429)
            #expect(stage.head == head)
            stage.clock.advance(seconds: 86_400)
            let rested = try await visitor.signedIn("+8613800138001")
            func again(_ number: Int) async throws -> Reply {
                try await rested.post("/v1/shops/\(cast.shop)/invitations", #"{"phone":"+86138001390\#(10 + number)"}"#)
            }
            let signedIn = stage.head
            #expect(try await again(0).status == 202 && stage.head == signedIn)
            #expect(try await again(60).status == 202 && stage.head == signedIn + 1)
        }
    }

    @Test("A suspended shop cannot hire")
    func suspended() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/staff/\(cast.customer.account)"
            _ = try await cast.owner.put(path)
            let offer = try #require(try await Self.offers(cast.customer).first)
            let office = try await visitor.signedIn(Stage.operatorPhone)
            _ = try await office.post("/v1/admin/shops/\(cast.shop)/suspension", #"{"reason":"x"}"#)
            let other = try await visitor.signedIn("+8613800138003").account
            try await cast.owner.put("/v1/shops/\(cast.shop)/staff/\(other)").expectProblem("suspended", 403)
            try await cast.customer.post("\(Self.mine)/\(offer)/acceptance").expectProblem("suspended", 403)
            #expect(try await cast.owner.delete(path).status == 204)
        }
    }

    @Test("Pages of invitations show each open one exactly once")
    func pages() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for number in 1...3 {
                let owner = try await visitor.signedIn("+861380013810\(number)")
                let shop = try await owner.post("/v1/shops", Cast.shopBody).string("id")
                _ = try await owner.put("/v1/shops/\(shop)/staff/\(cast.customer.account)")
                if number == 2 { _ = try await owner.delete("/v1/shops/\(shop)/staff/\(cast.customer.account)") }
            }
            let all = try await Self.offers(cast.customer)
            #expect(all.count == 2)
            var (found, next): ([String], String?) = ([], nil)
            repeat {
                let page = try await cast.customer.get(Self.mine + "?limit=1" + (next.map { "&cursor=\($0)" } ?? ""))
                found += try #require(try page.json["items"]?.items).compactMap { $0["id"]?.string }
                next = try page.json["next"]?.string
            } while next != nil
            #expect(found == all)
        }
    }
}
