import HTTPTypes
import Testing

/// Limits on repeated attempts, both one after the other and concurrent.
@Suite("Budgets", .timeLimit(.minutes(15)))
struct BudgetTests {
    private static let phone = "+8613800138009"

    /// Sends `count` requests concurrently.
    ///
    /// - Returns: the replies in the order of the request numbers.
    private func together(_ count: Int, _ send: @escaping @Sendable (Int) async throws -> Reply) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: (Int, Reply).self) { group in
            for number in 0..<count { group.addTask { (number, try await send(number)) } }
            let replies = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return try (0..<count).map { try #require(replies[$0]) }
        }
    }

    private func expect(_ replies: [Reply], heard: Int, as status: Int) throws {
        #expect(replies.count { $0.status == status } == heard)
        let refused = replies.filter { $0.status != status }
        for reply in refused { try reply.expectProblem("rateLimited", 429) }
        #expect(refused.allSatisfy { $0.headers[.retryAfter] == "600" })
    }

    @Test("Of sixty-four concurrent wrong stamp codes, only ten are evaluated")
    func stampCodesTogether() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let replies = try await together(64) { _ in try await cast.stamp("AAAA-AAAA") }
            try expect(replies, heard: 10, as: 422)
            try await cast.stamp(try await cast.issue().code).expectProblem("rateLimited", 429)
        }
    }

    @Test("Of sixty-four concurrent wrong redemption codes, previewed or redeemed, only ten are evaluated")
    func redemptionCodesTogether() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let replies = try await together(64) { number in
                guard number.isMultiple(of: 2) else { return try await cast.redeem("AAAA-AAAA") }
                return try await cast.owner.post("/v1/redemptions/preview", #"{"code":"AAAA-AAAA"}"#)
            }
            try expect(replies, heard: 10, as: 422)
        }
    }

    @Test("No more concurrent image uploads and messages of feedback are accepted than the budgets allow")
    func othersTogether() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let pictures = try await together(64) { _ in try await cast.customer.post("/v1/images", "no picture") }
            try expect(pictures, heard: 30, as: 415)
            let words = try await together(64) { _ in try await cast.customer.post("/v1/feedback", #"{"text":"hello"}"#) }
            try expect(words, heard: 10, as: 202)
        }
    }

    // MARK: Limits on codes for signing in

    private func signIn(
        _ visitor: Visitor, _ code: String, phone: String = phone, from address: String = "127.0.0.1"
    ) async throws -> Reply {
        try await visitor.post("/v1/sessions", #"{"phone":"\#(phone)","code":"\#(code)"}"#, headers: [.forwardedFor: address])
    }

    private func newCode(_ visitor: Visitor) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(Self.phone)"}"#).string("devCode")
    }

    @Test("Wrong codes from many strangers do not lock out the holder of the right code")
    func signInCodes() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { _, visitor in
            let good = try await newCode(visitor)
            var heard = 0
            for stranger in 0..<60 {
                for _ in 0..<4 {
                    let reply = try await signIn(visitor, "00000x", from: "203.0.\(stranger).5")
                    heard += reply.status == 422 ? 1 : 0
                    if reply.status != 422 { try reply.expectProblem("rateLimited", 429) }
                }
            }
            #expect(heard == 100)
            #expect(try await signIn(visitor, good).status == 201)
        }
    }

    @Test("One network may try thirty wrong codes over all phones, even concurrently")
    func signInCodesOfANetwork() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { _, visitor in
            let replies = try await together(64) { number in
                try await signIn(visitor, "00000x", phone: "+86138001\(38_100 + number)", from: "203.0.113.\(number)")
            }
            #expect(replies.count { $0.status == 422 } == 30)
            for reply in replies where reply.status != 422 { try reply.expectProblem("rateLimited", 429) }
            try await signIn(visitor, "00000x", phone: "+8613800138299", from: "203.0.114.6").expectProblem("verificationNotValid", 422)
        }
    }

    // MARK: Limits on redemption codes

    @Test("A card gets at most ten redemption codes in ten minutes, and another card has its own budget")
    func redemptionRequests() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (card, other) = (try await cast.fullCard(), try await cast.fullCard())
            let path = "/v1/cards/\(card)/redemption"
            let first = try await cast.customer.post(path, key: "first")
            for _ in 0..<9 { #expect(try await cast.customer.post(path).status == 201) }
            let head = stage.head
            let refused = try await cast.customer.post(path)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "600")
            let again = try await cast.customer.post(path, key: "first")
            #expect(again.status == 201 && again.body == first.body, "a retry of an accepted request is answered")
            try await cast.customer.post("/v1/cards/\(other)/redemption", key: "first").expectProblem("idempotencyKeyReused", 422)
            #expect(stage.head == head)
            #expect(try await cast.customer.post("/v1/cards/\(other)/redemption").status == 201)
            stage.clock.advance(seconds: 600)
            #expect(try await cast.customer.post(path).status == 201)
        }
    }

    @Test("A customer's superseded codes do not count as the merchant's guesses, and unknown codes do")
    func supersededRedemptionCodes() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            var codes: [String] = []
            for _ in 0..<10 { codes.append(try await cast.redemption(of: card).code) }
            for code in codes.dropLast() {
                try await cast.redeem(code).expectProblem("redemptionNotValid", 422)
                try await cast.owner.post("/v1/redemptions/preview", #"{"code":"\#(code)"}"#).expectProblem("redemptionNotValid", 422)
            }
            stage.clock.advance(seconds: 300)
            for _ in 0..<3 { try await cast.redeem(try #require(codes.last)).expectProblem("redemptionNotValid", 422) }
            for _ in 0..<10 { try await cast.redeem("AAAA-AAAA").expectProblem("redemptionNotValid", 422) }
            try await cast.redeem("AAAA-AAAA").expectProblem("rateLimited", 429)
        }
    }

    // MARK: Limits on reviews and notices

    @Test("Reviews and notices are limited per ten minutes, and an accepted request can be replayed")
    func reviewsAndNotices() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (reviews, notice) = ("/v1/shops/\(cast.shop)/reviews", #"{"title":"News","text":"Tea.","audience":"shop"}"#)
            let posted = try await together(64) { number in
                try await cast.customer.post(reviews, #"{"rating":\#(number % 5 + 1)}"#, key: "review-\(number)")
            }
            try expect(posted, heard: 30, as: 201)
            let told = try await together(20) { number in try await cast.owner.post("/v1/notices", notice, key: "notice-\(number)") }
            try expect(told, heard: 10, as: 201)
            let head = stage.head
            let heard = try #require(told.firstIndex { $0.status == 201 })
            #expect(try await cast.owner.post("/v1/notices", notice, key: "notice-\(heard)").body == told[heard].body)
            // A request that is rejected for another reason does not use up the budget.
            try await cast.owner.post(reviews, #"{"rating":5}"#).expectProblem("ownShop", 403)
            #expect(stage.head == head)
            stage.clock.advance(seconds: 600)
            #expect(try await cast.customer.post(reviews, #"{"rating":1}"#).status == 201)
            #expect(try await cast.owner.post("/v1/notices", notice).status == 201)
        }
    }

    @Test("Rejected requests, replays and other accounts' attempts do not use up a card's budget")
    func redemptionRequestsRefused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.fullCard()
            let path = "/v1/cards/\(card)/redemption"
            for _ in 0..<12 { try await cast.owner.post(path).expectProblem("notFound", 404) }
            for _ in 0..<12 { #expect(try await cast.customer.post(path, key: "one").status == 201) }
            let replies = try await together(64) { _ in try await cast.customer.post(path) }
            try expect(replies, heard: 9, as: 201)
        }
    }

    // MARK: Limits when the machine's time is set

    @Test("Setting the machine's time forward and back neither prolongs nor lifts a limit")
    func clock() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: RateTests.rates)) { stage, visitor in
            func wrong(_ host: Int = 9) async throws -> Reply { try await signIn(visitor, "00000x", from: "203.0.113.\(host)") }
            let busy: HTTPFields = [.forwardedFor: "203.0.113.7"]
            stage.clock.set(bySeconds: 86_400)
            for host in 20..<50 { try await wrong(host).expectProblem("verificationNotValid", 422) }
            for _ in 0..<20 { #expect(try await visitor.get("/v1/shops", headers: busy).status == 200) }
            stage.clock.set(bySeconds: -86_400)
            #expect(try await wrong().headers[.retryAfter] == "20")
            stage.clock.advance(seconds: 1)
            #expect(try await visitor.get("/v1/shops", headers: busy).status == 200)
            stage.clock.advance(seconds: 19)
            try await wrong().expectProblem("verificationNotValid", 422)
            stage.clock.set(bySeconds: 86_400)
            try await wrong().expectProblem("rateLimited", 429)
        }
    }

    @Test("A sent code is valid for five minutes, even if the machine's time is set")
    func sentCode() async throws {
        try await onStage { stage, visitor in
            let good = try await newCode(visitor)
            stage.clock.set(bySeconds: 86_400)
            #expect(try await signIn(visitor, good).status == 201)
            let late = try await newCode(visitor)
            stage.clock.set(bySeconds: -86_400)
            stage.clock.advance(seconds: 300)
            try await signIn(visitor, late).expectProblem("verificationNotValid", 422)
        }
    }
}
