import HTTPTypes
import Testing

/// A campaign of several shops over several days: the rights of each person at each shop, paper cards, milestones, and a shop that is sold
/// or closes.
@Suite("Branches through their days", .timeLimit(.minutes(15)))
struct SharedShopLifeTests {
    /// Two shops of an owner that share a campaign with a milestone, and the people of both shops.
    private struct Brand: Sendable {
        let cast: Cast
        let second, campaign: String
        /// The visitors by their names. The names of the second shop's people begin with "second".
        private(set) var people: [String: Visitor] = [:]

        init(_ visitor: Visitor) async throws {
            cast = try await Cast(visitor)
            second = try await cast.owner.post("/v1/shops", Cast.shopBody).string("id")
            let body: String = Cast.campaignBody().dropLast() + #","milestones":[{"at":1,"reward":"A cookie"}],"shops":["\#(second)"]}"#
            campaign = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body).string("id")
            people = ["owner": cast.owner, "customer": cast.customer, "nobody": visitor]
            let rival = try await visitor.signedIn("+8613800138004", name: "rival")
            _ = try await rival.post("/v1/shops", Cast.shopBody)
            people["rival"] = rival
            let jobs = [
                ("counter", cast.shop, "counter"), ("manager", cast.shop, "manager"), ("secondCounter", second, "counter"),
                ("secondManager", second, "manager"),
            ]
            for (number, (name, shop, role)) in jobs.enumerated() {
                let member = try await visitor.signedIn("+861380013801\(number)", name: name)
                _ = try await cast.owner.put("/v1/shops/\(shop)/staff/\(member.account)", #"{"role":"\#(role)"}"#)
                let offer = try #require(try await member.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
                #expect(try await member.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
                people[name] = member
            }
        }

        func person(_ name: String) throws -> Visitor { try #require(people[name]) }

        /// A code of the campaign, from the second shop.
        func code(_ stamps: Int) async throws -> String {
            try await person("secondCounter").post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps)}"#).string("code")
        }

        func redemption(of card: String, milestone: Int? = nil) async throws -> String {
            let body = milestone.map { #"{"milestone":\#($0)}"# }
            return try await cast.customer.post("/v1/cards/\(card)/redemption", body).string("code")
        }
    }

    private static let everybody = ["nobody", "customer", "rival", "counter", "manager", "secondCounter", "secondManager", "owner"]

