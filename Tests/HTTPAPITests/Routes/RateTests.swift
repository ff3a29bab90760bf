import Caches
import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore
import Prometheus
import Testing

@testable import HTTPAPI

@Suite("Request rates", .timeLimit(.minutes(15)))
struct RateTests {
    static let rates = RequestRates(
        account: RequestRate(burst: 8, perSecond: 1), address: RequestRate(burst: 20, perSecond: 2),
        machine: RequestRate(burst: 30, perSecond: 3))

    @Test("An account beyond its rate is rejected with a time to retry after, and others are not")
    func account() async throws {
        try await onStage(try Stage(rates: Self.rates)) { stage, visitor in
            let (one, other) = (try await visitor.signedIn("+8613800138002"), try await visitor.signedIn("+8613800138003"))
            for _ in 0..<8 { #expect(try await one.get("/v1/me").status == 200) }
            let refused = try await one.get("/v1/me/cards")
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "1")
            #expect(try await other.get("/v1/me").status == 200)
            #expect(try await visitor.get("/v1/shops").status == 200)
            stage.clock.advance(seconds: 2)
            for _ in 0..<2 { #expect(try await one.get("/v1/me").status == 200) }
            try await one.get("/v1/me").expectProblem("rateLimited", 429)
        }
    }

    @Test("An address beyond its rate is rejected without an account")
    func address() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { stage, visitor in
            let (busy, quiet): (HTTPFields, HTTPFields) = ([.forwardedFor: "203.0.113.7"], [.forwardedFor: "1.1.1.1, 203.0.113.8"])
            let one = try await visitor.signedIn("+8613800138002")
            #expect(try await one.get("/v1/me").status == 200, "the token is known from now on")
            for _ in 0..<20 { #expect(try await visitor.get("/v1/shops", headers: busy).status == 200) }
            try await visitor.get("/v1/shops", headers: busy).expectProblem("rateLimited", 429)
            #expect(try await one.get("/v1/me", headers: busy).status == 200, "an account has a rate of its own")
            // Any client can claim another address in this header. The server uses only the last entry, which the proxy added.
            let claimed: HTTPFields = [.forwardedFor: "203.0.113.8, 203.0.113.7"]
            try await visitor.get("/v1/shops", headers: claimed).expectProblem("rateLimited", 429)
            #expect(try await visitor.get("/v1/shops", headers: quiet).status == 200)
            #expect(try await visitor.get("/healthz", headers: busy).status == 200, "health has a limit of its own")
            stage.clock.advance(seconds: 1)
            #expect(try await visitor.get("/v1/shops", headers: busy).status == 200)
        }
    }

    @Test("A request whose body is refused unread uses up the rate like any other")
    func unreadBody() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { _, visitor in
            let packed: HTTPFields = [.forwardedFor: "203.0.113.7", .contentEncoding: "gzip"]
            for _ in 0..<20 {
                try await visitor.post("/v1/verifications", "{}", headers: packed).expectProblem("unsupportedMediaType", 415)
            }
            try await visitor.post("/v1/verifications", "{}", headers: packed).expectProblem("rateLimited", 429)
        }
    }

