import HTTPTypes
import Testing

@Suite("Names and times in requests", .timeLimit(.minutes(15)))
struct NameTests {
    /// `Café`, decomposed, with white space of several scripts and an invisible character at its ends.
    private static let sent = #"\u3000 \t\u200bCafe\u0301\u00a0\n"#
    private static let kept = Array("Caf\u{E9}".utf8)

    private static func bytes(_ reply: Reply, _ path: String...) throws -> [UInt8] {
        let value = try path.reduce(reply.json as JSONValue?) { found, name in Int(name).map { found?[$0] } ?? found?[name] }
        return Array(try #require(value?.string, "\(path) in \(reply.text)").utf8)
    }

    @Test("Every text that names something is kept without white space at its ends and composed")
    func names() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let (owner, sent, kept) = (cast.owner, Self.sent, Self.kept)
            let location = #""location":{"latitude":1,"longitude":2}"#
            let shop = try await owner.post("/v1/shops", #"{"name":"\#(sent)","phone":"+861012345678","address":"\#(sent)",\#(location)}"#)
            #expect(try Self.bytes(shop, "name") == kept && Self.bytes(shop, "address") == kept)
            let renamed = try await owner.edit("/v1/shops/\(cast.shop)", #"{"name":"\#(sent)","address":"\#(sent)"}"#, seen: "*")
            #expect(try Self.bytes(renamed, "name") == kept && Self.bytes(renamed, "address") == kept)
            let dates = #""startsAt":"2026-11-01T00:00:00Z","endsAt":"2027-11-01T00:00:00Z""#
            let milestones = #""milestones":[{"at":1,"reward":"\#(sent)"}]"#
            let texts = #""title":"\#(sent)","reward":"\#(sent)",\#(milestones)"#
            let body = #"{"kind":"stampCard","details":" as sent ","goal":3,\#(texts),\#(dates)}"#
            let published = try await owner.post("/v1/shops/\(cast.shop)/campaigns", body)
            let edited = try await owner.edit("/v1/campaigns/\(cast.campaign)", "{\(texts)}", seen: "*")
            for campaign in [published, edited] {
                #expect(try Self.bytes(campaign, "title") == kept && Self.bytes(campaign, "reward") == kept)
                #expect(try Self.bytes(campaign, "milestones", "0", "reward") == kept)
            }
            #expect(try published.string("details") == " as sent ", "a text that names nothing stays as it was sent")
            let me = try await cast.customer.patch("/v1/me", #"{"nickname":"\#(sent)","city":"\#(sent)"}"#)
            #expect(try Self.bytes(me, "nickname") == kept && Self.bytes(me, "city") == kept)
            let notice = try await owner.post(
                "/v1/notices", #"{"title":"\#(sent)","text":"Come.","audience":"shop","shop":"\#(cast.shop)"}"#)
            #expect(try Self.bytes(notice, "title") == kept)
        }
    }

    @Test("A retry is recognised by the name as it was sent")
    func retries() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let body = Cast.shopBody.replacing("好喝奶茶店", with: " Tea ")
            let first = try await owner.post("/v1/shops", body, key: "k")
            #expect(try await owner.post("/v1/shops", body, key: "k").body == first.body)
            let other = try await owner.post("/v1/shops", body.replacing(" Tea ", with: "Tea"), key: "k")
            try other.expectProblem("idempotencyKeyReused", 422)
            let head = stage.head
            let edit = #"{"nickname":" tea "}"#
            let renamed = try await owner.patch("/v1/me", edit, key: "n")
            #expect(try await owner.patch("/v1/me", edit, key: "n").body == renamed.body && stage.head > head)
        }
    }

    @Test("A name needs a visible letter, digit or symbol", arguments: [#"\ud834\udd59"#, #"\ufffc"#, #"\ue000"#, #"\u0378"#, " ", "…"])
    func nothing(_ name: String) async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            try await cast.owner.edit("/v1/shops/\(cast.shop)", #"{"name":"\#(name)"}"#, seen: "*").expectInvalid("/name")
            try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"title":"\#(name)"}"#, seen: "*").expectInvalid("/title")
            try await cast.customer.patch("/v1/me", #"{"nickname":"\#(name)"}"#).expectInvalid("/nickname")
            try await cast.owner.post("/v1/notices", #"{"title":"\#(name)","text":"a","audience":"shop"}"#).expectInvalid("/title")
            guard name != "…" else { return }
            let feedback = try await cast.customer.post("/v1/feedback", #"{"text":"\#(name)"}"#)
            try feedback.expectInvalid("/text")
        }
    }

    @Test(
        "Every form of RFC 3339 is a time",
        arguments: ["2027-05-01T00:00:00.0000000Z", "2027-05-01t00:00:00.123456789z", "2027-05-01 00:00:00+00:00"])
    func times(_ end: String) async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let edited = try await cast.owner.edit(
                "/v1/campaigns/\(cast.campaign)", #"{"endsAt":"\#(end)","redeemUntil":"\#(end)"}"#, seen: "*")
            #expect(edited.status == 200, "\(edited.text)")
            #expect(try edited.string("endsAt").hasPrefix("2027-05-01T00:00:00."))
            let body = Cast.campaignBody().replacing("2027-11-01T00:00:00Z", with: end)
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body).status == 201)
        }
    }
}
