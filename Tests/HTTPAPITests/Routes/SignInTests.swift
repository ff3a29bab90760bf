import HTTPTypes
import Testing

@Suite("Signing in", .timeLimit(.minutes(15)))
struct SignInTests {
    private let phone = "+8613800138009"

    private func code(_ visitor: Visitor) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
    }

    @Test("The first sign-in registers the account, and later ones return the same account")
    func registers() async throws {
        try await onStage { stage, visitor in
            let first = try await visitor.signedIn(phone)
            let me = try await first.get("/v1/me")
            #expect(
                try me.json.names == [
                    "id", "phone", "region", "nickname", "avatar", "gender", "birthday", "city", "isMerchant", "shop", "isOperator",
                    "hasPassword",
                ])
            #expect(try me.string("phone") == phone)
            #expect(try me.json["isMerchant"] == .bool(false))
            #expect(try me.json["shop"] == .null)
            #expect(try await visitor.signedIn(phone).account == first.account)
        }
    }

    @Test("A code request is answered alike for known and unknown phones, and shows the code in development only")
    func verification() async throws {
        try await onStage { _, visitor in
            let before = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#)
            _ = try await visitor.signedIn(phone)
            let after = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#)
            #expect(before.status == 202 && after.status == 202)
            #expect(try before.json.names == after.json.names)
            #expect(try before.string("expiresAt") == "2026-11-21T09:05:00.000Z")
        }
        try await onStage(try Stage(isDevelopment: false)) { _, visitor in
            let reply = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#)
            #expect(reply.status == 202)
            #expect(try reply.json.names == ["phone", "isPossible", "expiresAt"])
        }
    }

    @Test("A wrong, late or used code and any password of an account without one get the same answer")
    func wrong() async throws {
        try await onStage { stage, visitor in
            func signIn(_ secret: String) async throws -> Reply {
                try await visitor.post("/v1/sessions", #"{"phone":"\#(phone)",\#(secret)}"#)
            }
            try await signIn(#""code":"000000""#).expectProblem("verificationNotValid", 422)
            let late = try await code(visitor)
            stage.clock.advance(seconds: 300)
            try await signIn(#""code":"\#(late)""#).expectProblem("verificationNotValid", 422)
            let good = try await code(visitor)
            #expect(try await signIn(#""code":"\#(good)""#).status == 201)
            try await signIn(#""code":"\#(good)""#).expectProblem("verificationNotValid", 422)
            try await signIn(#""password":"secret""#).expectProblem("verificationNotValid", 422)
            try await signIn(#""code":"12345六""#).expectProblem("verificationNotValid", 422)
        }
    }

    @Test("After five wrong codes the network must wait for five minutes")
    func tries() async throws {
        try await onStage { stage, visitor in
            let good = try await code(visitor)
            let wrong = good == "000000" ? "000001" : "000000"
            for _ in 0..<5 {
                try await visitor.post("/v1/sessions", #"{"phone":"\#(phone)","code":"\#(wrong)"}"#)
                    .expectProblem("verificationNotValid", 422)
            }
            let refused = try await visitor.post("/v1/sessions", #"{"phone":"\#(phone)","code":"\#(good)"}"#)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "300")
            stage.clock.advance(seconds: 300)
            _ = try await visitor.signedIn(phone)
        }
    }

    @Test("A refresh token works once, and its reuse ten seconds later ends the family and its access tokens")
    func refresh() async throws {
        try await onStage { stage, visitor in
            let first = try await visitor.signedIn(phone)
            let spent = try #require(first.refreshToken)
            let refreshed = try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(spent)"}"#)
            #expect(refreshed.status == 201)
            #expect(try refreshed.json.names == ["accessToken", "refreshToken", "expiresIn", "account"])
            #expect(try refreshed.int("expiresIn") == 900)
            #expect(refreshed.headers[.cacheControl] == "no-store")
            var second = first
            second.token = try refreshed.string("accessToken")
            #expect(try await first.get("/v1/me").status == 200)
            #expect(try await second.get("/v1/me").status == 200)

            stage.clock.advance(seconds: 10)
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(spent)"}"#).expectProblem("unauthenticated", 401)
            try await first.get("/v1/me").expectProblem("unauthenticated", 401)
            try await second.get("/v1/me").expectProblem("unauthenticated", 401)
            let newest = try refreshed.string("refreshToken")
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(newest)"}"#).expectProblem("unauthenticated", 401)
        }
    }

    @Test("A made-up refresh token with a real session ID ends nothing")
    func neverAToken() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let token = try #require(me.refreshToken)
            #expect(try await me.get("/v1/me").status == 200)
            let head = stage.head
            let made = String(token.prefix { $0 != "." }) + ".rt_00000000000000000000000000"
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(made)"}"#).expectProblem("unauthenticated", 401)
            #expect(stage.head == head)
            #expect(try await me.get("/v1/me").status == 200)
            #expect(try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).status == 201)
        }
    }

    @Test("Signing out ends this session at once and no other")
    func signOut() async throws {
        try await onStage { _, visitor in
            let here = try await visitor.signedIn(phone)
            let there = try await visitor.signedIn(phone)
            #expect(try await here.get("/v1/me").status == 200)
            let reply = try await here.delete("/v1/sessions/current")
            #expect(reply.status == 204)
            #expect(reply.position != nil)
            try await here.get("/v1/me").expectProblem("unauthenticated", 401)
            #expect(try await there.get("/v1/me").status == 200)
            let token = try #require(here.refreshToken)
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).expectProblem("unauthenticated", 401)
        }
    }
}
