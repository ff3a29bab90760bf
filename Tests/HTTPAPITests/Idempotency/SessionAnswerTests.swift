import CommandService
import Composition
import EventLog
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Patience
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("Sign-in with an idempotency key", .timeLimit(.minutes(15)))
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

    @Test("A retried sign-in with the same key gets the same answer and creates no second session")
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

    @Test("A retried refresh with the same key gets the same answer and ends no session")
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

    @Test("A reused refresh token with another key ends its family after ten seconds, and replays stop")
    func thief() async throws {
        try await onStage { stage, visitor in
            let token = try #require(try await visitor.signedIn(phone).refreshToken)
            #expect(try await refresh(visitor, token, key: "k").status == 201)
            stage.clock.advance(seconds: 10)
            try await refresh(visitor, token, key: "guessed").expectProblem("unauthenticated", 401)
            try await refresh(visitor, token, key: "k").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A sign-in is not replayed after its account was deleted")
    func signedOut() async throws {
        try await onStage { _, visitor in
            let code = try await code(visitor)
            var me = visitor
            me.token = try await signIn(visitor, code, key: "k").string("accessToken")
            #expect(try await me.delete("/v1/me").status == 204)
            try await signIn(visitor, code, key: "k").expectProblem("verificationNotValid", 422)
        }
    }

    @Test("A key reused for another request of the same phone is rejected, and phones do not share keys")
    func reused() async throws {
        try await onStage { _, visitor in
            #expect(try await signIn(visitor, try await code(visitor), key: "k").status == 201)
            try await signIn(visitor, try await code(visitor), key: "k").expectProblem("idempotencyKeyReused", 422)
            let other = try await visitor.post("/v1/verifications", #"{"phone":"+8613800138011"}"#).string("devCode")
            #expect(try await signIn(visitor, other, phone: "+8613800138011", key: "k").status == 201)
        }
    }

    @Test("A wrong code under a used key counts as a guess")
    func guesses() async throws {
        try await onStage { _, visitor in
            #expect(try await signIn(visitor, try await code(visitor), key: "k").status == 201)
            for _ in 0..<10 { try await signIn(visitor, "000000", key: "k").expectProblem("idempotencyKeyReused", 422) }
            try await signIn(visitor, "000000", key: "k").expectProblem("rateLimited", 429)
        }
    }

    @Test("A session can be refreshed at most sixty times in ten minutes")
    func manyRefreshes() async throws {
        try await onStage { stage, visitor in
            var token = try #require(try await visitor.signedIn(phone).refreshToken)
            for _ in 0..<60 { token = try await refresh(visitor, token, key: nil).string("refreshToken") }
            try await refresh(visitor, token, key: nil).expectProblem("rateLimited", 429)
            stage.clock.advance(seconds: 600)
            #expect(try await refresh(visitor, token, key: nil).status == 201)
        }
    }

    @Test("A rejected sign-in is evaluated again, and an accepted one is replayed for less than five minutes")
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

    @Test("Concurrent refreshes with one key take effect once and get the same answer")
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

    @Test("Concurrent refreshes of one token get the same answer for ten seconds, whatever their keys")
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

    @Test("Many made-up tokens do not evict the stored answer of a genuine refresh")
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

    @Test("Attempts for a number that fail together displace no stored answer of the number")
    func failures() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let account = try stage.api.resources.accountAnswer(try #require(AccountID(text: me.account)))
            let answer = SessionAnswer(accessToken: "", refreshToken: "", account: account)
            let opened = OpenedSession(session: SessionID(1), answer: answer, position: stage.service.log.head)
            let answers = stage.api.resources.kept.sessions
            let begun = Mutex(0)
            func attempt(_ number: UInt128, _ open: @escaping @Sendable () async throws -> OpenedSession) -> SessionAttempt {
                SessionAttempt(mark: RequestMark(request: number, digest: number), holder: 1, isOpen: { _ in true }, open: open)
            }
            _ = try await answers.answer(to: attempt(0) { opened })
            await withTaskGroup(of: Void.self) { group in
                for number in UInt128(1)...8 {
                    let guess = attempt(number) {
                        begun.withLock { $0 += 1 }
                        try await eventually("all attempts have begun") { begun.withLock { $0 } == 8 }
                        throw Problem(.verificationNotValid)
                    }
                    group.addTask { _ = try? await answers.answer(to: guess) }
                }
            }
            #expect(try await answers.answer(to: attempt(0) { opened }).isReplay)
        }
    }
}
