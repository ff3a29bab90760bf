import Loyalty
import Testing

@testable import HTTPAPI

@Suite("rate limiter")
struct RateLimiterTests {
    private let begin = Instant(microseconds: 1_700_000_000_000_000)

    private func after(_ microseconds: Int64) -> Instant { Instant(microseconds: begin.microseconds + microseconds) }

    private func expectStopped(_ limiter: RateLimiter<Int>, _ key: Int, at time: Instant, afterSeconds: Int64) {
        do {
            try limiter.take(key, at: time)
            Issue.record("was let through")
        } catch {
            #expect(error.code == .rateLimited && error.retryAfterSeconds == afterSeconds)
        }
    }

    @Test("a burst at once, then one for each that came back")
    func bucket() throws {
        let limiter = RateLimiter<Int>(RequestRate(burst: 5, perSecond: 2))
        for _ in 0..<5 { try limiter.take(1, at: begin) }
        expectStopped(limiter, 1, at: begin, afterSeconds: 1)
        expectStopped(limiter, 1, at: after(499_999), afterSeconds: 1)
        try limiter.take(1, at: after(500_000))
        expectStopped(limiter, 1, at: after(500_000), afterSeconds: 1)
        // What is refused costs nothing; a rest fills the bucket, and not more than that.
        for _ in 0..<5 { try limiter.take(1, at: begin.advanced(bySeconds: 60)) }
        expectStopped(limiter, 1, at: begin.advanced(bySeconds: 60), afterSeconds: 1)
    }

    @Test("keys do not share, and a steady rate is never refused")
    func keys() throws {
        let limiter = RateLimiter<Int>(RequestRate(burst: 1, perSecond: 10))
        for key in 0..<1_000 { try limiter.take(key, at: begin) }
        for tenth in 1...200 { try limiter.take(7, at: after(Int64(tenth) * 100_000)) }
    }

    @Test("a crowd of keys is bounded, and whoever goes on asking is not forgotten by it")
    func crowd() throws {
        let limiter = RateLimiter<Int>(RequestRate(burst: 100, perSecond: 1), partCount: 4, keysMax: 400)
        for round in 0..<100 {
            try limiter.take(-1, at: begin)
            for key in 0..<200 { try limiter.take(round * 200 + key, at: begin) }
        }
        #expect(limiter.count <= 800)
        expectStopped(limiter, -1, at: begin, afterSeconds: 1)
    }

    @Test("however many ask at once, no more than a burst is let through")
    func together() async {
        let (limiter, begin) = (RateLimiter<Int>(RequestRate(burst: 50, perSecond: 1)), begin)
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 { group.addTask { (try? limiter.take(1, at: begin)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 50)
    }

    @Test("the standard is what the description says, for an account and for an address")
    func standard() throws {
        let (account, address) = (RequestRates.standard.account, RequestRates.standard.address)
        for (rate, burst, perSecond) in [(account, 600, 20), (address, 6_000, 200)] {
            let limiter = RateLimiter<Int>(rate)
            for _ in 0..<burst { try limiter.take(1, at: begin) }
            expectStopped(limiter, 1, at: begin, afterSeconds: 1)
            for _ in 0..<perSecond { try limiter.take(1, at: after(1_000_000)) }
            expectStopped(limiter, 1, at: after(1_000_000), afterSeconds: 1)
        }
    }

    @Test("what is no rate is moved to the nearest that is one")
    func nearest() {
        #expect(RequestRate(burst: 0, perSecond: 0) == RequestRate(burst: 1, perSecond: 1))
        #expect(RequestRate(burst: -5, perSecond: .max) == RequestRate(burst: 1, perSecond: 1_000_000))
    }
}
