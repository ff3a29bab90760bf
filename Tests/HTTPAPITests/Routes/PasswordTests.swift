import HTTPTypes
import Testing

@Suite("Passwords", .timeLimit(.minutes(15)))
struct PasswordTests {
    private let phone = "+8613800138009"
    private let first = "correct horse 电池"

    private func signIn(_ visitor: Visitor, _ password: String, phone: String? = nil) async throws -> Reply {
        try await visitor.post("/v1/sessions", #"{"phone":"\#(phone ?? self.phone)","password":"\#(password)"}"#)
    }

    /// Sets a password, with a code unless `current` is given.
    private func set(_ me: Visitor, _ new: String, current: String? = nil, key: String? = nil) async throws -> Reply {
        if let current { return try await me.put("/v1/me/password", Self.body(new, current), key: key) }
        return try await me.put("/v1/me/password", #"{"new":"\#(new)","code":"\#(try await code(me))"}"#, key: key)
    }

    private func code(_ visitor: Visitor) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
    }

    private static func body(_ new: String, _ current: String?) -> String {
        let current = current.map { #""current":"\#($0)","# } ?? ""
        return #"{\#(current)"new":"\#(new)"}"#
    }

    @Test("A password signs in, and codes still do")
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

    @Test("A password matches in composed and in decomposed Unicode form")
    func normalization() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn(phone)
            _ = try await set(me, "caf\u{E9} au lait")
            #expect(try await signIn(visitor, "cafe\u{301} au lait").status == 201)
        }
    }

