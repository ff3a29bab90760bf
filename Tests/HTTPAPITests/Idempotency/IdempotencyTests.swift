import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@Suite("Idempotency", .timeLimit(.minutes(15)))
struct IdempotencyTests {
    /// A write request with an idempotency key. A service with a new `Cast` accepts each of these writes once.
    fileprivate struct Write: Sendable {
        /// The sender's access token. Storing a client instead would keep its service open.
        let token: String?
        let method: HTTPRequest.Method
        let path: String
        let body: String?
        /// Another body with the same meaning as `body`; nil if there is none.
        var respelled: String?
        /// Bodies that differ from `body` in one field.
        var others: [String] = []

        func send(_ body: String?, key: String, through visitor: Visitor) async throws -> Reply {
            var visitor = visitor
            visitor.token = token
            return try await visitor.send(method, path, body, key: key)
        }
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
                token: merchant.token, method: .post, path: "/v1/shops", body: Cast.shopBody,
                others: [("好喝", "好"), ("8610", "8621"), ("1 号", "2 号"), ("31.2304", "31.23"), ("121.4737", "121.4738")].map {
                    Cast.shopBody.replacing($0, with: $1)
                }),
            Write(
                token: cast.owner.token, method: .post, path: "/v1/shops/\(cast.shop)/campaigns", body: Cast.campaignBody(),
                respelled: Cast.campaignBody().replacing("T00:00:00Z", with: "T08:00:00+08:00"),
                others: [
                    ("stampCard", "promotion"), ("Ten cups", "Nine cups"), ("Any drink", "Any tea"), (":3,", ":4,"), ("One free", "A free"),
                    ("2026-11", "2026-10"), ("2027-11", "2027-10"),
                ].map { Cast.campaignBody().replacing($0, with: $1) }),
            Write(
                token: cast.owner.token, method: .post, path: "/v1/campaigns/\(cast.campaign)/codes", body: #"{"stamps":1,"validFor":600}"#,
                respelled: "{}", others: [#"{"stamps":2}"#, #"{"validFor":601}"#]),
            Write(
                token: cast.customer.token, method: .post, path: "/v1/stamps", body: #"{"code":"\#(code)"}"#,
                respelled: #" { "x": [1], "code" : "\#(typed)" } "#,
                others: [#"{"code":"AAAA-AAAA"}"#, #"{"code":"\#(code)","campaign":"\#(cast.campaign)"}"#]),
            Write(token: cast.owner.token, method: .delete, path: "/v1/codes/\(destroyed)", body: nil),
            Write(token: cast.customer.token, method: .delete, path: "/v1/cards/\(discarded)", body: nil),
            Write(token: cast.customer.token, method: .post, path: "/v1/cards/\(waiting)/redemption", body: nil),
            Write(
                token: cast.owner.token, method: .post, path: "/v1/redemptions", body: #"{"code":"\#(redemption)"}"#,
                respelled: #"{"code":"\#(redemption.lowercased())"}"#, others: [#"{"code":"AAAA-AAAA"}"#]),
            Write(
                token: cast.customer.token, method: .post, path: "/v1/shops/\(cast.shop)/reviews", body: #"{"rating":4,"text":"好喝"}"#,
                respelled: #"{"text":"\u597d\u559d","rating":4.0}"#,
                others: [#"{"rating":4}"#, #"{"text":"好喝"}"#, #"{"rating":5,"text":"好喝"}"#, #"{"rating":4,"text":"好喝 "}"#]),
            Write(
                token: cast.owner.token, method: .post, path: "/v1/reviews/\(review)/replies", body: #"{"text":"Thank you"}"#,
                others: [#"{"text":"Thank you."}"#]),
            Write(token: cast.owner.token, method: .post, path: "/v1/campaigns/\(cast.campaign)/end", body: nil),
        ]
    }

    @Test(
        "A repeated key gets the same answer and writes nothing, in any spelling, at any later time and after a restart")
    func replay() async throws {
        let (folder, clock) = (Stage.newFolder(), TestClock())
        let first = try await beforeRestart(in: folder, clock: clock) { stage, visitor in
            let cast = try await Cast(visitor)
            let first = try await accepted(try await writes(cast, visitor), stage, visitor)
            try await expectReplays(first, stage, visitor)
            return first
        }
        clock.advance(seconds: 600)
        try await onStage(try Stage(folder: folder, clock: clock)) { stage, visitor in
            try await expectReplays(first, stage, visitor)
        }
    }

    /// Sends each write for the first time.
    private func accepted(_ writes: [Write], _ stage: Stage, _ visitor: Visitor) async throws -> [(Write, Reply)] {
        var replies: [(Write, Reply)] = []
        for (number, write) in writes.enumerated() {
            let reply = try await write.send(write.body, key: "key-\(number)", through: visitor)
            #expect([200, 201, 204].contains(reply.status), "\(write.path): \(reply.text)")
            #expect(reply.position == stage.head && reply.replayed == nil)
            replies.append((write, reply))
        }
        return replies
    }

    private func expectReplays(_ first: [(Write, Reply)], _ stage: Stage, _ visitor: Visitor) async throws {
        let head = stage.head
        for (number, (write, reply)) in first.enumerated() {
            for body in [write.body, write.respelled ?? write.body] {
                let again = try await write.send(body, key: "key-\(number)", through: visitor)
                #expect(again.status == reply.status, "\(write.path)")
                #expect(again.text == reply.text, "\(write.path)")
                #expect(again.position == reply.position && again.replayed == "true")
                #expect(again.headers[.location] == reply.headers[.location])
            }
            for other in write.others {
                try await write.send(other, key: "key-\(number)", through: visitor)
                    .expectProblem("idempotencyKeyReused", 422)
            }
        }
        #expect(stage.head == head)
    }

    @Test("A key belongs to one request on any path, and accounts do not share keys")
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

    @Test("A rejected request is evaluated again when it is retried with the same key")
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

    @Test("A retry of an edit that changed nothing gets the first answer, even if the campaign has ended by the clock since")
    func unchangedBeforeTheEnd() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let body = Cast.campaignBody().replacing("2027-11-01T00:00:00Z", with: stage.clock.now().advanced(bySeconds: 300).rfc3339)
            let shop = "/v1/shops/\(cast.shop)"
            let id = try await cast.owner.post(shop + "/campaigns", body).string("id")
            let campaign = "/v1/campaigns/\(id)"
            let (seen, seenShop) = (try await cast.owner.tag(of: campaign), try await cast.owner.tag(of: shop))
            let head = stage.head
            func answers() async throws -> [Reply] {
                [
                    try await cast.owner.edit(campaign, #"{"goal":3}"#, seen: seen, key: "c"),
                    try await cast.owner.edit(shop, #"{"address":"南京东路 1 号"}"#, seen: seenShop, key: "s"),
                ]
            }
            let first = try await answers()
            #expect(first.map(\.status) == [200, 200] && stage.head == head)
            #expect(try first[0].json["running"] == .bool(true))
            stage.clock.advance(seconds: 400)
            #expect(try await cast.owner.get(campaign).json["running"] == .bool(false))
            #expect(try await answers().map(\.body) == first.map(\.body))
        }
    }

    @Test("Stamping and redeeming require an idempotency key")
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
        "An idempotency key is 1 to 255 visible ASCII characters",
        arguments: ["a b", "ключ", String(repeating: "k", count: 256), "é", "\u{7F}"])
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

    @Test("A malformed code under a used key is reported as key reuse and does not count as a guess")
    func usedKeyWithoutACode() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let code = try await cast.issue().code
            #expect(try await cast.stamp(code, key: "s").status == 201)
            #expect(try await cast.redeem(try await cast.redemption(of: card).code, key: "r").status == 201)
            for _ in 0..<12 {
                try await cast.stamp("!!!!", key: "s").expectProblem("idempotencyKeyReused", 422)
                try await cast.redeem("!!!!", key: "r").expectProblem("idempotencyKeyReused", 422)
            }
            try await cast.stamp("!!!!").expectProblem("codeNotValid", 422)
            try await cast.redeem("!!!!").expectProblem("redemptionNotValid", 422)
        }
    }

    @Test("A redemption is replayed even after its sender has left the shop's staff")
    func afterTheStaffLeft() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let staff = try await visitor.signedIn("+8613800138004", name: "staff")
            try await cast.hire(staff)
            let code = try await cast.redemption(of: try await cast.fullCard()).code
            let body = #"{"code":"\#(code)"}"#
            let given = try await staff.post("/v1/redemptions", body, key: "k")
            #expect(given.status == 201)
            #expect(try await cast.owner.delete("/v1/shops/\(cast.shop)/staff/\(staff.account)").status == 204)
            let head = stage.head
            let again = try await staff.post("/v1/redemptions", body, key: "k")
            #expect(again.status == 201 && again.body == given.body && stage.head == head)
            try await staff.post("/v1/redemptions", body, key: "l").expectProblem("forbidden", 403)
        }
    }
}
