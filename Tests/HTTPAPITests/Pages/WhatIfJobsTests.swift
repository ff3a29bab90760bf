import CommandService
import Composition
import Dispatch
import Loyalty
import LoyaltyCodec
import Patience
import Synchronization
import Testing
import WhatIf

@testable import HTTPAPI

/// The queue of what-if jobs. The tests use work that ends only when the test releases it.
@Suite("Jobs of what-if questions", .timeLimit(.minutes(15)))
struct WhatIfJobsTests {
    /// Work that continues until the test releases it, and that records its questions.
    private final class Bench: Sendable {
        private struct State {
            var begun: [AccountID] = []
            var told: [AccountID] = []
            var isReleased = false
        }

        private let state = Mutex(State())
        let clock = TestClock()

        /// `begun` has the accounts whose jobs have begun, and `told` those whose jobs were told to stop.
        var begun: [AccountID] { state.withLock { $0.begun } }
        var told: [AccountID] { state.withLock { $0.told } }
        func release() { state.withLock { $0.isReleased = true } }

        func jobs() -> WhatIfJobs {
            WhatIfJobs(clock: clock) { [self] question, goesOn in
                state.withLock { $0.begun.append(question.account) }
                while !state.withLock({ $0.isReleased }) {
                    guard goesOn(1, 2) else {
                        state.withLock { $0.told.append(question.account) }
                        return .stopped
                    }
                }
                return .tooLong
            }
        }
    }

    private static func question(_ account: UInt128) -> WhatIfQuestion {
        let terms = CampaignTerms<TypedText>(
            title: "", details: "", goal: 5, reward: "", startsAt: Instant(microseconds: 0), endsAt: Instant(microseconds: 1))
        let campaign = Campaign(id: CampaignID(1), shop: ShopID(1), kind: .stampCard, terms: terms, endedAt: nil, version: 1)
        return WhatIfQuestion(
            account: AccountID(account), shop: ShopID(1), campaign: campaign, rules: ProgrammeRules(), form: WhatIfForm(Form("")))
    }

