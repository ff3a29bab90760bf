import HTTPTypes
import Testing

@Suite("signing in under a key")
struct SessionAnswerTests {
    private let phone = "+8613800138009"

    private func code(_ visitor: Visitor) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
    }

    private func signIn(_ visitor: Visitor, _ code: String, phone: String? = nil, key: String?) async throws -> Reply {
        try await visitor.post("/v1/sessions", #"{"phone":"\#(phone ?? self.phone)","code":"\#(code)"}"#, key: key)
    }

    private func refresh(_ visitor: Visitor, _ token: String, key: String?) async throws -> Reply {
        try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#, key: key)
    }

    @Test("a sign-in whose answer got lost is answered again, and is one session")
    func signIn() async throws {
        try await onStage { stage, visitor in
            let code = try await code(visitor)
            let first = try await signIn(visitor, code, key: "k")
            #expect(first.status == 201)
            let head = stage.head
            let again = try await signIn(visitor, code, key: "k")
            #expect(again.status == 201 && again.body == first.body && again.position == first.position && stage.head == head)
            try await signIn(visitor, code, key: "l").expectProblem("verificationNotValid", 422)
            try await signIn(visitor, code, key: nil).expectProblem("verificationNotValid", 422)
        }
    }

    @Test("a refresh whose answer got lost is answered again, and ends nothing")
    func refresh() async throws {
        try await onStage { stage, visitor in
            let token = try #require(try await visitor.signedIn(phone).refreshToken)
            let first = try await refresh(visitor, token, key: "k")
            let head = stage.head
            let again = try await refresh(visitor, token, key: "k")
            #expect(first.status == 201 && again.status == 201 && again.body == first.body && stage.head == head)
            let next = try first.string("refreshToken")
            #expect(try await refresh(visitor, next, key: "m").status == 201)
        }
    }

    @Test("a copy of the token without the key ends the family after ten seconds, and then nothing is answered again")
    func thief() async throws {
        try await onStage { stage, visitor in
            let token = try #require(try await visitor.signedIn(phone).refreshToken)
            #expect(try await refresh(visitor, token, key: "k").status == 201)
            stage.clock.advance(seconds: 10)
            try await refresh(visitor, token, key: "guessed").expectProblem("unauthenticated", 401)
            try await refresh(visitor, token, key: "k").expectProblem("unauthenticated", 401)
        }
    }

    @Test("what signed out is not answered again: neither tokens nor what the account was called")
    func signedOut() async throws {
        try await onStage { _, visitor in
            let code = try await code(visitor)
            var me = visitor
            me.token = try await signIn(visitor, code, key: "k").string("accessToken")
            #expect(try await me.delete("/v1/me").status == 204)
            try await signIn(visitor, code, key: "k").expectProblem("verificationNotValid", 422)
        }
    }

    @Test("a key is its sender's: the same one for another request is refused, for another phone it is another")
    func reused() async throws {
        try await onStage { _, visitor in
            #expect(try await signIn(visitor, try await code(visitor), key: "k").status == 201)
            try await signIn(visitor, try await code(visitor), key: "k").expectProblem("idempotencyKeyReused", 422)
            let other = try await visitor.post("/v1/verifications", #"{"phone":"+8613800138011"}"#).string("devCode")
            #expect(try await signIn(visitor, other, phone: "+8613800138011", key: "k").status == 201)
        }
    }

    @Test("guessing under somebody's key is guessing")
    func guesses() async throws {
        try await onStage { _, visitor in
            #expect(try await signIn(visitor, try await code(visitor), key: "k").status == 201)
            for _ in 0..<10 { try await signIn(visitor, "000000", key: "k").expectProblem("idempotencyKeyReused", 422) }
            try await signIn(visitor, "000000", key: "k").expectProblem("rateLimited", 429)
        }
    }

    @Test("a session is refreshed sixty times in ten minutes and not more")
    func manyRefreshes() async throws {
        try await onStage { stage, visitor in
            var token = try #require(try await visitor.signedIn(phone).refreshToken)
            for _ in 0..<60 { token = try await refresh(visitor, token, key: nil).string("refreshToken") }
            try await refresh(visitor, token, key: nil).expectProblem("rateLimited", 429)
            stage.clock.advance(seconds: 600)
            #expect(try await refresh(visitor, token, key: nil).status == 201)
        }
    }

    @Test("what was refused is judged anew, and what was answered is forgotten after five minutes")
    func forgotten() async throws {
        try await onStage { stage, visitor in
            let good = try await code(visitor)
            let wrong = good == "000000" ? "000001" : "000000"
            try await signIn(visitor, wrong, key: "k").expectProblem("verificationNotValid", 422)
            #expect(try await signIn(visitor, good, key: "k").status == 201)
            stage.clock.advance(seconds: 300)
            try await signIn(visitor, good, key: "k").expectProblem("verificationNotValid", 422)
        }
    }

    @Test("of many at once under one key, all hear of one session")
    func race() async throws {
        try await onStage { stage, visitor in
            let token = try #require(try await visitor.signedIn(phone).refreshToken)
            let head = stage.head
            let bodies = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let reply = try await refresh(visitor, token, key: "k")
                        return (reply.status, reply.body)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(bodies.allSatisfy { $0.0 == 201 && $0.1 == bodies[0].1 })
            #expect(stage.head == head + 1)
        }
    }

    @Test("two tabs that refresh one token within ten seconds get one answer, whatever their keys, and both go on")
    func tabs() async throws {
        try await onStage { stage, visitor in
            let token = try #require(try await visitor.signedIn(phone).refreshToken)
            let head = stage.head
            let bodies = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
                for tab in 0..<16 {
                    group.addTask {
                        let reply = try await refresh(visitor, token, key: tab.isMultiple(of: 2) ? "tab-\(tab)" : nil)
                        return (reply.status, reply.body)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(bodies.allSatisfy { $0.0 == 201 && $0.1 == bodies[0].1 })
            #expect(stage.head == head + 1)
            stage.clock.advance(seconds: 9)
            let again = try await refresh(visitor, token, key: nil)
            #expect(again.status == 201 && again.body == bodies[0].1 && stage.head == head + 1)
            let next = try again.string("refreshToken")
            #expect(try await refresh(visitor, next, key: nil).status == 201)
        }
    }

    @Test("made-up tokens leave nothing behind: a tab is answered after any number of them")
    func madeUp() async throws {
        try await onStage { _, visitor in
            let token = try #require(try await visitor.signedIn(phone).refreshToken)
            let first = try await refresh(visitor, token, key: nil)
            let family = token.prefix { $0 != "." }
            for number in 0..<100 {
                try await refresh(visitor, "\(family).rt_000000000000000000000000\(10 + number % 90)", key: nil)
                    .expectProblem("unauthenticated", 401)
            }
            #expect(try await refresh(visitor, token, key: nil).body == first.body)
        }
    }
}
