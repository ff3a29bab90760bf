import CommandService
import Composition
import EventLog
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@Suite("Editing a campaign", .timeLimit(.minutes(15)))
struct CampaignEditTests {

    @Test("Publishing, reading, editing and ending a campaign return the entity tag that the next edit needs")
    func tags() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let published = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "New"))
            let path = "/v1/campaigns/\(try published.string("id"))"
            let first = try #require(published.headers[.eTag])
            #expect(try await visitor.tag(of: path) == first)
            let edited = try await cast.owner.edit(path, #"{"title":"Newer","goal":5}"#, seen: first)
            #expect(edited.status == 200, "\(edited.text)")
            #expect(try edited.string("title") == "Newer" && edited.int("goal") == 5)
            #expect(try edited.string("details") == published.string("details"))
            try await cast.owner.edit(path, #"{"title":"Newest"}"#, seen: first).expectProblem("versionConflict", 412)
            try await cast.owner.edit(path, #"{"title":"Newest"}"#, seen: nil).expectProblem("preconditionRequired", 428)
            // A missing permission or an unknown campaign is reported before the missing precondition.
            try await cast.customer.edit(path, #"{"title":"Newest"}"#, seen: nil).expectProblem("forbidden", 403)
            let unknown = "/v1/campaigns/camp_01hv5x0000e008000000000000"
            try await cast.owner.edit(unknown, #"{"title":"Newest"}"#, seen: nil).expectProblem("notFound", 404)
            let ended = try await cast.owner.post(path + "/end")
            let last = try await visitor.tag(of: path)
            #expect(ended.headers[.eTag] == last && edited.headers[.eTag] != last)
        }
    }

    @Test("A changed goal applies only to cards that are opened later")
    func goal() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor, goal: 3)
            #expect(try await cast.stamp(try await cast.issue().code).int("card", "goal") == 3)
            #expect(try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"goal":2}"#, seen: "*").status == 200)
            let full = try await cast.stamp(try await cast.issue(stamps: 3).code)
            #expect(try full.int("card", "goal") == 3 && full.string("card", "status") == "full")
            #expect(try full.json["cards"]?[1]?["goal"]?.int == 2)
        }
    }

    @Test("A null field removes the image or the cap, and an absent field stays unchanged")
    func removal() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)"
            let image = try await cast.owner.picture()
            let set = try await cast.owner.edit(
                path, #"{"image":"\#(image)","stampsPerDayMax":4,"minimumGapSeconds":60}"#, seen: "*")
            #expect(try set.string("image") == image && set.int("stampsPerDayMax") == 4 && set.int("minimumGapSeconds") == 60)
            let kept = try await cast.owner.edit(path, #"{"title":"Kept","stampsPerDayMax":null}"#, seen: "*")
            #expect(try kept.string("image") == image && kept.json["stampsPerDayMax"] == .null)
            #expect(try kept.int("minimumGapSeconds") == 60)
            let none = try await cast.owner.edit(path, #"{"image":null,"minimumGapSeconds":null}"#, seen: "*")
            #expect(try none.json["image"] == .null && none.json["minimumGapSeconds"] == .null)
            #expect(try await visitor.get("/v1/shops/\(cast.shop)").json["campaigns"]?[0]?["title"]?.string == "Kept")
        }
    }

    @Test(
        "Each invalid field is named",
        arguments: [
            ("title", "null"), ("title", "\"\""), ("details", "1"), ("goal", "0"), ("goal", "51"), ("goal", "null"), ("goal", "1.5"),
            ("reward", "null"), ("reward", "\"\""), ("startsAt", "\"soon\""), ("startsAt", "null"), ("endsAt", "\"2020-01-01T00:00:00Z\""),
            ("endsAt", "\"x\""), ("image", "\"img_1\""), ("image", "1"), ("stampsPerDayMax", "0"), ("stampsPerDayMax", "\"1\""),
            ("minimumGapSeconds", "86401"), ("minimumGapSeconds", "true"),
        ])
    func fields(_ field: String, _ value: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", "{\"\(field)\":\(value)}", seen: "*").expectInvalid("/" + field)
            #expect(stage.head == head)
        }
    }

    @Test("Neither a customer nor an anonymous client may edit a campaign, and a retried edit is made once")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)"
            try await cast.customer.edit(path, #"{"goal":1}"#, seen: "*").expectProblem("forbidden", 403)
            try await visitor.edit(path, #"{"goal":1}"#, seen: "*").expectProblem("unauthenticated", 401)
            let first = try await cast.owner.edit(path, #"{"endsAt":"2027-12-01T00:00:00Z","image":null,"goal":4}"#, seen: "*", key: "k")
            #expect(first.status == 200)
            _ = try await cast.owner.edit(path, #"{"goal":5}"#, seen: "*")
            let head = stage.head
            let again = try await cast.owner.edit(path, #"{"goal":4,"endsAt":"2027-12-01T00:00:00Z","image":null}"#, seen: "*", key: "k")
            #expect(again.body == first.body && stage.head == head)
            // This edit lacks the field `image`, which was null in the first edit, so the two requests differ.
            try await cast.owner.edit(path, #"{"goal":4,"endsAt":"2027-12-01T00:00:00Z"}"#, seen: "*", key: "k")
                .expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("An edit repeats none of the plaintext that an older program stored, and an edit without changes adds no event")
    func clearTexts() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (shop, owner) = (try #require(ShopID(text: cast.shop)), Caller(account: try #require(AccountID(text: cast.owner.account))))
            let now = stage.service.clock.now()
            for (number, body) in [#"{"goal":5}"#, #"{"title":"Sealed cups"}"#, #"{"reward":"A sealed drink","goal":4}"#].enumerated() {
                let id = CampaignID(UInt128(77 + number))
                let publish = PublishCampaign(
                    campaign: id, shop: shop, kind: .stampCard,
                    terms: CampaignTerms(
                        title: "Clear cups", details: "", goal: 3, reward: "A clear drink", startsAt: now,
                        endsAt: now.advanced(bySeconds: 3_600)))
                _ = try await stage.service.submit(.publishCampaign(publish), by: owner)
                let (path, head) = ("/v1/campaigns/" + id.text, stage.service.log.head)
                for same in [#"{"goal":3}"#, #"{"title":"Clear cups"}"#] {
                    #expect(try await cast.owner.edit(path, same, seen: "*").status == 200)
                }
                #expect(stage.service.log.head == head)
                let edited = try await cast.owner.edit(path, body, seen: "*")
                #expect(stage.service.log.head == Position(head.rawValue + 1))
                let bytes = try stage.service.log.withRecord(at: stage.service.log.head) { record in
                    record.bytes.indices.map { record.bytes[$0] }
                }
                let record = Data(try #require(bytes))
                for word in ["Clear cups", "A clear drink", "Sealed cups", "A sealed drink"] {
                    #expect(record.range(of: Data(word.utf8)) == nil, "\(word) is in the event of \(body)")
                }
                #expect(try edited.string("title") == (number == 1 ? "Sealed cups" : "Clear cups"))
                #expect(try edited.string("reward") == (number == 2 ? "A sealed drink" : "A clear drink"))
            }
        }
    }
}
