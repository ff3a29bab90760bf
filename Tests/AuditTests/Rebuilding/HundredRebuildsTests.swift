import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Patience
import Projections
import ReadModels
import Seeds
import Synchronization
import Testing

@testable import Audit

/// Rebuilds every model a hundred times while events arrive, builders are killed at random, and generations are switched and rolled
/// back.
@Suite(.timeLimit(.minutes(15))) struct HundredRebuildsTests {
    private static let rebuilds = 100
    private static let ended = ReadModelError(.storage, model: "", "ended by a test")

    /// State shared by the test's threads.
    private final class Course: Sendable {
        let random: Mutex<SeededRandom>
        /// The number of successful rebuilds of the model that has the fewest.
        let done = Atomic(0)
        let isOver = Atomic(false)

        init(_ random: SeededRandom) { self.random = Mutex(random) }

        /// Returns true with a probability of one in `count`.
        func happens(oneIn count: Int) -> Bool { random.withLock { Int.random(in: 0..<count, using: &$0) == 0 } }
    }

    /// The number of times that each situation occurred. A run must cover all of these situations, or the test proves too little.
    fileprivate struct Tally {
        var built: [String: Int] = [:]
        var ended = 0
        var resumed = 0
        var wentBack = 0
    }

    @Test("During a hundred rebuilds of every model, some cut short or rolled back, no read fails or goes back")
    func duringRebuilds() async throws {
        var history = RandomHistory(random: SeededRandom.announced("hundred"), customers: 6)
        history.grow(to: 800)
        let (facts, customers) = (history.facts, history.customers)
        let beside = try Beside()
        try beside.append(facts.prefix(100))
        let course = Course(SeededRandom.announced("course"))
        let writer = Self.onThread { try Self.write(facts.dropFirst(100), beside, course) }
        let readers = (0..<2).map { _ in Self.onThread { try Self.read(facts, customers, beside, course) } }
        let tally = await Self.rebuildAll(beside, course)
        course.isOver.store(true, ordering: .releasing)
        try await writer.valueInTime()
        for reader in readers { #expect(try await reader.valueInTime() > 100) }
        #expect(tally.built.count == ReadModels.models.count && tally.built.values.allSatisfy { $0 >= Self.rebuilds })
        #expect(tally.ended > 20 && tally.resumed > 5 && tally.wentBack > 5, "\(tally)")
        #expect(await beside.models.reached(beside.log.head, timeoutSeconds: 600))
        try beside.close()
        try beside.expectDigests()
    }

    /// Runs blocking work outside the cooperative thread pool.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) -> Task<Value, any Error> {
        Task {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
            }
        }
    }

    private static func rebuildAll(_ beside: Beside, _ course: Course) async -> Tally {
        var tally = Tally()
        while course.done.load(ordering: .acquiring) < rebuilds, !Task.isCancelled {
            let results = await beside.rebuild { (_, _) throws(ReadModelError) in
                if course.happens(oneIn: 40) { throw Self.ended }
            }
            for (model, result) in zip(ReadModels.models, results) {
                tally.count(result, of: model.name)
                if case .success = result, course.happens(oneIn: 10) { await goBack(model, beside, &tally) }
            }
            course.done.store(ReadModels.names.map { tally.built[$0] ?? 0 }.min() ?? 0, ordering: .releasing)
        }
        return tally
    }

    private static func goBack(_ model: any Projection.Type, _ beside: Beside, _ tally: inout Tally) async {
        let results = await beside.rebuild(.rollBack, [model])
        #expect(throws: Never.self) { try results[0].get() }
        tally.wentBack += 1
    }

    /// Appends one or two events at a time, at the rate at which rebuilds complete. Appends all remaining events when the rebuilds are
    /// over.
    private static func write(_ facts: ArraySlice<Fact>, _ beside: Beside, _ course: Course) throws {
        var rest = facts
        while !rest.isEmpty {
            let isOver = course.isOver.load(ordering: .acquiring)
            let due = facts.count * (course.done.load(ordering: .acquiring) + 1) / rebuilds
            if !isOver { Thread.sleep(forTimeInterval: 0.005) }
            let count = isOver ? rest.count : min(2, due - (facts.count - rest.count), rest.count)
            guard count > 0 else { continue }
            try beside.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    /// Reads cards and positions every two milliseconds until the rebuilds are over.
    ///
    /// - Returns: the number of reads.
    private static func read(_ facts: [Fact], _ customers: [AccountID], _ beside: Beside, _ course: Course) throws -> Int {
        let stamps = Self.stamps(facts)
        var (reads, last) = (0, [String: Position]())
        while !course.isOver.load(ordering: .acquiring) {
            Thread.sleep(forTimeInterval: 0.002)
            for status in beside.models.status {
                try #require(status.failure == nil && status.position >= last[status.name] ?? .start, "\(status)")
                last[status.name] = status.position
            }
            let seen = beside.models.runners[0].position
            for customer in customers {
                let cards = try beside.models.cards.cards(of: customer, limit: 1_000).cards
                let newest = cards.flatMap(\.history).map(\.position).max() ?? 0
                let expected = stamps[customer]?.last { $0 <= seen.rawValue } ?? 0
                try #require(newest >= expected, "a card of \(customer.text) went back behind \(seen)")
                _ = try beside.models.notices.notices(of: customer, before: nil, limit: 10)
                reads += 1
            }
        }
        return reads
    }

    /// Returns the positions of each customer's stamps, in ascending order.
    private static func stamps(_ facts: [Fact]) -> [AccountID: [UInt64]] {
        facts.reduce(into: [:]) { stamps, fact in
            if case .cardStamped(let stamp) = fact.event { stamps[stamp.holder, default: []].append(fact.position) }
        }
    }
}

extension HundredRebuildsTests.Tally {
    fileprivate mutating func count(_ result: Result<RebuildOutcome, ReadModelError>, of model: String) {
        switch result {
        case .success(let outcome):
            built[model, default: 0] += 1
            if outcome.resumedAt > .start { resumed += 1 }
        case .failure(let error):
            #expect(error.detail == "ended by a test", "\(error)")
            ended += 1
        }
    }
}
