import Loyalty
import Testing

@testable import HTTPAPI

@Suite("Rate limiter", .timeLimit(.minutes(15)))
struct RateLimiterTests {
    private let begin = Instant(microseconds: 1_700_000_000_000_000)

    private func after(_ microseconds: Int64) -> Instant { Instant(microseconds: begin.microseconds + microseconds) }

    private func expectStopped(_ limiter: RateLimiter<Int>, _ key: Int, at time: Instant, afterSeconds: Int64) {
        do {
            try limiter.take(key, at: time)
            Issue.record("the limiter let a request through")
        } catch {
            #expect(error.code == .rateLimited && error.retryAfterSeconds == afterSeconds)
        }
    }

    @Test("A full bucket admits a burst, and then one request per refilled token")
    func bucket() throws {
        let limiter = RateLimiter<Int>(RequestRate(burst: 5, perSecond: 2))
        for _ in 0..<5 { try limiter.take(1, at: begin) }
        expectStopped(limiter, 1, at: begin, afterSeconds: 1)
        expectStopped(limiter, 1, at: after(499_999), afterSeconds: 1)
        try limiter.take(1, at: after(500_000))
        expectStopped(limiter, 1, at: after(500_000), afterSeconds: 1)
        // A rejected request costs nothing. A pause refills the bucket, but never beyond its capacity.
        for _ in 0..<5 { try limiter.take(1, at: begin.advanced(bySeconds: 60)) }
        expectStopped(limiter, 1, at: begin.advanced(bySeconds: 60), afterSeconds: 1)
    }

    @Test("Keys do not share a bucket, and requests at the steady rate are never rejected")
    func keys() throws {
        let limiter = RateLimiter<Int>(RequestRate(burst: 1, perSecond: 10))
        for key in 0..<1_000 { try limiter.take(key, at: begin) }
        for tenth in 1...200 { try limiter.take(7, at: after(Int64(tenth) * 100_000)) }
    }

    @Test("The number of keys is bounded, and a key in use is not evicted by many others")
    func crowd() throws {
        let limiter = RateLimiter<Int>(RequestRate(burst: 100, perSecond: 1), partCount: 4, keysMax: 400)
        for round in 0..<100 {
            try limiter.take(-1, at: begin)
            for key in 0..<200 { try limiter.take(round * 200 + key, at: begin) }
        }
        #expect(limiter.count <= 800)
        expectStopped(limiter, -1, at: begin, afterSeconds: 1)
    }

    @Test("At most one burst of many concurrent requests is admitted")
    func together() async {
        let (limiter, begin) = (RateLimiter<Int>(RequestRate(burst: 50, perSecond: 1)), begin)
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 { group.addTask { (try? limiter.take(1, at: begin)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 50)
    }

    @Test("The standard rates allow bursts of 600 per account and of 2,000 per address")
    func standard() throws {
        let (account, address) = (RequestRates.standard.account, RequestRates.standard.address)
        for (rate, burst, perSecond) in [(account, 600, 20), (address, 2_000, 200)] {
            let limiter = RateLimiter<Int>(rate)
            for _ in 0..<burst { try limiter.take(1, at: begin) }
            expectStopped(limiter, 1, at: begin, afterSeconds: 1)
            for _ in 0..<perSecond { try limiter.take(1, at: after(1_000_000)) }
            expectStopped(limiter, 1, at: after(1_000_000), afterSeconds: 1)
        }
    }

    @Test("A rate outside the allowed range is clamped")
    func nearest() {
        #expect(RequestRate(burst: 0, perSecond: 0) == RequestRate(burst: 1, perSecond: 1))
        #expect(RequestRate(burst: -5, perSecond: .max) == RequestRate(burst: 1, perSecond: 1_000_000))
    }

    @Test("The addresses of one IPv6 /48 have four times the rate of one address, and another network is not affected")
    func networks() throws {
        let rate = ClientRate(RequestRate(burst: 10, perSecond: 1))
        func isAdmitted(_ address: String, after seconds: Int64 = 0) throws -> Bool {
            let address = try #require(ClientAddress(address))
            return (try? rate.take(address, at: begin.advanced(bySeconds: seconds))) != nil
        }
        func admitted(after seconds: Int64 = 0) throws -> Int {
            try (0..<1_000).count { try isAdmitted("2001:db8:7:\(String($0, radix: 16))::1", after: seconds) }
        }
        #expect(try admitted() == 40)
        #expect(try isAdmitted("2001:db8:8::1"))
        #expect(try admitted(after: 2) == 8, "four tokens come back each second")
        for host in 0..<1_000 { #expect(try isAdmitted("198.18.\(host / 250).\(host % 250)"), "IPv4 addresses share no rate") }
    }

    @Test("An address above its own rate takes nothing from its network, and a long answer costs both")
    func addressAndNetwork() throws {
        let rate = ClientRate(RequestRate(burst: 10, perSecond: 1))
        let (busy, quiet) = (try #require(ClientAddress("2001:db8:7:1::1")), try #require(ClientAddress("2001:db8:7:2::1")))
        for _ in 0..<1_000 { try? rate.take(busy, at: begin) }
        for _ in 0..<10 { try rate.take(quiet, at: begin) }
        rate.charge(try #require(ClientAddress("2001:db8:7:3::1")), tokens: 20, at: begin)
        #expect(throws: Problem.self) { try rate.take(try #require(ClientAddress("2001:db8:7:4::1")), at: begin) }
    }
}