    @Test("In a campaign of two shops, each person's role holds at their own shop alone")
    func matrix() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let (campaign, first, second) = (brand.campaign, brand.cast.shop, brand.second)
            // Each row has the expected status for each person in `everybody`. Requests with the status 0 are not sent.
            let rows: [(String, String, String?, [Int])] = [
                ("POST", "/v1/campaigns/\(campaign)/codes", "{}", [401, 403, 403, 201, 201, 201, 201, 201]),
                ("POST", "/v1/campaigns/\(campaign)/codes", #"{"shop":"\#(second)"}"#, [401, 403, 403, 403, 403, 201, 201, 201]),
                ("POST", "/v1/campaigns/\(campaign)/codes", #"{"shop":"\#(first)"}"#, [401, 403, 403, 201, 201, 403, 403, 201]),
                ("GET", "/v1/shops/\(first)/statistics", nil, [401, 403, 403, 403, 200, 403, 403, 200]),
                ("GET", "/v1/shops/\(second)/statistics", nil, [401, 403, 403, 403, 403, 403, 200, 200]),
                ("GET", "/v1/shops/\(first)/stamps", nil, [401, 403, 403, 200, 200, 403, 403, 200]),
                ("GET", "/v1/shops/\(second)/stamps", nil, [401, 403, 403, 403, 403, 200, 200, 200]),
                ("PATCH", "/v1/campaigns/\(campaign)", #"{"details":"Any."}"#, [401, 403, 403, 403, 200, 403, 403, 200]),
                // The edit names the shops that the campaign has already, so it changes nothing.
                ("PATCH", "/v1/campaigns/\(campaign)", #"{"shops":["\#(second)"]}"#, [401, 403, 403, 403, 200, 403, 403, 200]),
                ("POST", "/v1/campaigns/\(campaign)/end", nil, [401, 403, 403, 403, 200, 403, 403, 0]),
            ]
            for (method, path, body, expected) in rows {
                for (name, status) in zip(Self.everybody, expected) where status > 0 {
                    let person = try brand.person(name)
                    let reply =
                        switch method {
                        case "GET": try await person.get(path)
                        case "PATCH": try await person.edit(path, body ?? "", seen: "*")
                        default: try await person.post(path, body)
                        }
                    #expect(reply.status == status, "\(name): \(method) \(path) \(body ?? ""): \(reply.text)")
                }
            }
        }
    }

    @Test("A paper card is printed at the first shop and stamped at the second, where its stamps are counted")
    func paper() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let json: HTTPFields = [.accept: "application/json"]
            let print = #"{"campaign":"\#(brand.campaign)","count":1}"#
            try await brand.cast.owner.post("/v1/shops/\(brand.second)/paper-cards", print, key: "there", headers: json)
                .expectProblem("notFound", 404)
            let printed = try await brand.cast.owner.post("/v1/shops/\(brand.cast.shop)/paper-cards", print, key: "here", headers: json)
            let code = try #require(try printed.json["cards"]?[0]?["code"]?.string)
            let path = "/v1/campaigns/\(brand.campaign)/stamps"
            let given = try await brand.person("secondCounter").post(path, #"{"paper":"\#(code)","stamps":2}"#, key: "give")
            #expect(given.status == 201, "\(given.text)")
            #expect(try await brand.cast.owner.post(path, #"{"paper":"\#(code)"}"#, key: "owner").status == 201)
            let taken = try await brand.cast.customer.post("/v1/me/paper-cards", #"{"code":"\#(code)"}"#, key: "take")
            #expect(try taken.int("card", "stamps") == 3, "\(taken.text)")
            for (shop, stamps) in [(brand.cast.shop, 1), (brand.second, 2)] {
                let day = try await brand.cast.owner.get("/v1/shops/\(shop)/statistics?from=2026-11-21&to=2026-11-21").json["days"]?[0]
                #expect(day?["stamps"]?.int == stamps)
            }
        }
    }

    @Test("A milestone is redeemed at the second shop, counted there, and taken back by the people of the first shop")
    func milestone() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let card = try await brand.cast.stamp(try await brand.code(1)).string("card", "id")
            let code = try await brand.redemption(of: card, milestone: 1)
            let redeemed = try await brand.person("secondCounter").post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem")
            #expect(redeemed.status == 201, "\(redeemed.text)")
            #expect(try redeemed.string("redemption", "shop") == brand.second)
            for (shop, count) in [(brand.cast.shop, 0), (brand.second, 1)] {
                let listed = try await brand.cast.owner.get("/v1/shops/\(shop)/redemptions").json["items"]?.items
                #expect(listed?.count == count)
            }
            let id = try redeemed.string("redemption", "id")
            let path = "/v1/redemptions/\(id)"
            #expect(try await brand.person("counter").get(path).status == 200)
            try await brand.person("rival").get(path).expectProblem("notFound", 404)
            #expect(try await brand.person("counter").post(path + "/reversal", #"{"reason":"Wrong card"}"#).status == 200)
        }
    }

