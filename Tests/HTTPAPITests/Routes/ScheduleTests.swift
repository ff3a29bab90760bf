import HTTPTypes
import Testing

@Suite("Time zones and opening hours", .timeLimit(.minutes(15)))
struct ScheduleTests {
    private static func body(_ fields: String) -> String { String(Cast.shopBody.dropLast()) + "," + fields + "}" }

    private static let hours =
        #"[{"days":["monday","friday"],"from":"08:00","to":"22:00"},{"days":["saturday"],"from":"20:00","to":"02:00"}]"#

    @Test("A shop shows its time zone and its opening hours")
    func opening() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let body = Self.body(#""timeZone":"Asia/Shanghai","openingHours":\#(Self.hours)"#)
            let opened = try await owner.post("/v1/shops", body, key: "k")
            #expect(opened.status == 201, "\(opened.text)")
            let said = try JSONValue(Array(Self.hours.utf8))
            #expect(try opened.string("timeZone") == "Asia/Shanghai" && opened.json["openingHours"] == said)
            let path = "/v1/shops/\(try opened.string("id"))"
            #expect(try await visitor.get(path).json["openingHours"] == said)
            #expect(try await owner.post("/v1/shops", body, key: "k").body == opened.body)
            try await owner.post("/v1/shops", Cast.shopBody, key: "k").expectProblem("idempotencyKeyReused", 422)
            let edited = try await owner.edit(path, #"{"timeZone":"Asia/Tokyo"}"#, seen: "*")
            #expect(try edited.string("timeZone") == "Asia/Tokyo" && edited.json["openingHours"] == said)
            let never = try await owner.edit(path, #"{"openingHours":[]}"#, seen: "*")
            #expect(try never.json["openingHours"]?.items?.isEmpty == true)
            let silent = try await owner.edit(path, #"{"openingHours":null}"#, seen: "*")
            #expect(try silent.json["openingHours"] == .null && silent.string("timeZone") == "Asia/Tokyo")
            let head = stage.head
            #expect(try await owner.edit(path, #"{"openingHours":null,"timeZone":"Asia/Tokyo"}"#, seen: "*").status == 200)
            #expect(stage.head == head)
        }
    }

    @Test("An end at 00:00 is the midnight at the end of the day, and answers show it as 24:00")
    func midnight() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let week = { (end: String) in
                #"[{"days":["monday"],"from":"21:00","to":"\#(end)"},{"days":["tuesday"],"from":"00:00","to":"09:00"}]"#
            }
            let opened = try await owner.post("/v1/shops", Self.body(#""openingHours":\#(week("00:00"))"#))
            #expect(opened.status == 201, "\(opened.text)")
            #expect(try opened.json["openingHours"] == JSONValue(Array(week("24:00").utf8)))
            let head = stage.head
            let path = "/v1/shops/\(try opened.string("id"))"
            #expect(try await owner.edit(path, #"{"openingHours":\#(week("24:00"))}"#, seen: "*").status == 200)
            #expect(stage.head == head, "the two spellings differ")
        }
    }

    @Test("A shop that names no zone has the zone Asia/Shanghai, and an unknown zone is refused")
    func zones() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let opened = try await owner.post("/v1/shops", Self.body(#""timeZone":null,"openingHours":null"#))
            #expect(try opened.string("timeZone") == "Asia/Shanghai" && opened.json["openingHours"] == .null)
            let path = "/v1/shops/\(try opened.string("id"))"
            for zone in [
                #""Middle/Earth""#, #""""#, #""../../etc/passwd""#, #""GMT+0530""#, "8", "[]", #""\#(String(repeating: "A/", count: 40))""#,
            ] {
                try await owner.post("/v1/shops", Self.body(#""timeZone":\#(zone)"#)).expectInvalid("/timeZone")
                try await owner.edit(path, #"{"timeZone":\#(zone)}"#, seen: "*").expectInvalid("/timeZone")
            }
            try await owner.edit(path, #"{"timeZone":null}"#, seen: "*").expectInvalid("/timeZone")
        }
    }

    @Test(
        "Invalid hours are refused, each by its place",
        arguments: [
            ("8", "/openingHours"), ("{}", "/openingHours"), ("[1]", "/openingHours/0"), ("[{}]", "/openingHours/0/days"),
            (#"[{"days":[],"from":"08:00","to":"09:00"}]"#, "/openingHours/0/days"),
            (#"[{"days":["Monday"],"from":"08:00","to":"09:00"}]"#, "/openingHours/0/days"),
            (#"[{"days":["monday","monday"],"from":"08:00","to":"09:00"}]"#, "/openingHours/0/days"),
            (#"[{"days":["monday"],"from":"8:00","to":"09:00"}]"#, "/openingHours/0/from"),
            (#"[{"days":["monday"],"from":"08:00","to":"24:01"}]"#, "/openingHours/0/to"),
            (#"[{"days":["monday"],"from":"08:00"}]"#, "/openingHours/0/to"),
            (#"[{"days":["monday"],"from":"24:00","to":"09:00"}]"#, "/openingHours"),
            (#"[{"days":["monday"],"from":"08:00","to":"08:00"}]"#, "/openingHours"),
            (#"[{"days":["monday"],"from":"00:00","to":"00:00"}]"#, "/openingHours"),
            (#"[{"days":["monday"],"from":"21:00","to":"00:00"},{"days":["monday"],"from":"23:59","to":"24:00"}]"#, "/openingHours"),
            (#"[{"days":["monday"],"from":"08:00","to":"12:00"},{"days":["monday"],"from":"11:59","to":"13:00"}]"#, "/openingHours"),
        ])
    func hours(_ hours: String, _ pointer: String) async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let head = stage.head
            try await owner.post("/v1/shops", Self.body(#""openingHours":\#(hours)"#)).expectInvalid(pointer)
            #expect(stage.head == head)
        }
    }

    @Test("More hours than a week has are refused without being read")
    func bound() async throws {
        try await onStage { _, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let many = "[" + Array(repeating: "{}", count: 22).joined(separator: ",") + "]"
            let reply = try await owner.post("/v1/shops", Self.body(#""openingHours":\#(many)"#))
            try reply.expectInvalid("/openingHours")
            #expect(try reply.json["errors"]?.items?.count == 1)
        }
    }

    @Test("Reports and lists are in the shop's own time where the request names no zone")
    func reports() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let shop = try await owner.post("/v1/shops", Self.body(#""timeZone":"Pacific/Kiritimati""#)).string("id")
            let (zoned, utc) = (
                try await owner.get("/v1/shops/\(shop)/statistics"), try await owner.get("/v1/shops/\(shop)/statistics?timeZone=UTC")
            )
            #expect(try zoned.string("timeZone") == "Pacific/Kiritimati" && utc.string("timeZone") == "UTC")
            #expect(try await owner.get("/v1/shops/\(shop)/analytics").string("timeZone") == "Pacific/Kiritimati")
        }
    }
}