    @Test("A client cannot multiply its rate with the networks of one IPv6 /48")
    func network() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { _, visitor in
            var counts: [Int: Int] = [:]
            for number in 0..<200 {
                let busy: HTTPFields = [.forwardedFor: "2001:db8:7:\(String(number, radix: 16))::1"]
                counts[try await visitor.get("/v1/shops", headers: busy).status, default: 0] += 1
            }
            #expect(counts == [200: 80, 429: 120])
            #expect(try await visitor.get("/v1/shops", headers: [.forwardedFor: "2001:db8:8::1"]).status == 200)
        }
    }

    @Test("An address makes few searches at once, and others are not refused for it")
    func searchesAtOnce() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            let busy: HTTPFields = [.forwardedFor: "203.0.113.7"]
            let (slots, address) = (stage.api.resources.slots.searches, try #require(ClientAddress("203.0.113.7")))
            var held = try (0..<Limits.searchesPerAddressMax).map { _ in try slots.take(as: PoolShare(of: address)) }
            for path in ["/v1/shops", "/v1/campaigns"] {
                try await visitor.get(path, headers: busy).expectProblem("overloaded", 503)
                #expect(try await visitor.get(path, headers: [.forwardedFor: "203.0.113.8"]).status == 200)
            }
            held.removeLast()
            for path in ["/v1/shops", "/v1/campaigns", "/v1/shops"] { #expect(try await visitor.get(path, headers: busy).status == 200) }
        }
    }

    @Test("A home page is a search while it is made, and a kept one needs no slot")
    func homePagesAtOnce() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            func status(_ path: String, _ address: String) async throws -> Int {
                try await visitor.get(path, headers: [.forwardedFor: address, .accept: "text/html"]).status
            }
            let (busy, quiet) = ("203.0.113.7", "203.0.113.8")
            let (slots, address) = (stage.api.resources.slots.searches, try #require(ClientAddress(busy)))
            var held = try (0..<Limits.searchesPerAddressMax).map { _ in try slots.take(as: PoolShare(of: address)) }
            for path in ["/?q=x", "/?list=shops&q=x"] {
                #expect(try await status(path, busy) == 503)
                #expect(try await status(path, quiet) == 200)
                #expect(try await status(path, busy) == 200, "the page that was made for the other address is kept")
            }
            held.removeLast()
            for word in ["a", "b", "c"] { #expect(try await status("/?q=\(word)", busy) == 200) }
        }
    }

    @Test("An answer about a shop with more than a hundred campaigns or posts counts as a search, and a shorter one needs no slot")
    func longShops() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            let cast = try await Cast(visitor)
            let shop = "/v1/shops/\(cast.shop)"
            let review = try await cast.customer.post(shop + "/reviews", #"{"rating":3}"#).string("id")
            func publish() async throws {
                #expect(try await cast.owner.post(shop + "/campaigns", Cast.campaignBody()).status == 201)
            }
            func reply() async throws {
                #expect(try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"Thank you"}"#).status == 201)
            }
            for _ in 1..<100 {
                try await publish()
                try await reply()
            }
            let (busy, quiet): (HTTPFields, HTTPFields) = ([.forwardedFor: "203.0.113.7"], [.forwardedFor: "203.0.113.8"])
            let (slots, address) = (stage.api.resources.slots.searches, try #require(ClientAddress("203.0.113.7")))
            var held = try (0..<Limits.searchesPerAddressMax).map { _ in try slots.take(as: PoolShare(of: address)) }
            let paths = [shop, shop + "/reviews"]
            for path in paths { #expect(try await visitor.get(path, headers: busy).status == 200) }
            #expect(try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end").status == 200)
            try await publish()
            try await reply()
            for path in paths {
                try await visitor.get(path, headers: busy).expectProblem("overloaded", 503)
                #expect(try await visitor.get(path, headers: quiet).status == 200)
            }
            held.removeLast()
            for path in paths + paths { #expect(try await visitor.get(path, headers: busy).status == 200) }
            #expect(try await visitor.get(shop).json["campaigns"]?.items?.count == 101)
            #expect(try await visitor.get(shop + "/reviews").json["items"]?[0]?["replies"]?.items?.count == 100)
        }
    }

    @Test("An account gets one report on all its shops at once, and the next one when the first is made")
    func reportsAtOnce() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138005")
            let (slots, account) = (stage.api.resources.slots.reports, try #require(AccountID(text: owner.account)))
            var slot: Slot? = try slots.take(as: PoolShare(of: nil, account: account))
            #expect(slot != nil)
            try await owner.get("/v1/me/statistics").expectProblem("overloaded", 503)
            slot = nil
            for _ in 0..<2 { #expect(try await owner.get("/v1/me/statistics").status == 200) }
        }
    }

    @Test("An account gets few reports on single shops at once, a part of a page takes one slot, and others are not refused for it")
    func shopReportsAtOnce() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let manager = try await visitor.signedIn("+8613800138003", name: "manager")
            try await cast.hire(manager, as: "manager")
            let (slots, account) = (stage.api.resources.slots.shopReports, try #require(AccountID(text: cast.owner.account)))
            // Without a number of days, a part of the page of numbers needs one report more.
            let paths =
                ["statistics", "analytics"].map { "/v1/shops/\(cast.shop)/\($0)" }
                + ["days", "customers", "branches"].map { "/shop/\(cast.shop)/numbers/\($0)" }
            var held = try (0..<Limits.shopReportsPerAccountMax).map { _ in try slots.take(as: PoolShare(of: nil, account: account)) }
            for path in paths {
                try await cast.owner.get(path).expectProblem("overloaded", 503)
                #expect(try await manager.get(path).status == 200)
            }
            held.removeLast()
            for path in paths + paths { #expect(try await cast.owner.get(path).status == 200) }
        }
    }

    @Test("A client cannot take all slots for searches with the networks of one IPv6 /48")
    func searchesOfOneNetwork() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            let (slots, most) = (stage.api.resources.slots.searches, Limits.searchesPerAddressMax * Limits.networkRateFactor)
            var taken: [Slot] = []
            for number in 0..<Limits.searchesAtOnceMax {
                let address = try #require(ClientAddress("2001:db8:7:\(String(number, radix: 16))::1"))
                do {
                    taken.append(try slots.take(as: PoolShare(of: address)))
                } catch { #expect((error as? Problem)?.code == .overloaded) }
            }
            #expect(taken.count == most)
            let fresh: HTTPFields = [.forwardedFor: "2001:db8:7:ffff::1"]
            try await visitor.get("/v1/shops", headers: fresh).expectProblem("overloaded", 503)
            #expect(try await visitor.get("/v1/shops", headers: [.forwardedFor: "2001:db8:8::1"]).status == 200)
            taken.removeFirst()
            for _ in 0..<2 { #expect(try await visitor.get("/v1/shops", headers: fresh).status == 200) }
        }
    }

    @Test("Health, metrics and checkpoints have a rate limit of their own")
    func machines() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { stage, visitor in
            let busy: HTTPFields = [.forwardedFor: "203.0.113.7"]
            for number in 0..<30 {
                #expect(try await visitor.get(["/healthz", "/checkpoint"][number % 2], headers: busy).status == 200)
            }
            try await visitor.get("/metrics", headers: busy).expectProblem("rateLimited", 429)
            let refused = try await visitor.get("/healthz", headers: busy)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.connection] == nil, "a proxy's connection also carries the requests of other clients")
            #expect(try await visitor.get("/v1/shops", headers: busy).status == 200, "customers have a limit of their own")
            #expect(try await visitor.get("/healthz", headers: [.forwardedFor: "203.0.113.8"]).status == 200)
            stage.clock.advance(seconds: 1)
            #expect(try await visitor.get("/healthz", headers: busy).status == 200)
        }
    }

    @Test(
        "Paths of the API and of pages have the lower rate in any spelling, and paths for machines do not",
        arguments: [
            ("/v1/shops", true), ("//v1/shops", true), ("/v1//shops", true), ("v1/", true), ("/v1", true), ("/v10/x", true),
            ("/healthz", false), ("/s/v1/", true), ("//s//shop_1", true), ("/c/x", true), ("/r/x", true), ("/s", true),
            ("/st/x", true), ("/tile/0/000", false), ("", true), ("//", true), ("/assets/style.css", false), ("/sw.js", false),
        ])
    func spelling(_ path: String, _ isOfAPI: Bool) {
        #expect(RateMiddleware.isOfAPI(path) == isOfAPI)
    }

    @Test("Pages of shared links are limited like the API, and so is a request with an absolute URL")
    func pages() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { _, visitor in
            let cast = try await Cast(visitor)
            let pages = ["/s/\(cast.shop)", "/c/\(cast.campaign)", "/s/00000000", "/r/00000000", "http://localhost/v1/shops"]
            for (number, page) in pages.enumerated() {
                let busy: HTTPFields = [.forwardedFor: "203.0.113.\(number + 1)"]
                // A page of several kilobytes costs more than one token.
                var (served, reply) = (0, try await visitor.get(page, headers: busy))
                while reply.status == 200 { (served, reply) = (served + 1, try await visitor.get(page, headers: busy)) }
                try reply.expectProblem("rateLimited", 429)
                #expect((1...20).contains(served), "\(page)")
                try await visitor.get("/v1/shops", headers: busy).expectProblem("rateLimited", 429)
            }
        }
    }

    @Test("A long answer costs many tokens, but the wait after it is bounded")
    func longAnswers() async throws {
        let rates = RequestRates(account: Self.rates.account, address: Self.rates.address, machine: RequestRate(burst: 10, perSecond: 1))
        try await onStage(try Stage(trustedProxies: 1, rates: rates)) { stage, visitor in
            let busy: HTTPFields = [.forwardedFor: "203.0.113.7"]
            let long = try await visitor.get("/openapi.json", headers: busy)
            // Without a limit on the tokens that an address can owe, this answer would cause a wait of more than twenty seconds.
            #expect(long.status == 200 && long.body.count > (10 + 20) * Limits.answerBytesPerToken)
            let refused = try await visitor.get("/healthz", headers: busy)
            try refused.expectProblem("rateLimited", 429)
            let seconds = try #require(refused.headers[.retryAfter].flatMap { Int64($0) })
            #expect(seconds > Limits.rateDebtSecondsMax - 1 && seconds <= Limits.rateDebtSecondsMax + 1)
            stage.clock.advance(seconds: seconds)
            #expect(try await visitor.get("/healthz", headers: busy).status == 200)
        }
    }

    @Test(
        "Only a long answer that was made for the request costs more than one token: JSON, a problem, a page or the metrics",
        arguments: [
            (ContentTypes.json, 4_096, 0), (ContentTypes.json, 8_192, 2), ("image/jpeg", 1 << 20, 0), (ContentTypes.problem, 8_192, 2),
            (ContentTypes.html, 20_480, 5), (ContentTypes.html, 4_000, 0), ("text/css; charset=utf-8", 1 << 20, 0),
            (PrometheusRegistry.contentType, 40_960, 10),
        ])
    func furtherTokens(_ contentType: String, _ count: Int, _ tokens: Int) {
        let response = Response(
            status: .ok, headers: [.contentType: contentType], body: ResponseBody(byteBuffer: ByteBuffer(repeating: 1, count: count)))
        #expect(RateMiddleware.furtherTokens(for: response) == tokens)
    }

    @Test("A refusal by another budget costs its address ten tokens, and other failures cost one")
    func refusals() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { _, visitor in
            let (busy, quiet): (HTTPFields, HTTPFields) = ([.forwardedFor: "203.0.113.7"], [.forwardedFor: "203.0.113.8"])
            let one = try await visitor.signedIn("+8613800138002")
            for _ in 0..<8 { #expect(try await one.get("/v1/me", headers: quiet).status == 200) }
            for _ in 0..<5 {
                try await visitor.get("/v1/me", headers: busy).expectProblem("unauthenticated", 401)
                try await visitor.get("/v1/nothing", headers: busy).expectProblem("notFound", 404)
            }
            // The accounts at the address have a rate of their own, of which each refusal by an account's own limit costs ten.
            let reasons = try await [one.get("/v1/me", headers: busy), one.get("/v1/me", headers: busy), one.get("/v1/me", headers: busy)]
            for refused in reasons { try refused.expectProblem("rateLimited", 429) }
            #expect(try await visitor.get("/v1/shops", headers: busy).status == 200)
        }
    }

    @Test("A search costs a token for every four shops and campaigns that it finds", arguments: ["/v1/campaigns", "/v1/shops"])
    func searches(_ path: String) async throws {
        let rates = RequestRates(account: RequestRate(burst: 20, perSecond: 1), address: Self.rates.address, machine: Self.rates.machine)
        try await onStage(try Stage(trustedProxies: 1, rates: rates)) { _, visitor in
            let cast = try await Cast(visitor)
            for number in 0..<7 {
                let reply = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "No. \(number)"))
                #expect(reply.status == 201)
            }
            /// The number of equal searches that are answered until the first refusal.
            func served(_ query: String, _ address: String) async throws -> Int {
                var count = 0
                while try await visitor.get(path + query, headers: [.forwardedFor: address]).status == 200 { count += 1 }
                return count
            }
            #expect(try await served("?q=zzzz", "203.0.113.7") == 20)
            // The answer contains eight campaigns, perhaps with their shop. This costs two tokens in addition to that of the request.
            let many = try await served("?limit=100", "203.0.113.8")
            #expect((1...7).contains(many), "\(many)")
        }
    }

    @Test(
        "Every four items and every thirty-two visited rows of a request's searches cost a token",
        arguments: [([(3, 31)], 0), ([(4, 0)], 1), ([(0, 32)], 1), ([(3, 31), (1, 1)], 2), ([(0, 16_384)], 512), ([(100, 200)], 31)])
    func searchTokens(_ searches: [(Int, Int)], _ tokens: Int) {
        let cost = RequestCost()
        for (found, looks) in searches { cost.addSearch(found: found, looks: looks) }
        #expect(cost.tokens == tokens)
    }

    @Test("Only a refusal by a budget, in whatever layer, costs more than one token")
    func furtherTokensOfErrors() {
        let refusals: [any Error] = [Problem(.rateLimited), ServiceError.tooManyTries(seconds: 3), VerificationRefusal.wait(seconds: 3)]
        for refusal in refusals { #expect(RateMiddleware.furtherTokens(for: refusal) == Limits.refusalTokens, "\(refusal)") }
        let others: [any Error] = [Problem(.overloaded), Problem(.notFound), HTTPError(.notFound), ServiceError.overloaded]
        for other in others { #expect(RateMiddleware.furtherTokens(for: other) == 0, "\(other)") }
    }

    @Test("A loopback address is limited like any other", arguments: ["127.0.0.1", "::1"])
    func loopback(_ address: String) async throws {
        try await onStage(try Stage(isDevelopment: false, trustedProxies: 1, rates: Self.rates)) { _, visitor in
            let here: HTTPFields = [.forwardedFor: address]
            for _ in 0..<20 { #expect(try await visitor.get("/v1/shops", headers: here).status == 200) }
            try await visitor.get("/v1/shops", headers: here).expectProblem("rateLimited", 429)
        }
    }

    @Test("In development a loopback address is not limited, and without rates nothing is limited")
    func unlimited() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { _, visitor in
            let here: HTTPFields = [.forwardedFor: "127.0.0.1"]
            for _ in 0..<60 {
                let reply = try await visitor.get("/v1/shops", headers: here)
                #expect(reply.status == 200)
            }
        }
        try await onStage { _, visitor in
            let one = try await visitor.signedIn("+8613800138002")
            for _ in 0..<60 { #expect(try await one.get("/v1/me").status == 200) }
        }
    }

    @Test("The standard rates allow two hundred codes in a row")
    func standard() async throws {
        try await onStage(try Stage(rates: .standard)) { stage, visitor in
            let cast = try await Cast(visitor)
            for _ in 0..<200 { _ = try await cast.issue() }
        }
    }
}
