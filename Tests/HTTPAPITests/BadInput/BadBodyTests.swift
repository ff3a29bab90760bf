import HTTPTypes
import Testing

/// Sends every kind of bad body to every route that takes one. None of them may reach the log.
@Suite("Bad bodies", .timeLimit(.minutes(15)))
struct BadBodyTests {
    private static let big = 65_537

    /// The routes that take a body, each with a well-formed body.
    private static func routes(_ cast: Cast) -> [(visitor: Visitor, path: String, body: String)] {
        [
            (cast.customer, "/v1/verifications", #"{"phone":"+8613800138000"}"#),
            (cast.customer, "/v1/sessions", #"{"phone":"+8613800138000","code":"000000"}"#),
            (cast.customer, "/v1/sessions/refresh", #"{"refreshToken":"x"}"#),
            (cast.customer, "/v1/stamps", #"{"code":"AAAA-AAAA"}"#), (cast.customer, "/v1/shops", Cast.shopBody),
            (cast.owner, "/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody()),
            (cast.owner, "/v1/campaigns/\(cast.campaign)/codes", #"{"stamps":1}"#),
            (cast.owner, "/v1/redemptions", #"{"code":"AAAA-AAAA"}"#),
            (cast.owner, "/v1/redemptions/preview", #"{"code":"AAAA-AAAA"}"#),
            (cast.customer, "/v1/shops/\(cast.shop)/reviews", #"{"rating":5}"#),
            (cast.customer, "/v1/reviews/rev_00000000000000000000000000/replies", #"{"text":"hello"}"#),
        ]
    }

    @Test("A truncated body is rejected as invalid JSON")
    func truncated() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for route in Self.routes(cast) {
                for length in stride(from: 1, to: route.body.utf8.count, by: 3) {
                    let bytes = Array(route.body.utf8.prefix(length))
                    // Some prefixes are not valid UTF-8. Their invalid bytes are sent as replacement characters, which are not
                    // valid JSON either.
                    try await route.visitor.post(route.path, String(decoding: bytes, as: UTF8.self), key: "k").expectInvalid("")
                }
            }
            #expect(stage.head == head)
        }
    }

    @Test(
        "Malformed JSON and JSON of the wrong shape are rejected",
        arguments: [
            " ", "x", "null", "[]", "0", "\"text\"", "{,}", "{\"a\":}", "{'a':1}", "{\"a\":1}}", "{\"a\":NaN}", "{\"a\":Infinity}",
            "{\"a\":-Infinity}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\x\"}", "{\"a\":01}", "{\"a\":1,}", "\u{FEFF}x", "<xml/>",
            "{\"a\":\"\u{1}\"}", String(repeating: "[", count: 30_000), String(repeating: "{\"a\":", count: 10_000),
            "{\"a\":" + String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000) + "}",
        ])
    func notJSON(_ body: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for route in Self.routes(cast) {
                let reply = try await route.visitor.post(route.path, body, key: "k")
                try reply.expectProblem("invalidRequest", 400)
                #expect(try reply.json["errors"]?.items?.isEmpty == false)
            }
            #expect(stage.head == head)
        }
    }

    @Test(
        "A wrong or missing content type is rejected",
        arguments: [
            "text/plain", "application/xml", "application/jsonx", "application/json; charset=utf-16", "multipart/form-data", "", "json",
        ])
    func contentType(_ type: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for route in Self.routes(cast) {
                try await route.visitor.post(route.path, route.body, key: "k", headers: [.contentType: type])
                    .expectProblem("unsupportedMediaType", 415)
            }
            #expect(stage.head == head)
        }
    }

    @Test("An empty body is rejected, except where the body is optional")
    func noBody() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for route in Self.routes(cast) where !route.path.hasSuffix("/codes") {
                for body in [nil, ""] { try await route.visitor.post(route.path, body, key: "k").expectProblem("invalidRequest", 400) }
            }
            #expect(stage.head == head)
            let codes = "/v1/campaigns/\(cast.campaign)/codes"
            #expect(try await cast.owner.post(codes, "", headers: [.contentType: "application/json"]).status == 201)
        }
    }

    @Test(
        "Every valid spelling of the JSON content type is accepted",
        arguments: ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=\"UTF-8\"; x=y"])
    func goodContentType(_ type: String) async throws {
        try await onStage { _, visitor in
            let reply = try await visitor.post("/v1/verifications", #"{"phone":"+8613800138000"}"#, headers: [.contentType: type])
            #expect(reply.status == 202)
        }
    }

    @Test("A body of 64 KiB is accepted, and one byte more is rejected")
    func size() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            for route in Self.routes(cast) {
                let padding = String(repeating: " ", count: Self.big - route.body.utf8.count)
                try await route.visitor.post(route.path, route.body + padding, key: "k").expectProblem("tooLarge", 413)
            }
            #expect(stage.head == head)
            let body = #"{"phone":"+8613800138000"}"#
            let full = body + String(repeating: " ", count: Self.big - 1 - body.utf8.count)
            #expect(try await visitor.post("/v1/verifications", full).status == 202)
        }
    }
}
