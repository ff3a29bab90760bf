import HTTPTypes
import Testing

@Suite("feedback")
struct FeedbackTests {
    @Test("it is taken down sealed, once a key")
    func taken() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let reply = try await cast.customer.post("/v1/feedback", #"{"text":"更多口味"}"#, key: "k")
            #expect(reply.status == 202)
            #expect(try reply.json.names == ["receivedAt"])
            let head = stage.head
            #expect(try await cast.customer.post("/v1/feedback", #"{"text":"更多口味"}"#, key: "k").body == reply.body)
            #expect(stage.head == head)
        }
    }

    @Test("nobody unknown, nothing empty, and no flood")
    func refused() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            try await visitor.post("/v1/feedback", #"{"text":"hello"}"#).expectProblem("unauthenticated", 401)
            try await cast.customer.post("/v1/feedback", #"{"text":""}"#).expectInvalid("/text")
            try await cast.customer.post("/v1/feedback", "{}").expectInvalid("/text")
            #expect(stage.head == head)
            for _ in 0..<10 { #expect(try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#).status == 202) }
            let refused = try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "600")
            stage.clock.advance(seconds: 601)
            let later = try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#)
            #expect(later.status == 202)
        }
    }
}
