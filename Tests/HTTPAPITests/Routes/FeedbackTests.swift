import HTTPTypes
import Testing

@Suite("Feedback", .timeLimit(.minutes(15)))
struct FeedbackTests {
    @Test("Feedback is recorded once per key and appears in the author's export")
    func taken() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let reply = try await cast.customer.post("/v1/feedback", #"{"text":"更多口味"}"#, key: "k")
            #expect(reply.status == 202)
            #expect(try reply.json.names == ["receivedAt"])
            let head = stage.head
            #expect(try await cast.customer.post("/v1/feedback", #"{"text":"更多口味"}"#, key: "k").body == reply.body)
            #expect(stage.head == head)
            let export = try await cast.customer.get("/v1/me/export").json
            #expect(export["feedback"]?.items?.compactMap { $0["text"]?.string } == ["更多口味"])
        }
    }

    @Test("Operators read feedback newest first, page by page, and a deleted author's texts are null")
    func read() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            #expect(try await head.get("/v1/admin/feedback").json["items"]?.items?.isEmpty == true)
            for number in 1...3 { _ = try await cast.customer.post("/v1/feedback", #"{"text":"第 \#(number) 条"}"#) }
            _ = try await cast.owner.post("/v1/feedback", #"{"text":"from the shop"}"#)
            let first = try await head.get("/v1/admin/feedback?limit=3")
            #expect(first.status == 200 && first.headers[.cacheControl] == "no-store")
            let items = try #require(try first.json["items"]?.items)
            #expect(items.compactMap { $0["text"]?.string } == ["from the shop", "第 3 条", "第 2 条"])
            #expect(items.map { $0["author"]?.string } == [cast.owner.account, cast.customer.account, cast.customer.account])
            #expect(items[0]["position"]?.int == Int(stage.head))
            // A new entry does not shift the next page.
            _ = try await cast.owner.post("/v1/feedback", #"{"text":"later"}"#)
            let rest = try await head.get("/v1/admin/feedback?limit=3&cursor=\(first.string("next"))")
            #expect(try rest.json["items"]?.items?.compactMap { $0["text"]?.string } == ["第 1 条"] && rest.json["next"] == .null)
            #expect(try await cast.customer.delete("/v1/me").status == 204)
            let left = try await head.get("/v1/admin/feedback").json["items"]?.items ?? []
            #expect(left.map { $0["text"] } == [.string("later"), .string("from the shop"), .null, .null, .null])
            try await head.get("/v1/admin/feedback?cursor=x").expectInvalid("/cursor")
            try await cast.owner.get("/v1/admin/feedback").expectProblem("forbidden", 403)
        }
    }

    @Test("Feedback needs a signed-in account and a text, and is limited")
    func refused() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            try await visitor.post("/v1/feedback", #"{"text":"hello"}"#).expectProblem("unauthenticated", 401)
            try await cast.customer.post("/v1/feedback", #"{"text":""}"#).expectInvalid("/text")
            try await cast.customer.post("/v1/feedback", "{}").expectInvalid("/text")
            #expect(stage.head == head)
            #expect(try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#, key: "first").status == 202)
            for _ in 0..<9 { #expect(try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#).status == 202) }
            let refused = try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "600")
            #expect(try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#, key: "first").status == 202, "a retry is answered")
            stage.clock.advance(seconds: 601)
            let later = try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#)
            #expect(later.status == 202)
        }
    }
}
