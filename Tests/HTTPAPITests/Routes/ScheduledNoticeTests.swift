import CommandService
import Composition
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@Suite("Scheduled notices", .timeLimit(.minutes(15)))
struct ScheduledNoticeRouteTests {
    private static let day: Int64 = 86_400

    private static func body(
        _ audience: String, _ stage: Stage, in seconds: Int64? = nil, title: String = "New tea", campaign: String? = nil
    ) -> String {
        let moment = seconds.map { #","publishAt":"\#(stage.clock.now().advanced(bySeconds: $0).rfc3339)""# } ?? ""
        let holders = campaign.map { #","campaign":"\#($0)""# } ?? ""
        return #"{"title":"\#(title)","text":"Come.","audience":"\#(audience)"\#(holders)\#(moment)}"#
    }

    private static func titles(_ reply: Reply) throws -> [String] {
        try #require(try reply.json["items"]?.items).map { try #require($0["title"]?.string) }
    }

    @Test("A scheduled notice is listed for its author until it appears, at its moment and once")
    func appears() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            let posted = try await cast.owner.post("/v1/notices", Self.body("shop", stage, in: Self.day), key: "k")
            #expect(posted.status == 201)
            #expect(try posted.json.names == ["id", "title", "text", "audience", "shop", "postedAt", "publishAt"])
            #expect(try posted.json["postedAt"] == .null)
            #expect(try await cast.owner.post("/v1/notices", Self.body("shop", stage, in: Self.day), key: "k").body == posted.body)
            #expect(try Self.titles(try await cast.owner.get("/v1/notices/scheduled")) == ["New tea"])
            #expect(try Self.titles(try await cast.customer.get("/v1/notices/scheduled")) == [])
            #expect(try Self.titles(try await cast.customer.get("/v1/me/notices")) == [])
            stage.clock.advance(seconds: Self.day)
            try await stage.service.runDue()
            let head = stage.head
            try await stage.service.runDue()
            #expect(stage.head == head)
            // The access tokens of yesterday have expired.
            let (owner, customer) = (try await visitor.signedIn("+8613800138001"), try await visitor.signedIn("+8613800138002"))
            #expect(try Self.titles(try await customer.get("/v1/me/notices")) == ["New tea"])
            #expect(try Self.titles(try await owner.get("/v1/notices/scheduled")) == [])
        }
    }

    @Test("A notice that its author withdraws never appears")
    func withdrawal() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            let id = try await cast.owner.post("/v1/notices", Self.body("shop", stage, in: 600)).string("id")
            try await cast.customer.send(.delete, "/v1/notices/\(id)").expectProblem("notFound", 404)
            #expect(try await cast.owner.send(.delete, "/v1/notices/\(id)").status == 204)
            #expect(try await cast.owner.send(.delete, "/v1/notices/\(id)").status == 204)
            #expect(try Self.titles(try await cast.owner.get("/v1/notices/scheduled")) == [])
            let late = try await cast.owner.post("/v1/notices", Self.body("shop", stage, in: 60, title: "late")).string("id")
            stage.clock.advance(seconds: 60)
            try await cast.owner.send(.delete, "/v1/notices/\(late)").expectProblem("notFound", 404)
            stage.clock.advance(seconds: 600)
            try await stage.service.runDue()
            #expect(try Self.titles(try await cast.customer.get("/v1/me/notices")) == ["late"])
            for other in ["ntc_00000000000000000000000000", cast.shop] {
                try await cast.owner.send(.delete, "/v1/notices/\(other)").expectProblem("notFound", 404)
            }
        }
    }

    @Test("A moment that is past, too far ahead or malformed is refused, and a campaign must be one's own")
    func refused() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for seconds in [-120, 90 * Self.day + 60] {
                try await cast.owner.post("/v1/notices", Self.body("shop", stage, in: seconds)).expectInvalid("/publishAt")
            }
            let malformed = #"{"title":"a","text":"b","audience":"shop","publishAt":"tomorrow"}"#
            try await cast.owner.post("/v1/notices", malformed).expectInvalid("/publishAt")
            try await cast.owner.post("/v1/notices", Self.body("holders", stage)).expectInvalid("/campaign")
            for campaign in [cast.shop, "camp_00000000000000000000000000"] {
                try await cast.owner.post("/v1/notices", Self.body("holders", stage, campaign: campaign)).expectProblem("notFound", 404)
            }
            try await cast.customer.post("/v1/notices", Self.body("holders", stage, campaign: cast.campaign))
                .expectProblem("forbidden", 403)
            #expect(stage.head == head)
        }
    }

    @Test("Holders of a campaign's cards get its notices from their first card to their last")
    func holders() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            func tell(_ title: String) async throws {
                let posted = try await cast.owner.post("/v1/notices", Self.body("holders", stage, title: title, campaign: cast.campaign))
                #expect(posted.status == 201)
                #expect(try posted.json["audience"] == .string("holders") && posted.json["campaign"] == .string(cast.campaign))
            }
            try await tell("before the card")
            let card = try await cast.stamp(try await cast.issue().code)
            try await tell("with a card")
            let id = try #require(try card.json["card"]?["id"]?.string)
            #expect(try await cast.customer.send(.delete, "/v1/cards/\(id)").status == 204)
            try await tell("without a card")
            _ = try await cast.stamp(try await cast.issue().code)
            try await tell("with another")
            let mine = try await cast.customer.get("/v1/me/notices")
            #expect(try Self.titles(mine) == ["with another", "with a card"] && mine.int("unread") == 2)
            let first = try await cast.customer.get("/v1/me/notices?limit=1")
            let rest = try await cast.customer.get("/v1/me/notices?limit=1&cursor=\(try first.string("next"))")
            #expect(try Self.titles(rest) == ["with a card"])
        }
    }
}