    @Test("Setting the first password can be retried with the same key, but not with another password")
    func firstAgain() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let code = try await code(visitor)
            func send(_ new: String, key: String) async throws -> Reply {
                try await me.put("/v1/me/password", #"{"new":"\#(new)","code":"\#(code)"}"#, key: key)
            }
            let set = try await send(first, key: "k")
            #expect(set.status == 204)
            let head = stage.head
            let again = try await send(first, key: "k")
            #expect(again.status == 204 && again.position == set.position && stage.head == head)
            try await send("another one", key: "k").expectProblem("idempotencyKeyReused", 422)
            try await send("another one", key: "l").expectProblem("verificationNotValid", 422)
        }
    }

    @Test("The first password needs a code, and a code replaces a forgotten password")
    func codes() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let head = stage.head
            try await me.put("/v1/me/password", Self.body(first, nil)).expectInvalid("/code")
            try await me.put("/v1/me/password", Self.body(first, "anything")).expectInvalid("/code")
            let other = try await visitor.post("/v1/verifications", #"{"phone":"+8613800138010"}"#).string("devCode")
            let good = try await code(visitor)
            if other != good {
                try await me.put("/v1/me/password", #"{"new":"\#(first)","code":"\#(other)"}"#)
                    .expectProblem("verificationNotValid", 422)
            }
            #expect(stage.head == head)
            #expect(try await me.put("/v1/me/password", #"{"new":"\#(first)","code":"\#(good)"}"#).status == 204)
            let there = try await signIn(visitor, first)
            #expect(there.status == 201)
            #expect(try await set(me, "another one").status == 204, "a code replaces the previous password")
            var elsewhere = visitor
            elsewhere.token = try there.string("accessToken")
            try await elsewhere.get("/v1/me").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A removed password no longer signs in, removing it again changes nothing, and sessions continue")
    func removed() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            _ = try await set(me, first)
            #expect(try await me.get("/v1/me").json["hasPassword"] == .bool(true))
            #expect(try await me.delete("/v1/me/password").status == 204)
            #expect(try await me.get("/v1/me").json["hasPassword"] == .bool(false))
            let head = stage.head
            #expect(try await me.delete("/v1/me/password").status == 204 && stage.head == head)
            #expect(try await me.get("/v1/me").status == 200)
            try await signIn(visitor, first).expectProblem("verificationNotValid", 422)
            try await me.put("/v1/me/password", Self.body("another one", first)).expectInvalid("/code")
            #expect(try await set(me, "another one").status == 204)
        }
    }

    /// An account with a password.
    private func register(_ visitor: Visitor, _ phone: String) async throws {
        let me = try await visitor.signedIn(phone)
        let code = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
        #expect(try await me.put("/v1/me/password", #"{"new":"\#(first)","code":"\#(code)"}"#).status == 204)
    }

    private func signIn(_ visitor: Visitor, as phone: String, from address: String) async throws -> Reply {
        try await visitor.post(
            "/v1/sessions", #"{"phone":"\#(phone)","password":"\#(first)"}"#, headers: [.forwardedFor: address])
    }

    @Test("One address may sign in by password forty times in ten minutes, even if every password is right")
    func hashes() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            let phones = [phone, "+8613800138010", "+8613800138011"]
            for phone in phones { try await register(visitor, phone) }
            for number in 0..<40 {
                #expect(try await signIn(visitor, as: phones[number % 3], from: "203.0.113.5").status == 201, "\(number)")
            }
            let refused = try await signIn(visitor, as: phone, from: "203.0.113.5")
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "15")
            #expect(try await signIn(visitor, as: phone, from: "203.0.113.6").status == 201)
            stage.clock.advance(seconds: 15)
            #expect(try await signIn(visitor, as: phone, from: "203.0.113.5").status == 201)
        }
    }

    @Test("One account signs in by password twenty times in ten minutes where it is known, and then others still do")
    func hashesOfAHolder() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            let other = "+8613800138010"
            for phone in [phone, other] { try await register(visitor, phone) }
            #expect(try await signIn(visitor, as: phone, from: "203.0.113.1").status == 201, "the holder is not known on that network yet")
            #expect(try await signIn(visitor, as: other, from: "198.51.100.7").status == 201)
            // The requests come from many addresses of one known network, so that no address reaches its own limit.
            var answers: [Int: Int] = [:]
            for host in 0..<60 {
                answers[try await signIn(visitor, as: phone, from: "203.0.113.\(host + 2)").status, default: 0] += 1
            }
            #expect(answers == [201: 20, 429: 40])
            #expect(try await signIn(visitor, as: other, from: "198.51.100.7").status == 201)
        }
    }

    @Test("Password sign-ins from unknown networks are limited in total, and a holder on a known network still signs in")
    func hashesInTotal() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { _, visitor in
            _ = try await set(try await visitor.signedIn(phone), first)
            func signInAtHome() async throws -> Int {
                let body = #"{"phone":"\#(phone)","password":"\#(first)"}"#
                return try await visitor.post("/v1/sessions", body, headers: [.forwardedFor: "198.51.100.7"]).status
            }
            // Before the first sign-in from the home network, this network is treated as unknown.
            #expect(try await signInAtHome() == 201)
            var answers: [Int: Int] = [:]
            for number in 0..<130 {
                let body = #"{"phone":"+86138001\#(38_100 + number)","password":"wrong horse"}"#
                let reply = try await visitor.post("/v1/sessions", body, headers: [.forwardedFor: "203.0.\(number).5"])
                answers[reply.status, default: 0] += 1
                if reply.status == 503 { #expect(reply.headers[.retryAfter] == "2") }
            }
            #expect(answers == [422: 59, 503: 71])
            #expect(try await signInAtHome() == 201)
        }
    }

    @Test("Of concurrent password changes with one key, exactly one succeeds and takes effect")
    func race() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn(phone)
            _ = try await set(me, first)
            let passwords = (1...6).map { "password number \($0)" }
            let replies = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for password in passwords {
                    group.addTask { (password, try await set(me, password, current: first, key: "k").status) }
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

    /// Sends requests at once that set the first password under one key, one with each of these codes.
    private func setAtOnce(_ me: Visitor, _ codes: [String]) async throws -> [(code: String, reply: Reply)] {
        try await withThrowingTaskGroup(of: (code: String, reply: Reply).self) { group in
            for code in codes {
                group.addTask { (code, try await me.put("/v1/me/password", #"{"new":"\#(first)","code":"\#(code)"}"#, key: "k")) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Retries that arrive while the first request runs get its answer, although its code can be used only once")
    func retriedAtOnce() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let code = try await code(visitor)
            let head = stage.head
            for answer in try await setAtOnce(me, Array(repeating: code, count: 8)) {
                #expect(answer.reply.status == 204 && answer.reply.position == head + 1, "\(answer.reply.text)")
            }
            #expect(stage.head == head + 1)
            #expect(try await signIn(visitor, first).status == 201)
        }
    }

    @Test("A wrong code does not keep a concurrent request with the same key and the right code from its turn")
    func wrongAndRightAtOnce() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn(phone)
            let right = try await code(visitor)
            let wrong = right == "000000" ? "000001" : "000000"
            for answer in try await setAtOnce(me, [wrong, wrong, right, wrong]) where answer.code == right {
                #expect(answer.reply.status == 204, "\(answer.reply.text)")
            }
            #expect(try await signIn(visitor, first).status == 201)
        }
    }

    @Test("Changing a password needs the current one, which then no longer signs in")
    func changes() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            _ = try await set(me, first)
            let head = stage.head
            try await me.put("/v1/me/password", Self.body("another one", nil)).expectInvalid("/current")
            try await set(me, "another one", current: "wrong horse").expectProblem("verificationNotValid", 422)
            #expect(stage.head == head)
            #expect(try await set(me, "another one", current: first).status == 204)
            try await signIn(visitor, first).expectProblem("verificationNotValid", 422)
            #expect(try await signIn(visitor, "another one").status == 201)
        }
    }

    @Test("Setting a password ends all other sessions at once")
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

    @Test("A wrong password, an account without a password and an unknown phone get the same answer")
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

    @Test("Ten wrong passwords block a phone, known or unknown, and right ones in between are not counted")
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

    @Test("One address may try thirty wrong passwords over all phones, and only the trusted proxy's entry names it")
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

    @Test("A repeated key sets the password once, and another password with that key is rejected")
    func repeats() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn(phone)
            let done = try await set(me, first, key: "password")
            let head = stage.head
            // A change of an existing password must send the current password. A repeated request with the same key is not checked again.
            let repeated = try await me.put("/v1/me/password", Self.body(first, "whatever it was"), key: "password")
            #expect(repeated.status == 204 && repeated.position == done.position && stage.head == head)
            try await me.put("/v1/me/password", Self.body("another one", first), key: "password").expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("A password has 8 to 128 characters", arguments: ["", "seven77", String(repeating: "x", count: 129)])
    func limits(_ password: String) async throws {
        try await onStage { _, visitor in
            try await set(try await visitor.signedIn(phone), password).expectInvalid("/new")
        }
    }
}
