import Testing

@testable import HTTPAPI

@Suite("failure budget")
struct FailureBudgetTests {
    private let clock = TestClock()

    private func fail(_ budget: FailureBudget<Int>, _ key: Int = 1) throws {
        try budget.check(key)
        budget.count(key)
    }

    private func expectStopped(_ budget: FailureBudget<Int>, _ key: Int = 1, afterSeconds: Int64? = nil) {
        do {
            try budget.check(key)
            Issue.record("was let through")
        } catch {
            #expect(error.code == .rateLimited)
            if let afterSeconds { #expect(error.retryAfterSeconds == afterSeconds) }
        }
    }

    @Test("ten failures one after the other are the end of it, for ten minutes after the first")
    func sequence() throws {
        let budget = FailureBudget<Int>(clock: clock)
        for _ in 0..<10 {
            try fail(budget)
            clock.advance(seconds: 10)
        }
        expectStopped(budget, afterSeconds: 500)
        clock.advance(seconds: 499)
        expectStopped(budget, afterSeconds: 1)
        clock.advance(seconds: 1)
        try fail(budget)
        // The second failure of the first ten still holds for ten seconds.
        expectStopped(budget, afterSeconds: 10)
    }

    @Test("success costs nothing, and neither does another key's failure")
    func others() throws {
        let budget = FailureBudget<Int>(clock: clock)
        for _ in 0..<100 { try budget.check(1) }
        for _ in 0..<10 { try fail(budget, 2) }
        try fail(budget, 1)
        expectStopped(budget, 2)
    }

    @Test("64 requests that arrive together are all heard; what comes after them is not")
    func together() throws {
        let budget = FailureBudget<Int>(clock: clock)
        for _ in 0..<64 { try budget.check(1) }
        for _ in 0..<64 { budget.count(1) }
        expectStopped(budget)
    }

    @Test("memory is bounded: of many failing keys the oldest are forgiven, the newest are not")
    func bounded() throws {
        let budget = FailureBudget<Int>(clock: clock, keysMax: 4)
        for key in 0..<10 {
            for _ in 0..<10 { try fail(budget, key) }
        }
        try fail(budget, 0)
        expectStopped(budget, 9)
    }
}
