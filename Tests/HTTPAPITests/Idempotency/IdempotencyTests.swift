import HTTPTypes
import Testing

@Suite("idempotency")
struct IdempotencyTests {
    /// Every write that takes a key, as somebody may send it; each is accepted once by a fresh cast.
    fileprivate struct Write: Sendable {
        let visitor: Visitor
        let method: HTTPRequest.Method
        let path: String
        let body: String?
        /// The same request in another spelling.
        var respelled: String?
        /// Another request under the same key; `nil` where there is no other.
        var otherBody: String?

        func send(_ key: String) async throws -> Reply { try await visitor.send(method, path, body, key: key) }
    }

    private func writes(_ cast: Cast, _ visitor: Visitor) async throws -> [Write] {
        let merchant = try await visitor.signedIn("+8613800138007")
        let code = try await cast.issue(stamps: 3).code
        let destroyed = try await cast.issue().id
        let full = try await cast.fullCard()
        let redemption = try await cast.redemption(of: full).code
        let discarded = try await cast.fullCard()
        let waiting = try await cast.fullCard()
        let review = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":2}"#).string("id")
        let typed = code.lowercased().filter { $0 != "-" }
        return [
            Write(
                visitor: merchant, method: .post, path: "/v1/shops", body: Cast.shopBody,
                otherBody: Cast.shopBody.replacing("121.4737", with: "121.4738")),
            Write(
                visitor: cast.owner, method: .post, path: "/v1/shops/\(cast.shop)/campaigns", body: Cast.campaignBody(),
                respelled: Cast.campaignBody().replacing("T00:00:00Z", with: "T08:00:00+08:00"), otherBody: Cast.campaignBody(goal: 4)),
            Write(
                visitor: cast.owner, method: .post, path: "/v1/campaigns/\(cast.campaign)/codes", body: #"{"stamps":1,"validFor":600}"#,
                respelled: "{}", otherBody: #"{"stamps":2}"#),
            Write(
                visitor: cast.customer, method: .post, path: "/v1/stamps", body: #"{"code":"\#(code)"}"#,
                respelled: #" { "x": [1], "code" : "\#(typed)" } "#, otherBody: #"{"code":"AAAA-AAAA"}"#),
            Write(visitor: cast.owner, method: .delete, path: "/v1/codes/\(destroyed)", body: nil),
            Write(visitor: cast.customer, method: .delete, path: "/v1/cards/\(discarded)", body: nil),
            Write(visitor: cast.customer, method: .post, path: "/v1/cards/\(waiting)/redemption", body: nil),
            Write(
                visitor: cast.owner, method: .post, path: "/v1/redemptions", body: #"{"code":"\#(redemption)"}"#,
                respelled: #"{"code":"\#(redemption.lowercased())"}"#, otherBody: #"{"code":"AAAA-AAAA"}"#),
            Write(
                visitor: cast.customer, method: .post, path: "/v1/shops/\(cast.shop)/reviews", body: #"{"rating":4,"text":"好喝"}"#,
                respelled: #"{"text":"\u597d\u559d","rating":4.0}"#, otherBody: #"{"rating":4}"#),
            Write(
                visitor: cast.owner, method: .post, path: "/v1/reviews/\(review)/replies", body: #"{"text":"Thank you"}"#,
                otherBody: #"{"text":"Thank you."}"#),
            Write(visitor: cast.owner, method: .post, path: "/v1/campaigns/\(cast.campaign)/end", body: nil),
        ]
    }

    @Test(
        "the same key gives the same status and the same bytes, and nothing is added; in any spelling, at any later time, after a restart")
    func replay() async throws {
        try await Places.take {
            let stage = try Stage()
            let first = try await stage.perform { stage, visitor in
                let cast = try await Cast(visitor)
                let writes = try await writes(cast, visitor)
                var first: [(Write, Reply)] = []
                for (number, write) in writes.enumerated() {
                    let reply = try await write.send("key-\(number)")
                    #expect([200, 201, 204].contains(reply.status), "\(write.path): \(reply.text)")
                    #expect(reply.position == stage.head)
                    first.append((write, reply))
                }
                try await expectReplays(first, stage)
                return first
            }
            let again = try stage.reopened()
            defer { again.strike() }
            again.clock.advance(seconds: 600)
            try await again.perform { stage, visitor in
                try await expectReplays(first.map { write, reply in (write.through(visitor), reply) }, stage)
            }
        }
    }

    private func expectReplays(_ first: [(Write, Reply)], _ stage: Stage) async throws {
        let head = stage.head
        for (number, (write, reply)) in first.enumerated() {
            for body in [write.body, write.respelled ?? write.body] {
                let again = try await write.visitor.send(write.method, write.path, body, key: "key-\(number)")
                #expect(again.status == reply.status, "\(write.path)")
                #expect(again.text == reply.text, "\(write.path)")
                #expect(again.position == reply.position)
                #expect(again.headers[.location] == reply.headers[.location])
            }
            if let other = write.otherBody {
                try await write.visitor.send(write.method, write.path, other, key: "key-\(number)")
                    .expectProblem("idempotencyKeyReused", 422)
            }
        }
        #expect(stage.head == head)
    }

    @Test("one key is one request, whatever the path; another account's same key is another key")
    func scope() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let other = try await visitor.signedIn("+8613800138003")
            let (mine, theirs) = (try await cast.issue(), try await cast.issue())
            #expect(try await cast.stamp(mine.code, key: "k").status == 201)
            #expect(try await cast.stamp(theirs.code, as: other, key: "k").status == 201)
            try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4}"#, key: "k")
                .expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("a refused request is judged anew")
    func refusedAnew() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 1)
            let card = try await cast.stamp(try await cast.issue(stamps: 1).code).string("card", "id")
            let redemption = try await cast.redemption(of: card)
            stage.clock.advance(seconds: 300)
            try await cast.redeem(redemption.code, key: "k").expectProblem("redemptionNotValid", 422)
            let newer = try await cast.redemption(of: card)
            #expect(try await cast.redeem(newer.code, key: "k").status == 201)
        }
    }

    @Test("stamping and redeeming need a key")
    func required() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let head = stage.head
            try await cast.customer.post("/v1/stamps", #"{"code":"\#(code)"}"#).expectProblem("idempotencyKeyRequired", 400)
            try await cast.owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#).expectProblem("idempotencyKeyRequired", 400)
            #expect(stage.head == head)
        }
    }

    @Test(
        "a key is 1 to 255 visible ASCII characters",
        arguments: ["a b", "ключ", "k\u{1}", String(repeating: "k", count: 256), "é", "\u{7F}"])
    func malformed(_ key: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let head = stage.head
            let reply = try await cast.customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: key)
            #expect([400].contains(reply.status))
            #expect(["invalidRequest", "idempotencyKeyRequired"].contains(reply.code))
            #expect(stage.head == head)
            #expect(try await cast.stamp(code, key: String(repeating: "k", count: 255)).status == 201)
        }
    }
}

extension IdempotencyTests.Write {
    /// The same person's request to a service that was started again.
    fileprivate func through(_ visitor: Visitor) -> Self {
        var same = visitor
        same.token = self.visitor.token
        return Self(visitor: same, method: method, path: path, body: body, respelled: respelled, otherBody: otherBody)
    }
}
