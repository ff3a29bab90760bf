import HTTPTypes
import Testing

/// Sends invalid values for each field of each route. The answer must name the field, and the log must not grow.
@Suite("Bad fields", .timeLimit(.minutes(15)))
struct BadFieldTests {
    @Test("Invalid values are rejected for every field of a shop", arguments: [FieldCases.shop])
    func shops(_ cases: [FieldCases.Case]) async throws { try await refuse(cases) }

    @Test("Invalid values are rejected for every field of a campaign", arguments: [FieldCases.campaign])
    func campaigns(_ cases: [FieldCases.Case]) async throws { try await refuse(cases) }

    @Test("Invalid values are rejected for the fields of every other route", arguments: [FieldCases.others])
    func everythingElse(_ cases: [FieldCases.Case]) async throws { try await refuse(cases) }

    @Test("A location outside the range of coordinates is rejected as a whole")
    func offEarth() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for (latitude, longitude) in [("90.0001", "0"), ("-91", "0"), ("0", "180.5"), ("0", "-1e300")] {
                let body = Cast.shopBody.replacing("31.2304", with: latitude).replacing("121.4737", with: longitude)
                try await cast.customer.post("/v1/shops", body).expectInvalid("/location")
            }
            #expect(stage.head == head)
        }
    }

    @Test("A missing required field is rejected by name")
    func missing() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for (path, fields) in [
                ("shops", ["name", "phone", "address", "location"]), ("stamps", ["code"]), ("redemptions", ["code"]), ("preview", ["code"]),
                ("campaigns", ["kind", "title", "details", "goal", "reward", "startsAt", "endsAt"]), ("replies", ["text"]),
                ("verifications", ["phone"]), ("sessions", ["phone"]), ("refresh", ["refreshToken"]),
            ] {
                let target = try Self.target(path, cast)
                for field in fields {
                    let body = try Self.body(target.fields.filter { $0.0.prefix { $0 != "." } != field })
                    try await target.visitor.post(target.path, body, key: "k").expectInvalid("/" + field)
                }
            }
            #expect(stage.head == head)
        }
    }

    @Test("All invalid fields are reported in one answer")
    func together() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let body = Cast.shopBody.replacing("好喝奶茶店", with: "").replacing("+861012345678", with: "x")
            let reply = try await cast.customer.post("/v1/shops", body)
            try reply.expectInvalid("/name")
            try reply.expectInvalid("/phone")
        }
    }

    private func refuse(_ cases: [FieldCases.Case]) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for item in cases {
                let target = try Self.target(item.path, cast)
                let fields = target.fields.filter { $0.0 != item.field } + [(item.field, item.value)]
                let reply = try await target.visitor.post(target.path, try Self.body(fields), key: "k")
                #expect(reply.status == 400, "\(item.testDescription): \(reply.text)")
                let pointers = try reply.json["errors"]?.items?.compactMap { $0["pointer"]?.string } ?? []
                #expect(pointers.contains(item.pointer), "\(item.testDescription): \(reply.text)")
            }
            #expect(stage.head == head)
        }
    }

    private struct Target {
        let visitor: Visitor
        let path: String
        let fields: [(String, String)]
    }

    private static func target(_ name: String, _ cast: Cast) throws -> Target {
        switch name {
        case "shops":
            Target(
                visitor: cast.customer, path: "/v1/shops",
                fields: [
                    ("name", "\"Tea\""), ("phone", "\"123\""), ("address", "\"Here\""), ("location.latitude", "1"),
                    ("location.longitude", "1"),
                ])
        case "campaigns":
            Target(
                visitor: cast.owner, path: "/v1/shops/\(cast.shop)/campaigns",
                fields: [
                    ("kind", "\"stampCard\""), ("title", "\"T\""), ("details", "\"\""), ("goal", "3"), ("reward", "\"R\""),
                    ("startsAt", "\"2026-11-01T00:00:00Z\""), ("endsAt", "\"2027-11-01T00:00:00Z\""),
                ])
        case "stamps": Target(visitor: cast.customer, path: "/v1/stamps", fields: [("code", "\"AAAA-AAAA\"")])
        case "redemptions": Target(visitor: cast.owner, path: "/v1/redemptions", fields: [("code", "\"AAAA-AAAA\"")])
        case "preview": Target(visitor: cast.owner, path: "/v1/redemptions/preview", fields: [("code", "\"AAAA-AAAA\"")])
        case "codes": Target(visitor: cast.owner, path: "/v1/campaigns/\(cast.campaign)/codes", fields: [])
        case "reviews": Target(visitor: cast.customer, path: "/v1/shops/\(cast.shop)/reviews", fields: [])
        case "replies":
            Target(visitor: cast.customer, path: "/v1/reviews/rev_00000000000000000000000000/replies", fields: [("text", "\"T\"")])
        case "verifications": Target(visitor: cast.customer, path: "/v1/verifications", fields: [("phone", "\"+8613800138000\"")])
        case "sessions": Target(visitor: cast.customer, path: "/v1/sessions", fields: [("phone", "\"+8613800138000\""), ("code", "\"0\"")])
        default: Target(visitor: cast.customer, path: "/v1/sessions/refresh", fields: [("refreshToken", "\"x\"")])
        }
    }

    /// Builds a JSON object from field names and values. One dot in a name makes a nested object.
    private static func body(_ fields: [(String, String)]) throws -> String {
        var inner: [String: [String]] = [:]
        var outer: [String] = []
        for (name, value) in fields {
            let parts = name.split(separator: ".")
            if parts.count == 2 {
                inner[String(parts[0]), default: []].append("\"\(parts[1])\":\(value)")
            } else {
                outer.append("\"\(name)\":\(value)")
            }
        }
        outer += inner.map { "\"\($0.key)\":{\($0.value.joined(separator: ","))}" }
        return "{" + outer.joined(separator: ",") + "}"
    }
}