    private static func stop(_ jobs: WhatIfJobs) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                jobs.stop()
                continuation.resume()
            }
        }
    }

    @Test("Questions are answered one at a time, in their order, and each asker sees how many come first")
    func oneAtATime() async throws {
        let bench = Bench()
        let jobs = bench.jobs()
        let numbers = try (1...3).map { try jobs.start(Self.question($0)) }
        try await eventually("the first has begun") { bench.begun == [AccountID(1)] }
        guard case .waiting(before: 1)? = jobs.find(numbers[2], of: AccountID(3))?.state else {
            Issue.record("the third question does not wait for the second")
            return
        }
        #expect(bench.begun.count == 1)
        bench.release()
        try await eventually("all are over") { bench.begun.count == 3 && jobs.find(numbers[2], of: AccountID(3))?.isOver == true }
        #expect(bench.begun == (1...3).map { AccountID($0) })
        await Self.stop(jobs)
    }

    @Test("A question is refused while the queue is full, and accepted when a place is free again")
    func bounded() async throws {
        let bench = Bench()
        let jobs = bench.jobs()
        let first = try jobs.start(Self.question(1))
        try await eventually("the first has begun") { bench.begun.count == 1 }
        let waiting = try (2..<(2 + Limits.whatIfWaitingMax / 2)).map { try jobs.start(Self.question(UInt128($0))) }
        #expect(throws: Problem.self) { try jobs.start(Self.question(99)) }
        jobs.end(waiting[0], of: AccountID(99))
        #expect(throws: Problem.self) { try jobs.start(Self.question(99)) }
        jobs.end(waiting[0], of: AccountID(2))
        _ = try jobs.start(Self.question(99))
        #expect(jobs.find(first, of: AccountID(2)) == nil && jobs.find(first, of: AccountID(1)) != nil)
        await Self.stop(jobs)
        #expect(bench.begun == [AccountID(1)] && bench.told == [AccountID(1)])
    }

    @Test("A question ends when its asker asks another one, or leaves")
    func left() async throws {
        let bench = Bench()
        let jobs = bench.jobs()
        let first = try jobs.start(Self.question(1))
        try await eventually("it has begun") { bench.begun.count == 1 }
        let second = try jobs.start(Self.question(1))
        try await eventually("the first was told, the second has begun") { bench.told.count == 1 && bench.begun.count == 2 }
        guard case .stopped? = jobs.find(first, of: AccountID(1))?.state else {
            Issue.record("the first question was not stopped")
            return
        }
        // A job whose account asks for its state in time is not stopped.
        for _ in 0..<3 {
            bench.clock.advance(seconds: Limits.whatIfPatienceSeconds)
            #expect(jobs.find(second, of: AccountID(1))?.isOver == false)
        }
        bench.clock.advance(seconds: Limits.whatIfPatienceSeconds + 1)
        try await eventually("the second was told") { bench.told.count == 2 }
        await Self.stop(jobs)
    }

    @Test("Answers are kept for a limited time and in a limited number")
    func kept() async throws {
        let bench = Bench()
        bench.release()
        let jobs = bench.jobs()
        let number = try jobs.start(Self.question(1))
        try await eventually("it is over") { jobs.find(number, of: AccountID(1))?.isOver == true }
        bench.clock.advance(seconds: Limits.whatIfKeptSeconds)
        #expect(jobs.find(number, of: AccountID(1)) != nil)
        bench.clock.advance(seconds: Limits.whatIfKeptSeconds + 1)
        #expect(jobs.find(number, of: AccountID(1)) == nil)
        var numbers: [UInt64] = []
        for account in 1...(Limits.whatIfKeptMax / 2 + 2) {
            numbers.append(try jobs.start(Self.question(UInt128(account))))
            try await eventually("it is over") { jobs.find(numbers[account - 1], of: AccountID(UInt128(account)))?.isOver == true }
        }
        #expect(jobs.find(numbers[0], of: AccountID(1)) == nil && jobs.find(numbers[2], of: AccountID(3)) != nil)
        await Self.stop(jobs)
    }

    @Test("One account's many questions push out none of anybody else's answers, and leave that account its newest")
    func ownFirst() async throws {
        let bench = Bench()
        bench.release()
        let jobs = bench.jobs()
        func answered(_ account: UInt128) async throws -> UInt64 {
            let number = try jobs.start(Self.question(account))
            try await eventually("it is over") { jobs.find(number, of: AccountID(account))?.isOver == true }
            return number
        }
        var others: [(UInt128, UInt64)] = []
        for account in UInt128(2)...9 { others.append((account, try await answered(account))) }
        var newest: UInt64 = 0
        for _ in 0...Limits.whatIfKeptMax { newest = try await answered(1) }
        for (account, number) in others { #expect(jobs.find(number, of: AccountID(account)) != nil) }
        #expect(jobs.find(newest, of: AccountID(1)) != nil)
        await Self.stop(jobs)
    }

    @Test("An answer that is being read outlives newer ones that nobody reads")
    func read() async throws {
        let bench = Bench()
        bench.release()
        let jobs = bench.jobs()
        let number = try jobs.start(Self.question(1))
        for account in 2...(Limits.whatIfKeptMax / 2 + 2) {
            bench.clock.advance(seconds: 1)
            try await eventually("the first is over") { jobs.find(number, of: AccountID(1))?.isOver == true }
            let other = try jobs.start(Self.question(UInt128(account)))
            try await eventually("the other is over") { jobs.find(other, of: AccountID(UInt128(account)))?.isOver == true }
        }
        #expect(jobs.find(number, of: AccountID(1)) != nil)
        await Self.stop(jobs)
    }

    @Test("When the queue stops, every running question is told to stop, and no other begins")
    func stopped() async throws {
        let bench = Bench()
        let jobs = bench.jobs()
        for account in 1...3 { _ = try jobs.start(Self.question(UInt128(account))) }
        try await eventually("one has begun") { bench.begun.count == 1 }
        await Self.stop(jobs)
        #expect(bench.begun.count == 1 && bench.told.count == 1)
        #expect(throws: Problem.self) { try jobs.start(Self.question(9)) }
    }
}