    @Test("A shop that is sold leaves the campaign: a code that it issued stays valid, and the card is redeemed at the first shop")
    func transfer() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let heir = try await visitor.signedIn("+8613800138005", name: "heir")
            let card = try await brand.cast.stamp(try await brand.code(2)).string("card", "id")
            _ = try await brand.cast.owner.post("/v1/shops/\(brand.second)/transfer", #"{"phone":"+8613800138005"}"#)
            let offer = try #require(try await heir.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
            #expect(try await heir.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
            #expect(try await visitor.get("/v1/campaigns/\(brand.campaign)").json["shops"] == nil)
            #expect(try await visitor.get("/v1/shops/\(brand.second)").json["campaigns"]?.items?.isEmpty == true)
            #expect(try await brand.cast.customer.get("/v1/cards/\(card)").json["shops"] == nil)
            for name in ["secondCounter", "secondManager"] {
                try await brand.person(name).post("/v1/campaigns/\(brand.campaign)/codes", "{}").expectProblem("forbidden", 403)
            }
            try await heir.post("/v1/campaigns/\(brand.campaign)/codes", "{}").expectProblem("forbidden", 403)
            // The owner now works at only one shop of the campaign, so the request need not name the shop.
            let code = try await brand.cast.owner.post("/v1/campaigns/\(brand.campaign)/codes", "{}").string("code")
            #expect(try await brand.cast.stamp(code).string("card", "status") == "full")
            let seen = try await heir.get("/v1/shops/\(brand.second)/customers").json
            #expect(seen["items"]?[0]?["visits"]?.int == 1 && seen["items"]?[0]?["cards"]?.items?.isEmpty == true)
            #expect(seen["segments"]?["full"]?.int == 0, "the card of the former owner's shop is no business of the heir")
            let reward = #"{"code":"\#(try await brand.redemption(of: card))"}"#
            try await brand.person("secondCounter").post("/v1/redemptions", reward, key: "there").expectProblem("redemptionNotValid", 422)
            #expect(try await brand.cast.owner.post("/v1/redemptions", reward, key: "here").status == 201)
        }
    }

    @Test("A shop that closes leaves the campaign; if the first closes, the campaign is over, and full cards are redeemed at both")
    func closing() async throws {
        try await onStage { _, visitor in
            let brand = try await Brand(visitor)
            let card = try await brand.cast.stamp(try await brand.code(3)).string("card", "id")
            let third = try await brand.cast.owner.post("/v1/shops", Cast.shopBody).string("id")
            let path = "/v1/campaigns/\(brand.campaign)"
            let both = #"{"shops":["\#(brand.second)","\#(third)"]}"#
            #expect(try await brand.cast.owner.edit(path, both, seen: "*").status == 200)
            #expect(try await brand.cast.owner.post("/v1/shops/\(third)/closing").status == 200)
            #expect(try await visitor.get(path).json["shops"]?.items?.map { $0["id"]?.string } == [brand.second])
            try await brand.cast.owner.post(path + "/codes", #"{"shop":"\#(third)"}"#).expectProblem("shopClosed", 409)
            let seen = try await brand.cast.owner.get(path).json["shops"]?.items ?? []
            #expect(Set(seen.compactMap { $0["id"]?.string }) == [brand.second, third], "managers also see the closed shop")
            #expect(seen.map { $0["open"] } == seen.map { $0["id"]?.string == third ? .bool(false) : nil })
            #expect(try await brand.cast.owner.edit(path, both, seen: "*").status == 200, "an edit accepts the shops that the answer lists")
            let alone = #"{"shops":["\#(brand.second)"]}"#
            #expect(try await brand.cast.owner.edit(path, alone, seen: "*").status == 200)
            try await brand.cast.owner.edit(path, both, seen: "*").expectInvalid("/shops/1")
            let counter = try brand.person("secondCounter")
            let issued = try await counter.post(path + "/codes", "{}")
            let (code, id) = (try issued.string("code"), try issued.string("id"))
            let codes = "/v1/shops/\(brand.second)/codes?status="
            let manager = try brand.person("secondManager")
            #expect(try await manager.get(codes + "open").json["items"]?.items?.contains { $0["id"]?.string == id } == true)
            #expect(try await brand.cast.owner.post("/v1/shops/\(brand.cast.shop)/closing").status == 200)
            #expect(try await manager.get(codes + "open").json["items"]?.items?.isEmpty == true)
            #expect(try await manager.get(codes + "destroyed").json["items"]?.items?.contains { $0["id"]?.string == id } == true)
            #expect(try await counter.get("/v1/codes/\(id)").string("status") == "destroyed")
            try await brand.cast.customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "late").expectProblem("codeNotValid", 422)
            try await brand.person("secondCounter").post(path + "/codes", "{}").expectProblem("campaignNotRunning", 409)
            let reward = #"{"code":"\#(try await brand.redemption(of: card))"}"#
            #expect(try await brand.person("secondCounter").post("/v1/redemptions", reward, key: "reward").status == 201)
        }
    }
}
