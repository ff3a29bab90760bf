import Patience
import Testing

@testable import HTTPAPI

@Suite("Failure budget", .timeLimit(.minutes(15)))
struct FailureBudgetTests {
    private let clock = TestClock()

    private func expectStopped(_ budget: FailureBudget<Int>, _ key: Int = 1, afterSeconds: Int64? = nil) async {
        for isAttempt in [false, true] {
            do {
                if isAttempt { try await budget.begin(key) } else { try budget.take(key) }
                Issue.record("the budget let an attempt through")
            } catch {
                #expect(error.code == .rateLimited)
                if let afterSeconds { #expect(error.retryAfterSeconds == afterSeconds) }
            }
        }
    }

    @Test("Ten failures exhaust the budget until ten minutes after the first one")
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
        // The first failure has expired. The second failure expires in ten seconds.
        await expectStopped(budget, afterSeconds: 10)
    }

    @Test("Successes and other keys' failures do not use up the budget")
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

    @Test("At most ten of many concurrent calls to `take` succeed")
    func takenTogether() async {
        let budget = FailureBudget<Int>(clock: clock)
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 { group.addTask { (try? budget.take(1)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 10)
    }

    /// Runs `count` attempts concurrently, each of which suspends a few times.
    ///
    /// - Returns: the number of attempts that the budget admitted.
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

    @Test("Concurrent attempts that succeed are all admitted, and of those that fail only ten are")
    func together() async throws {
        let budget = FailureBudget<Int>(clock: clock)
        #expect(await attempt(500, on: budget) { _ in false } == 500)
        #expect(await attempt(500, on: budget) { _ in true } == 10)
        await expectStopped(budget, afterSeconds: 600)
        clock.advance(seconds: 600)
        // One attempt in a hundred fails. Ten failures exhaust the budget, so at least ten attempts were admitted.
        let passed = await attempt(5_000, on: budget) { $0.isMultiple(of: 100) }
        #expect((10...5_000).contains(passed))
        await expectStopped(budget)
    }

    @Test("A waiting attempt is admitted after a success and rejected after the last allowed failure")
    func turns() async throws {
        let budget = FailureBudget<Int>(clock: clock, failuresMax: 1)
        try await budget.begin(1)
        try await budget.begin(2)
        let next = Task { try await budget.begin(1) }
        budget.end(1, failed: false)
        try await next.valueInTime()
        let refused = Task { try await budget.begin(1) }
        budget.end(1, failed: true)
        await #expect(throws: Problem.self) { try await refused.valueInTime() }
        budget.end(2, failed: false)
    }

    @Test("Memory is bounded: the keys that failed first are forgiven, and the newest are not")
    func bounded() async throws {
        let budget = FailureBudget<Int>(clock: clock, keysMax: 4)
        for key in 0..<10 {
            for _ in 0..<10 { try budget.take(key) }
        }
        try budget.take(0)
        await expectStopped(budget, 9)
    }

    @Test("Forgiving takes back exactly one failure, even in the older generation of keys")
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
