import HTTPTypes
import Testing

@Suite("a password")
struct PasswordTests {
    private let phone = "+8613800138009"
    private let first = "correct horse 电池"

    private func signIn(_ visitor: Visitor, _ password: String, phone: String? = nil) async throws -> Reply {
        try await visitor.post("/v1/sessions", #"{"phone":"\#(phone ?? self.phone)","password":"\#(password)"}"#)
    }

    private func set(_ me: Visitor, _ new: String, current: String? = nil) async throws -> Reply {
        try await me.put("/v1/me/password", Self.body(new, current))
    }

    private static func body(_ new: String, _ current: String?) -> String {
        let current = current.map { #""current":"\#($0)","# } ?? ""
        return #"{\#(current)"new":"\#(new)"}"#
    }

    @Test("signs in, and a code goes on doing so")
    func signsIn() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn(phone)
            #expect(try await set(me, first).status == 204)
            let session = try await signIn(visitor, first)
            #expect(session.status == 201)
            #expect(try session.string("account", "id") == me.account)
            #expect(session.headers[.cacheControl] == "no-store")
            #expect(try await visitor.signedIn(phone).account == me.account)
        }
    }

    @Test("is the same however its accents were typed")
    func normalization() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn(phone)
            _ = try await set(me, "caf\u{E9} au lait")
            #expect(try await signIn(visitor, "cafe\u{301} au lait").status == 201)
        }
    }

    @Test("that was the first one may be sent again under its key, and no other one")
    func firstAgain() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let set = try await me.put("/v1/me/password", Self.body(first, nil), key: "k")
            #expect(set.status == 204)
            let head = stage.head
            let again = try await me.put("/v1/me/password", Self.body(first, nil), key: "k")
            #expect(again.status == 204 && again.position == set.position && stage.head == head)
            try await me.put("/v1/me/password", Self.body("another one", nil), key: "k").expectProblem("idempotencyKeyReused", 422)
            try await me.put("/v1/me/password", Self.body("another one", nil), key: "l").expectInvalid("/current")
        }
    }

    @Test("of several at once under one key, only what was set is said to be set")
    func race() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn(phone)
            let passwords = (1...6).map { "password number \($0)" }
            let replies = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for password in passwords {
                    group.addTask { (password, try await me.put("/v1/me/password", Self.body(password, nil), key: "k").status) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for password in passwords {
                let isSet = try await signIn(visitor, password).status == 201
                #expect(isSet == (replies[password] == 204), "\(password): \(replies)")
            }
            #expect(replies.values.count { $0 == 204 } == 1)
        }
    }

    @Test("is asked for before it is changed, and what it was signs nobody in any more")
    func changes() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            _ = try await set(me, first)
            let head = stage.head
            try await set(me, "another one").expectInvalid("/current")
            try await set(me, "another one", current: "wrong horse").expectProblem("verificationNotValid", 422)
            #expect(stage.head == head)
            #expect(try await set(me, "another one", current: first).status == 204)
            try await signIn(visitor, first).expectProblem("verificationNotValid", 422)
            #expect(try await signIn(visitor, "another one").status == 201)
        }
    }

    @Test("ends all other sessions at once")
    func endsSessions() async throws {
        try await onStage { _, visitor in
            let (here, there) = (try await visitor.signedIn(phone), try await visitor.signedIn(phone))
            #expect(try await there.get("/v1/me").status == 200)
            #expect(try await set(here, first).status == 204)
            #expect(try await here.get("/v1/me").status == 200)
            try await there.get("/v1/me").expectProblem("unauthenticated", 401)
            let token = try #require(there.refreshToken)
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).expectProblem("unauthenticated", 401)
        }
    }

    @Test("that is wrong, of an account without one, and of nobody get one answer")
    func oneAnswer() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn(phone)
            _ = try await set(me, first)
            _ = try await visitor.signedIn("+8613800138010")
            let replies = [
                try await signIn(visitor, "wrong horse"), try await signIn(visitor, first, phone: "+8613800138010"),
                try await signIn(visitor, first, phone: "+8613800138011"),
            ]
            for reply in replies { try reply.expectProblem("verificationNotValid", 422) }
            let texts = try replies.map { try $0.json["detail"] }
            #expect(Set(texts.map { $0?.string }).count == 1)
        }
    }

    @Test("ten wrong ones make a phone wait, known or not; the right one in between does not count")
    func budget() async throws {
        try await onStage { stage, visitor in
            _ = try await set(try await visitor.signedIn(phone), first)
            for _ in 0..<9 { try await signIn(visitor, "wrong horse").expectProblem("verificationNotValid", 422) }
            for _ in 0..<3 { #expect(try await signIn(visitor, first).status == 201) }
            try await signIn(visitor, "wrong horse").expectProblem("verificationNotValid", 422)
            try await signIn(visitor, first).expectProblem("rateLimited", 429)
            for _ in 0..<10 { _ = try await signIn(visitor, "wrong horse", phone: "+8613800138011") }
            try await signIn(visitor, first, phone: "+8613800138011").expectProblem("rateLimited", 429)
            stage.clock.advance(seconds: 600)
            #expect(try await signIn(visitor, first).status == 201)
        }
    }

    @Test("one address has thirty wrong ones, over all phones; a proxy's word counts only where it is trusted")
    func addressBudget() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { _, visitor in
            func tryOne(_ number: Int, from address: String) async throws -> Reply {
                let body = #"{"phone":"+86138001\#(38_100 + number)","password":"wrong horse"}"#
                return try await visitor.post("/v1/sessions", body, headers: [.forwardedFor: "10.9.8.7, \(address)"])
            }
            for number in 0..<30 { try await tryOne(number, from: "203.0.113.5").expectProblem("verificationNotValid", 422) }
            try await tryOne(30, from: "203.0.113.5").expectProblem("rateLimited", 429)
            try await tryOne(31, from: "203.0.113.6").expectProblem("verificationNotValid", 422)
            try await tryOne(32, from: "127.0.0.1").expectProblem("verificationNotValid", 422)
        }
    }

    @Test("under a repeated key is set once, and another one under it is refused")
    func repeats() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let done = try await me.put("/v1/me/password", Self.body(first, nil), key: "password")
            let head = stage.head
            // Where a password is set, the old one must be sent along: it is not looked at for a repetition.
            let repeated = try await me.put("/v1/me/password", Self.body(first, "whatever it was"), key: "password")
            #expect(repeated.status == 204 && repeated.position == done.position && stage.head == head)
            try await me.put("/v1/me/password", Self.body("another one", first), key: "password").expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("has eight characters, and not more than anybody remembers", arguments: ["", "seven77", String(repeating: "x", count: 129)])
    func limits(_ password: String) async throws {
        try await onStage { _, visitor in
            try await set(try await visitor.signedIn(phone), password).expectInvalid("/new")
        }
    }
}
