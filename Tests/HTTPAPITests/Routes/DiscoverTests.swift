import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@Suite("Discovery", .timeLimit(.minutes(15)))
struct DiscoverTests {
    private static let near = "near=31.2304,121.4737"

    /// Opens a shop of a new owner, with a campaign.
    private static func open(_ name: String, at place: (Double, Double), by phone: Int, _ visitor: Visitor) async throws -> (String, String)
    {
        let owner = try await visitor.signedIn("+86138001381\(phone)")
        let body = """
            {"name":"\(name)","phone":"+861012345678","address":"Road 1","location":{"latitude":\(place.0),"longitude":\(place.1)}}
            """
        let shop = try await owner.post("/v1/shops", body).string("id")
        return (shop, try await owner.post("/v1/shops/\(shop)/campaigns", Cast.campaignBody(title: "Cups at \(name)")).string("id"))
    }

    private static func ids(_ reply: Reply) throws -> [String] {
        #expect(reply.status == 200, "\(reply.text)")
        return try #require(try reply.json["items"]?.items).compactMap { $0["id"]?.string }
    }

    @Test("A list of running campaigns has none that the answer calls over, at whichever reading of the clock a campaign ends")
    func oneMoment() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for seconds in 1...8 as ClosedRange<Int64> {
                let end = stage.clock.now().advanced(bySeconds: 40).rfc3339
                let body = Cast.campaignBody().replacing("2027-11-01T00:00:00Z", with: end)
                #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body).status == 201)
                stage.clock.advance(seconds: 40 - seconds)
                let path = "/v1/campaigns?running=true"
                stage.clock.pass(secondsPerReading: 1)
                let reply = try await visitor.get(path, headers: [.minPosition: "\(stage.head)"])
                stage.clock.pass(secondsPerReading: 0)
                let shown = try #require(try reply.json["items"]?.items)
                #expect(!shown.isEmpty && shown.allSatisfy { $0["running"] == .bool(true) }, "\(seconds) s before an end: \(reply.text)")
                stage.clock.advance(seconds: 20)
            }
        }
    }

    @Test("Campaigns and shops are found by place and by words, with the fields that the contract names")
    func story() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let (shop, campaign) = try await Self.open("Tea House", at: (31.2404, 121.4737), by: 10, visitor)
            let (_, far) = try await Self.open("Far Away", at: (39.9, 116.4), by: 11, visitor)

            let nearby = try await visitor.get("/v1/campaigns?\(Self.near)")
            #expect(try Self.ids(nearby) == [cast.campaign, campaign])
            let first = try #require(try nearby.json["items"]?[0])
            #expect(
                first.names == [
                    "id", "kind", "title", "shop", "distance", "image", "goal", "reward", "favorites", "startsAt", "endsAt", "running",
                ])
            #expect(first["shop"]?.names == ["id", "name", "address", "location"])
            #expect(first["distance"] == .number(0))
            #expect(try nearby.json["items"]?[1]?["distance"] == .number(1_111.951))
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?\(Self.near)&radius=1000")) == [cast.campaign])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns")) == [far, campaign, cast.campaign])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?q=%E5%A5%B6%E8%8C%B6")) == [cast.campaign])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?q=TEA%20cup")) == [campaign])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?shop=\(shop)&running=true&kind=stampCard")) == [campaign])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?kind=promotion")) == [])

            let shops = try await visitor.get("/v1/shops?\(Self.near)&q=tea")
            #expect(try Self.ids(shops) == [shop])
            let found = try #require(try shops.json["items"]?[0])
            #expect(
                found.names == [
                    "id", "name", "phone", "region", "address", "location", "distance", "images", "timeZone", "openingHours", "suspended",
                    "rating",
                    "campaigns",
                ])
            #expect(found["campaigns"]?[0]?["id"]?.string == campaign)
        }
    }

    @Test("Lists come in pages, and a cursor is valid for its own list only")
    func pages() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for number in 0..<4 {
                _ = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "No. \(number)"))
            }
            for query in ["sort=newest", "sort=popular", "\(Self.near)&sort=distance", "q=no"] {
                let all = try Self.ids(try await visitor.get("/v1/campaigns?\(query)"))
                var (found, path): ([String], String?) = ([], "/v1/campaigns?\(query)&limit=2")
                while let next = path {
                    let page = try await visitor.get(next)
                    found += try Self.ids(page)
                    let cursor = try page.json["next"]?.string
                    if let cursor { try await visitor.get("/v1/campaigns?cursor=\(cursor)&kind=promotion").expectInvalid("/cursor") }
                    path = cursor.map { "/v1/campaigns?\(query)&limit=2&cursor=\($0)" }
                }
                #expect(found == all && found.count >= 4, "\(query)")
            }
        }
    }

    @Test("An invalid shop ID is answered with 404", arguments: ["xyz", "camp_01hv5x0000e008000000000000", ""])
    func noShop(_ id: String) async throws {
        try await onStage { _, visitor in try await visitor.get("/v1/campaigns?shop=\(id)").expectProblem("notFound", 404) }
    }

    @Test(
        "An invalid parameter is named",
        arguments: [
            ("near=91,0", "/near"), ("near=1", "/near"), ("near=1,2,3", "/near"), ("near=nan,0", "/near"), ("near=0x1p3,0", "/near"),
            ("near=,", "/near"), ("near=1e1,0", "/near"), ("near=31,121&radius=100001", "/radius"), ("near=31,121&radius=0", "/radius"),
            ("near=31,121&radius=inf", "/radius"), ("near=31,121&radius=-5", "/radius"), ("radius=50", "/radius"), ("kind=card", "/kind"),
            ("running=yes", "/running"), ("sort=best", "/sort"),
            ("sort=distance", "/sort"), ("limit=0", "/limit"), ("limit=101", "/limit"), ("cursor=abc", "/cursor"),
        ])
    func badParameters(_ query: String, _ pointer: String) async throws {
        try await onStage { _, visitor in
            try await visitor.get("/v1/campaigns?\(query)").expectInvalid(pointer)
        }
    }

    @Test("A search text that is too long is rejected, and hostile text is searched like any other")
    func texts() async throws {
        try await onStage { _, visitor in
            _ = try await Cast(visitor)
            try await visitor.get("/v1/shops?q=" + String(repeating: "a", count: 101)).expectInvalid("/q")
            #expect(try await visitor.get("/v1/shops?q=" + String(repeating: "a", count: 100)).status == 200)
            try await visitor.get("/v1/shops?near=91,0").expectInvalid("/near")
            for text in ["%22", "tea%22%20OR%20%22", "*", "NEAR(a)", "%00", "%F0%9F%A7%8B", "%FF", "a%27--"] {
                #expect(try await visitor.get("/v1/shops?q=\(text)").status == 200, "\(text)")
            }
            #expect(try Self.ids(try await visitor.get("/v1/shops?q=%20%20")).count == 1)
            #expect(try Self.ids(try await visitor.get("/v1/shops?q=")).count == 1)
        }
    }

    @Test("An invalid token is rejected even on public endpoints")
    func tokens() async throws {
        try await onStage { _, visitor in
            var stranger = visitor
            stranger.token = "nonsense"
            try await stranger.get("/v1/campaigns").expectProblem("unauthenticated", 401)
            try await stranger.get("/v1/shops").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A campaign that was ended is not listed as running")
    func ended() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end")
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?running=true")) == [])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?running=false")) == [cast.campaign])
            #expect(try await visitor.get("/v1/shops").json["items"]?[0]?["campaigns"]?.items?.count == 0)
        }
    }
}
