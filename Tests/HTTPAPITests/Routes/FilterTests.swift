import HTTPTypes
import Loyalty
import Testing

/// The filters of the lists of campaigns and shops over HTTP. The clock shows Saturday, 17:00 in Shanghai.
@Suite("Filters", .timeLimit(.minutes(15)))
struct FilterTests {
    private static func ids(_ reply: Reply) throws -> [String] {
        #expect(reply.status == 200, "\(reply.text)")
        return try #require(try reply.json["items"]?.items).compactMap { $0["id"]?.string }
    }

    private static func shop(
        _ number: Int, _ visitor: Visitor, _ hours: String? = nil
    ) async throws -> (owner: Visitor, shop: String, campaign: String) {
        let owner = try await visitor.signedIn("+861380013820\(number)")
        let body = """
            {"name":"Shop \(number)","phone":"+861012345678","address":"Road 1","location":{"latitude":31.2304,"longitude":121.4737}\
            \(hours.map { ",\"openingHours\":\($0)" } ?? "")}
            """
        let shop = try await owner.post("/v1/shops", body).string("id")
        return (owner, shop, try await owner.post("/v1/shops/\(shop)/campaigns", Cast.campaignBody()).string("id"))
    }

    @Test("Open shops and their campaigns are found until they close, and a list's pages keep the filter")
    func open() async throws {
        try await onStage { stage, visitor in
            let late = #"[{"days":["saturday"],"from":"10:00","to":"02:00"}]"#
            let early = #"[{"days":["saturday"],"from":"08:00","to":"17:00"}]"#
            let first = try await Self.shop(10, visitor, late)
            _ = try await Self.shop(11, visitor, early)
            let third = try await Self.shop(12, visitor, late)
            _ = try await Self.shop(13, visitor)
            #expect(try Self.ids(try await visitor.get("/v1/shops?open=true")) == [third.shop, first.shop])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?open=true")) == [third.campaign, first.campaign])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?open=false")).count == 4)
            let page = try await visitor.get("/v1/shops?open=true&limit=1")
            let cursor = try page.string("next")
            #expect(try Self.ids(try await visitor.get("/v1/shops?open=true&limit=1&cursor=\(cursor)")) == [first.shop])
            try await visitor.get("/v1/shops?limit=1&cursor=\(cursor)").expectInvalid("/cursor")
            stage.clock.advance(seconds: 9 * 3_600)
            #expect(try Self.ids(try await visitor.get("/v1/shops?open=true")).isEmpty, "it is 02:00")
        }
    }

    @Test("The best shops come first, those without a rating last, and a least rating leaves them out")
    func rating() async throws {
        try await onStage { _, visitor in
            let shops = [try await Self.shop(10, visitor), try await Self.shop(11, visitor), try await Self.shop(12, visitor)]
            let cast = try await Cast(visitor)
            for (shop, ratings) in zip(shops, [[5, 4], [3, 5]]) {
                for (guest, stars) in zip([cast.customer, cast.owner], ratings) {
                    #expect(try await guest.post("/v1/shops/\(shop.shop)/reviews", #"{"rating":\#(stars)}"#).status == 201)
                }
            }
            let all = [shops[0].shop, shops[1].shop, cast.shop, shops[2].shop]
            #expect(try Self.ids(try await visitor.get("/v1/shops?sort=rating")) == all)
            #expect(
                try Self.ids(try await visitor.get("/v1/campaigns?sort=rating"))
                    == [shops[0].campaign, shops[1].campaign, cast.campaign, shops[2].campaign])
            #expect(try Self.ids(try await visitor.get("/v1/shops?minRating=4.5")) == [shops[0].shop])
            #expect(try Self.ids(try await visitor.get("/v1/campaigns?minRating=4")) == [shops[1].campaign, shops[0].campaign])
            #expect(try Self.ids(try await visitor.get("/v1/shops?minRating=1&near=31.23,121.47&sort=rating")) == Array(all[..<2]))
            let page = try await visitor.get("/v1/shops?sort=rating&limit=2")
            let next = try await visitor.get("/v1/shops?sort=rating&limit=2&cursor=\(try page.string("next"))")
            #expect(try Self.ids(page) + Self.ids(next) == all)
            try await visitor.get("/v1/shops?limit=2&cursor=\(try page.string("next"))").expectInvalid("/cursor")
        }
    }

    @Test("A customer finds the campaigns whose card lacks one or two stamps, and nobody else's")
    func nearlyFull() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 4)
            let path = "/v1/campaigns?nearlyFull=true"
            #expect(try Self.ids(try await cast.customer.get(path)).isEmpty)
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try Self.ids(try await cast.customer.get(path)).isEmpty, "three are lacking")
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try Self.ids(try await cast.customer.get(path)) == [cast.campaign])
            #expect(try Self.ids(try await cast.customer.get("/v1/shops?nearlyFull=true")) == [cast.shop])
            #expect(try Self.ids(try await cast.customer.get(path + "&kind=promotion")).isEmpty)
            #expect(try Self.ids(try await cast.owner.get(path)).isEmpty)
            #expect(try Self.ids(try await cast.owner.get("/v1/campaigns?nearlyFull=false")) == [cast.campaign])
            try await visitor.get(path).expectProblem("unauthenticated", 401)
            try await visitor.get("/v1/shops?nearlyFull=true").expectProblem("unauthenticated", 401)
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            #expect(try Self.ids(try await cast.customer.get(path)).isEmpty, "the card is full")
        }
    }

    @Test("A cursor of one account's nearly full cards is not valid for another account")
    func foreignCursor() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let other = try await Self.shop(10, visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            let code = try await other.owner.post("/v1/campaigns/\(other.campaign)/codes", "{}").string("code")
            _ = try await cast.stamp(code)
            let path = "/v1/campaigns?nearlyFull=true&limit=1"
            let first = try await cast.customer.get(path)
            let cursor = try first.string("next")
            let second = try await cast.customer.get(path + "&cursor=\(cursor)")
            #expect(try Set(Self.ids(first) + Self.ids(second)) == [cast.campaign, other.campaign])
            try await cast.owner.get(path + "&cursor=\(cursor)").expectInvalid("/cursor")
        }
    }

    @Test(
        "An invalid filter is named",
        arguments: [
            ("open=yes", "/open"), ("open=", "/open"), ("minRating=0.9", "/minRating"), ("minRating=5.1", "/minRating"),
            ("minRating=nan", "/minRating"), ("minRating=4e0", "/minRating"), ("minRating=", "/minRating"), ("nearlyFull=1", "/nearlyFull"),
            ("sort=stars", "/sort"),
        ])
    func invalid(_ query: String, _ pointer: String) async throws {
        try await onStage { _, visitor in
            try await visitor.get("/v1/campaigns?\(query)").expectInvalid(pointer)
            try await visitor.get("/v1/shops?\(query)").expectInvalid(pointer)
            try await visitor.get("/v1/shops?sort=popular").expectInvalid("/sort")
        }
    }
}
