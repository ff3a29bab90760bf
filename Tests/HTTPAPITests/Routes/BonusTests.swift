import HTTPTypes
import Testing

/// Bonus hours over HTTP. The clock of the tests begins on a Saturday at 17:00 in Shanghai, 10:00 in Berlin.
@Suite("Bonus hours", .timeLimit(.minutes(15)))
struct BonusTests {
    private static let hours =
        #"[{"days":["saturday"],"from":"17:00","to":"17:10","factor":3},"#
        + #"{"days":["monday","sunday"],"from":"22:00","to":"01:30","factor":2}]"#

    private static func body(_ bonuses: String, goal: Int = 50) -> String {
        Cast.campaignBody(goal: goal).dropLast() + #","bonuses":\#(bonuses)}"#
    }

    private func publish(_ bonuses: String, of cast: Cast, goal: Int = 50) async throws -> String {
        let reply = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Self.body(bonuses, goal: goal))
        #expect(reply.status == 201, "\(reply.text)")
        return try reply.string("id")
    }

    private func code(_ campaign: String, _ cast: Cast, stamps: Int = 1) async throws -> String {
        try await cast.owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps)}"#).string("code")
    }

    @Test("A campaign shows its bonus hours, and an edit changes or removes them")
    func fields() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let said = try JSONValue(Array(Self.hours.utf8))
            let body = Self.body(Self.hours)
            let published = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body, key: "k")
            #expect(published.status == 201, "\(published.text)")
            #expect(try published.json["bonuses"] == said)
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body, key: "k").body == published.body)
            let other = Self.body(Self.hours.replacing("\"factor\":3", with: "\"factor\":4"))
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", other, key: "k").expectProblem("idempotencyKeyReused", 422)
            let path = "/v1/campaigns/\(try published.string("id"))"
            #expect(try await visitor.get(path).json["bonuses"] == said)
            let listed = try await visitor.get("/v1/campaigns?shop=\(cast.shop)").json["items"]?.items ?? []
            #expect(listed.contains { $0["bonuses"] == said })
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").json["bonuses"] == nil)
            // A field that is not in the edit keeps its value, and an edit without a change records no event.
            let renamed = try await cast.owner.edit(path, #"{"title":"Happy hours"}"#, seen: "*")
            #expect(try renamed.json["bonuses"] == said)
            let head = stage.head
            #expect(try await cast.owner.edit(path, #"{"bonuses":\#(Self.hours)}"#, seen: "*").status == 200)
            #expect(stage.head == head)
            let night = #"[{"days":["friday"],"from":"00:00","to":"24:00","factor":5}]"#
            let edited = try await cast.owner.edit(path, #"{"bonuses":\#(night)}"#, seen: "*")
            #expect(try edited.json["bonuses"] == JSONValue(Array(night.utf8)))
            // A browser has no 24:00 for the end of the day, so 00:00 means the same if the hours begin later.
            let evening = #"[{"days":["friday"],"from":"21:00","to":"00:00","factor":5}]"#
            let late = try await cast.owner.edit(path, #"{"bonuses":\#(evening)}"#, seen: "*")
            #expect(try late.json["bonuses"] == JSONValue(Array(evening.replacing(#""to":"00:00""#, with: #""to":"24:00""#).utf8)))
            #expect(try await cast.owner.edit(path, #"{"bonuses":null}"#, seen: "*").json["bonuses"] == nil)
            #expect(try await cast.owner.edit(path, #"{"bonuses":[]}"#, seen: "*").json["bonuses"] == nil)
        }
    }

    private static func one(_ times: String, on days: String = #"["monday"]"#) -> String { #"[{"days":\#(days),\#(times)}]"# }

    private static let morning = #""from":"08:00","to":"09:00","factor":2"#
    private static let tooMany: String = "[" + Array(repeating: "{}", count: 22).joined(separator: ",") + "]"
    private static let overlapping: String =
        #"[{"days":["monday"],"from":"22:00","to":"01:00","factor":2},"#
        + #"{"days":["tuesday"],"from":"00:59","to":"02:00","factor":3}]"#

    private static let faults: [(String, String)] = [
        ("8", "/bonuses"), ("{}", "/bonuses"), (#""monday""#, "/bonuses"), ("[1]", "/bonuses/0"), ("[null]", "/bonuses/0"),
        (one(morning, on: "[]"), "/bonuses/0/days"), (one(morning, on: #"["Monday"]"#), "/bonuses/0/days"),
        (one(morning, on: #"["monday","monday"]"#), "/bonuses/0/days"), (one(morning, on: #"["someday"]"#), "/bonuses/0/days"),
        (one(morning, on: "[1]"), "/bonuses/0/days"), (one(morning, on: #""monday""#), "/bonuses/0/days"),
        (#"[{"from":"08:00","to":"09:00","factor":2}]"#, "/bonuses/0/days"),
        (one(#""from":"8:00","to":"09:00","factor":2"#), "/bonuses/0/from"),
        (one(#""from":480,"to":"09:00","factor":2"#), "/bonuses/0/from"),
        (one(#""from":"08:00","to":"24:01","factor":2"#), "/bonuses/0/to"),
        (one(#""from":"08:00","factor":2"#), "/bonuses/0/to"), (one(#""from":"08:00","to":"09:00""#), "/bonuses/0/factor"),
        (one(#""from":"08:00","to":"09:00","factor":"2""#), "/bonuses/0/factor"),
        (one(#""from":"08:00","to":"09:00","factor":2.5"#), "/bonuses/0/factor"),
        (one(#""from":"08:00","to":"09:00","factor":1"#), "/bonuses"), (one(#""from":"08:00","to":"09:00","factor":6"#), "/bonuses"),
        (one(#""from":"00:00","to":"00:00","factor":2"#), "/bonuses"),
        (one(#""from":"08:00","to":"08:00","factor":2"#), "/bonuses"), (one(#""from":"24:00","to":"08:00","factor":2"#), "/bonuses"),
        (tooMany, "/bonuses"), (overlapping, "/bonuses"),
    ]

    @Test("Invalid bonus hours are refused, and the answer names the place of each invalid entry", arguments: faults)
    func refused(_ bonuses: String, _ pointer: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Self.body(bonuses)).expectInvalid(pointer)
            try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"bonuses":\#(bonuses)}"#, seen: "*").expectInvalid(pointer)
            #expect(stage.head == head)
        }
    }

    @Test("A promotion and a coupon have no bonus hours")
    func otherKinds() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let promotion = Self.body(Self.hours).replacing("stampCard", with: "promotion")
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", promotion).expectInvalid("/bonuses")
            let coupon = Cast.couponBody().dropLast() + #","bonuses":\#(Self.hours)}"#
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", String(coupon)).expectInvalid("/bonuses")
        }
    }

    @Test("A code gives, once, the multiple that applied when it was issued, and a reversal takes all of its stamps back")
    func stamps() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(Self.hours, of: cast)
            stage.clock.advance(seconds: 599)
            let last = try await code(id, cast, stamps: 2)
            stage.clock.advance(seconds: 1)
            let late = try await code(id, cast)
            let tripled = try await cast.stamp(last, key: "last")
            #expect(try tripled.int("added") == 6)
            #expect(try tripled.int("card", "stamps") == 6)
            let plain = try await cast.stamp(late)
            #expect(try plain.int("added") == 1)
            let head = stage.head
            #expect(try await cast.stamp(last, key: "last").body == tripled.body)
            #expect(stage.head == head)
            let position = try tripled.int("position")
            let reversed = try await cast.owner.post("/v1/stamps/\(position)/reversal", #"{"reason":"Refunded"}"#)
            #expect(try reversed.int("added") == -6)
        }
    }

    @Test("The bonus hours at the time of giving apply to stamps at the counter, those at the time of printing to codes of a strip")
    func counter() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(Self.hours, of: cast)
            let badge = try await cast.customer.get("/v1/me/badge").string("code")
            let given = try await cast.owner.post("/v1/campaigns/\(id)/stamps", #"{"badge":"\#(badge)","stamps":2}"#, key: "give")
            #expect(try given.int("added") == 6, "\(given.text)")
            let strip = try await cast.owner.post("/v1/campaigns/\(id)/codes", #"{"count":2,"validFor":3600}"#, key: "strip")
            let codes = try strip.json["items"]?.items?.compactMap { $0["code"]?.string } ?? []
            #expect(codes.count == 2, "\(strip.text)")
            stage.clock.advance(seconds: 600)
            for code in codes { #expect(try await cast.stamp(code).int("added") == 3) }
            let later = try await cast.customer.get("/v1/me/badge").string("code")
            let plain = try await cast.owner.post("/v1/campaigns/\(id)/stamps", #"{"badge":"\#(later)","stamps":2}"#, key: "later")
            #expect(try plain.int("added") == 2, "\(plain.text)")
        }
    }

    @Test("Bonus hours are in the shop's time zone, as it is set when the code is entered")
    func zones() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let id = try await publish(#"[{"days":["saturday"],"from":"10:00","to":"11:00","factor":5}]"#, of: cast)
            let (inShanghai, inBerlin) = (try await code(id, cast), try await code(id, cast))
            #expect(try await cast.stamp(inShanghai).int("added") == 1)
            _ = try await cast.owner.edit("/v1/shops/\(cast.shop)", #"{"timeZone":"Europe/Berlin"}"#, seen: "*")
            #expect(try await cast.stamp(inBerlin).int("added") == 5)
        }
    }
}
