import HTTPTypes
import Testing

@Suite("Routing", .timeLimit(.minutes(15)))
struct RoutingTests {
    private static let id = "00000000000000000000000000"

    @Test(
        "An unknown path is answered with 404 for every method",
        arguments: ["/v1", "/v1/", "/v1/nothing", "/v2/me", "/meme", "/v1/me/cards/x", "/v1/%2e%2e/me"])
    func notFound(_ path: String) async throws {
        try await onStage { _, visitor in
            for method in [HTTPRequest.Method.get, .post, .delete, .options, .init("BREW")!] {
                try await visitor.send(method, path).expectProblem("notFound", 404)
            }
        }
    }

    @Test(
        "A wrong method is answered with 405 and the list of allowed methods",
        arguments: [
            ("/v1/me", "DELETE, GET, HEAD, OPTIONS, PATCH", HTTPRequest.Method.put), ("/v1/stamps", "OPTIONS, POST", .get),
            ("/v1/cards/card_\(id)", "DELETE, GET, HEAD, OPTIONS", .put), ("/v1/redemptions", "OPTIONS, POST", .delete),
            ("/v1/redemptions/preview", "OPTIONS, POST", .get),
            ("/v1/shops/shop_\(id)/reviews", "GET, HEAD, OPTIONS, POST", .patch),
            ("/v1/notices/scheduled", "GET, HEAD, OPTIONS", .delete),
            ("/healthz", "GET, HEAD, OPTIONS", .post), ("/v1/sessions/current", "DELETE, OPTIONS", .init("BREW")!),
        ])
    func methodNotAllowed(_ path: String, _ allow: String, _ method: HTTPRequest.Method) async throws {
        try await onStage { _, visitor in
            let reply = try await visitor.send(method, path)
            try reply.expectProblem("methodNotAllowed", 405)
            #expect(reply.headers[.allow] == allow)
            let options = try await visitor.send(.options, path)
            #expect(options.status == 204)
            #expect(options.headers[.allow] == allow)
        }
    }

    @Test("HEAD answers as GET does, without the body")
    func head() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for path in ["/healthz", "/v1/shops/\(cast.shop)", "/v1/nothing", "/v1/me"] {
                let (get, head) = (try await visitor.get(path), try await visitor.send(.head, path))
                #expect(head.status == get.status)
                #expect(head.body.isEmpty)
                #expect(head.headers[.contentType] == get.headers[.contentType])
            }
        }
    }

    @Test("Malformed and unknown IDs and IDs of another kind are answered with 404")
    func ids() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let bad = [
                "x", "card_", "card_x", "CARD_\(Self.id)", "card_\(Self.id)0", "card_8\(Self.id.dropFirst())",
                "card_\(Self.id.uppercased())u",
                cast.shop, cast.campaign, cast.customer.account, "card_\(Self.id)", "shop_\(Self.id)", "%00", "card_%F0%9F%A7%8B",
            ]
            for id in bad where id != cast.campaign {
                for (method, path) in [(HTTPRequest.Method.get, "/v1/campaigns/\(id)"), (.post, "/v1/campaigns/\(id)/end")] {
                    try await cast.owner.send(method, path).expectProblem("notFound", 404)
                }
            }
            for id in bad {
                for (method, path) in [
                    (HTTPRequest.Method.get, "/v1/cards/\(id)"), (.delete, "/v1/cards/\(id)"), (.post, "/v1/cards/\(id)/redemption"),
                    (.get, "/v1/codes/\(id)"), (.delete, "/v1/codes/\(id)"), (.get, "/v1/redemptions/\(id)"),
                ] {
                    try await cast.customer.send(method, path).expectProblem("notFound", 404)
                }
                try await cast.customer.post("/v1/reviews/\(id)/replies", #"{"text":"hello"}"#).expectProblem("notFound", 404)
            }
            try await cast.customer.post("/v1/stamps", #"{"code":"AAAA-AAAA","campaign":"\#(cast.shop)"}"#, key: "k")
                .expectProblem("notFound", 404)
            #expect(stage.head == head)
        }
    }

    @Test("A problem is written in the reader's language")
    func language() async throws {
        try await onStage { _, visitor in
            for (language, title) in [("en", "Not signed in"), ("zh-CN,zh;q=0.9", "未登录"), ("fr", "Not signed in")] {
                let reply = try await visitor.get("/v1/me", headers: [.acceptLanguage: language])
                #expect(try reply.string("title") == title)
                #expect(reply.headers[.contentLanguage] == (title == "未登录" ? "zh-Hans" : "en"))
            }
        }
    }

    @Test("Every route that needs an account rejects requests without a token")
    func unauthenticated() async throws {
        try await onStage { stage, visitor in
            let head = stage.head
            for (method, path) in [
                (HTTPRequest.Method.get, "/v1/me"), (.get, "/v1/me/cards"), (.post, "/v1/stamps"), (.get, "/v1/cards/card_\(Self.id)"),
                (.delete, "/v1/cards/card_\(Self.id)"), (.post, "/v1/cards/card_\(Self.id)/redemption"), (.get, "/v1/stamps/1/receipt"),
                (.get, "/v1/redemptions/rdm_\(Self.id)"), (.post, "/v1/shops"), (.post, "/v1/shops/shop_\(Self.id)/campaigns"),
                (.post, "/v1/campaigns/camp_\(Self.id)/end"), (.post, "/v1/campaigns/camp_\(Self.id)/codes"),
                (.get, "/v1/codes/code_\(Self.id)"), (.delete, "/v1/codes/code_\(Self.id)"), (.post, "/v1/redemptions"),
                (.post, "/v1/redemptions/preview"), (.post, "/v1/shops/shop_\(Self.id)/reviews"),
                (.post, "/v1/reviews/rev_\(Self.id)/replies"), (.delete, "/v1/sessions/current"),
            ] {
                let reply = try await visitor.send(method, path)
                try reply.expectProblem("unauthenticated", 401)
                #expect(reply.headers[.wwwAuthenticate] == "Bearer")
            }
            #expect(stage.head == head)
        }
    }
}
