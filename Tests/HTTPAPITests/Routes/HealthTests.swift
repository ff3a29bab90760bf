import HTTPTypes
import ReadModels
import Testing

@Suite("Health", .timeLimit(.minutes(15)))
struct HealthTests {
    @Test("A running service is alive and ready, and shows the position of each model")
    func ready() async throws {
        try await onStage { stage, visitor in
            _ = try await Cast(visitor)
            #expect(try await visitor.get("/healthz").text == #"{"status":"ok"}"#)
            let reply = try await visitor.get("/readyz")
            #expect(reply.status == 200)
            #expect(try reply.string("status") == "ready")
            #expect(try reply.json["reasons"] == .array([]))
            #expect(try UInt64(reply.int("position")) == stage.head)
            let models = try #require(try reply.json["models"]?.items)
            #expect(models.count == ReadModels.names.count + 1)
            for model in models { #expect(model.names == ["name", "position", "lag", "stalled", "stale"]) }
        }
    }

    @Test("A stopped service rejects writes with a time to retry after")
    func stopped() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            Self.stop(stage)
            let reply = try await cast.stamp(code)
            try reply.expectProblem("stopping", 503)
            #expect(reply.headers[.retryAfter] != nil)
        }
    }

    /// `close` may only be called from synchronous code, so this function is synchronous.
    private static func stop(_ stage: Stage) {
        stage.close()
    }
}
