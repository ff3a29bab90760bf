import Testing

@testable import HTTPAPI

@Suite("failure budget")
struct FailureBudgetTests {
    private let clock = TestClock()

    private func expectStopped(_ budget: FailureBudget<Int>, _ key: Int = 1, afterSeconds: Int64? = nil) async {
        for isAttempt in [false, true] {
            do {
                if isAttempt { try await budget.begin(key) } else { try budget.take(key) }
                Issue.record("was let through")
            } catch {
                #expect(error.code == .rateLimited)
                if let afterSeconds { #expect(error.retryAfterSeconds == afterSeconds) }
            }
        }
    }

    @Test("ten failures one after the other are the end of it, for ten minutes after the first")
    func sequence() async throws {
        let budget = FailureBudget<Int>(clock: clock)
        for _ in 0..<10 {
            try budget.take(1)
            clock.advance(seconds: 10)
        }
        await expectStopped(budget, afterSeconds: 500)
        clock.advance(seconds: 499)
        await expectStopped(budget, afterSeconds: 1)
        clock.advance(seconds: 1)
        try budget.take(1)
        // The second failure of the first ten still holds for ten seconds.
        await expectStopped(budget, afterSeconds: 10)
    }

    @Test("success costs nothing, and neither does another key's failure")
    func others() async throws {
        let budget = FailureBudget<Int>(clock: clock)
        for _ in 0..<100 {
            try await budget.begin(1)
            budget.end(1, failed: false)
            try budget.take(1)
            budget.forgive(1)
        }
        for _ in 0..<10 { try budget.take(2) }
        try budget.take(1)
        await expectStopped(budget, 2)
    }

    @Test("however many are counted at once, no more than ten are let through")
    func takenTogether() async {
        let budget = FailureBudget<Int>(clock: clock)
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 { group.addTask { (try? budget.take(1)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 10)
    }

    /// Runs so many attempts at once, each of which takes a while.
    ///
    /// - Returns: how many were let through.
    private func attempt(_ count: Int, on budget: FailureBudget<Int>, fails: @escaping @Sendable (Int) -> Bool) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    guard (try? await budget.begin(1)) != nil else { return false }
                    for _ in 0..<5 { await Task.yield() }
                    budget.end(1, failed: fails(number))
                    return true
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test("attempts that come together are all heard where they do not fail, and are ten where they do")
    func together() async throws {
        let budget = FailureBudget<Int>(clock: clock)
        #expect(await attempt(500, on: budget) { _ in false } == 500)
        #expect(await attempt(500, on: budget) { _ in true } == 10)
        await expectStopped(budget, afterSeconds: 600)
        clock.advance(seconds: 600)
        // One failure in a hundred: ten failures end it, after at least that many attempts.
        let passed = await attempt(5_000, on: budget) { $0.isMultiple(of: 100) }
        #expect((10...5_000).contains(passed))
        await expectStopped(budget)
    }

    @Test("who waits goes on as soon as there is room, and is refused as soon as there is none")
    func turns() async throws {
        let budget = FailureBudget<Int>(clock: clock, failuresMax: 1)
        try await budget.begin(1)
        try await budget.begin(2)
        let next = Task { try await budget.begin(1) }
        budget.end(1, failed: false)
        try await next.value
        let refused = Task { try await budget.begin(1) }
        budget.end(1, failed: true)
        await #expect(throws: Problem.self) { try await refused.value }
        budget.end(2, failed: false)
    }

    @Test("memory is bounded: of many failing keys the oldest are forgiven, the newest are not")
    func bounded() async throws {
        let budget = FailureBudget<Int>(clock: clock, keysMax: 4)
        for key in 0..<10 {
            for _ in 0..<10 { try budget.take(key) }
        }
        try budget.take(0)
        await expectStopped(budget, 9)
    }

    @Test("what is forgiven is forgiven in both generations, and only that")
    func forgiven() async throws {
        let budget = FailureBudget<Int>(clock: clock, keysMax: 1)
        for _ in 0..<10 { try budget.take(1) }
        try budget.take(2)
        await expectStopped(budget, 1)
        budget.forgive(1)
        try budget.take(1)
        await expectStopped(budget, 1)
    }
}
