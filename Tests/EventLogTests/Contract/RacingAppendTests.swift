import EventLog
import Seeds
import SharedLogs
import Testing

/// Concurrent decisions: each racer reads, waits until all have read, and only then appends. Without the wait, most racers would run one
/// after the other, and the test would prove nothing.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct RacingAppendTests {
    static let racers = 24

    /// Runs one round. Given a racer's number, `query` returns the query that the racer reads, and `events` the events that it appends.
    private func race(
        _ log: EventLog, _ writer: LogWriter, query: @escaping @Sendable (Int) -> Query, events: @escaping @Sendable (Int) -> [NewEvent]
    ) async -> [Attempt] {
        let barrier = Barrier(Self.racers)
        return await withTaskGroup(of: Attempt?.self) { group in
            for racer in 0..<Self.racers {
                group.addTask {
                    let query = query(racer)
                    let read = try? log.read(query)
                    guard (try? await barrier.arrive()) != nil, let read else { return nil }
                    let condition = AppendCondition(failIfEventsMatch: query, after: read.head)
                    return await Attempt(condition: condition, events: events(racer), writer: writer)
                }
            }
            return await group.reduce(into: []) { if let attempt = $1 { $0.append(attempt) } }
        }
    }

    @Test("Of many appends that saw the same head, one succeeds", arguments: [1, 5, 10_000])
    func ofManyWhoReadTheSameHeadOneAppends(_ flush: Int) async throws {
        let log = try Sandbox().open(options: .tiny(flush: flush))
        let writer = LogWriter(log)
        for round in 1...25 as ClosedRange<UInt64> {
            let attempts = await race(log, writer) { _ in
                .tags(card(7))
            } events: {
                [event(.stamped, card(7), shop(UInt128($0)))]
            }
            let winners = attempts.filter { $0.error == nil }
            #expect(attempts.count == Self.racers && winners.count == 1, "round \(round)")
            for loser in attempts where loser.error != nil {
                #expect(loser.error?.conflict == AppendConflict(positions: [Position(round)], item: 0, canRetryHelp: true))
            }
            #expect(log.head == Position(round))
        }
        stop(writer)
    }

    @Test("Concurrent appends with unrelated conditions all succeed")
    func conditionsThatHaveNothingToDoWithOneAnotherAllHold() async throws {
        let log = try Sandbox().open(options: .tiny(flush: 50))
        let writer = LogWriter(log)
        for _ in 0..<15 {
            let attempts = await race(log, writer) {
                .tags(card(UInt128($0)))
            } events: {
                [event(.stamped, card(UInt128($0)))]
            }
            #expect(attempts.count == Self.racers && attempts.allSatisfy { $0.error == nil })
        }
        #expect(log.head == Position(UInt64(15 * Self.racers)))
        stop(writer)
    }

    /// Random conditions overlap in many ways. The resulting history must be one that sequential appends could have produced.
    @Test("Accepted concurrent appends could have happened one after the other", arguments: DurabilityKind.allCases)
    func whatWasAcceptedIsSerializable(_ kind: DurabilityKind) async throws {
        let generator = SeededRandom.announced("whatWasAcceptedIsSerializable"), seed = generator.seed
        var random = RandomHistory(generator: generator)
        let log = try Sandbox().open(options: kind.options(.tiny(flush: 9)))
        let writer = LogWriter(log)
        var attempts: [Attempt] = []
        for _ in 0..<40 {
            let queries = (0..<Self.racers).map { _ in random.query() }
            let batches = (0..<Self.racers).map { _ in random.events(random.generator.int(1...3)) }
            attempts += await race(log, writer) {
                queries[$0]
            } events: {
                batches[$0]
            }
        }
        stop(writer)
        let oracle = Oracle(events: try log.read(.all).events.map(\.event))
        #expect(attempts.count == 40 * Self.racers)
        for attempt in attempts { #expect(attempt.isRight(in: oracle), "seed \(seed): \(attempt)") }
        let accepted = attempts.compactMap(\.range).sorted { $0.lowerBound < $1.lowerBound }
        #expect(accepted.flatMap { Array($0.lowerBound.rawValue...$0.upperBound.rawValue) } == Array(1...log.head.rawValue))
        #expect(accepted.count > 40 && accepted.count < attempts.count, "seed \(seed): no appends conflicted")
    }

    /// Each racer counts up ten times. After a rejection it reads and decides again until it succeeds. No number may be missing or
    /// repeated.
    @Test("Concurrent counters that retry after conflicts lose and repeat no number")
    func readingAgainAndDecidingAnewCountsRight() async throws {
        let log = try Sandbox().open(options: .tiny(flush: 4))
        let writer = LogWriter(log)
        let barrier = Barrier(8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await barrier.arrive()
                    for _ in 0..<10 { try await count(up: log, writer) }
                }
            }
            try await group.waitForAll()
        }
        stop(writer)
        let counts = try log.read(.tags(card(1))).events.map(\.event.payload)
        #expect(counts == (1...80).map { [UInt8($0)] })
    }

    /// Reads the last number and appends the next one.
    private func count(up log: EventLog, _ writer: LogWriter) async throws {
        while true {
            let read = try log.read(.tags(card(1)), backwards: true, limit: 1)
            let next = (read.events.first?.event.payload.first ?? 0) + 1
            let condition = AppendCondition(failIfEventsMatch: .tags(card(1)), after: read.head)
            do throws(EventLogError) {
                try await writer.append([event(.stamped, card(1), payload: [next])], unless: condition)
                return
            } catch { #expect(error.conflict?.canRetryHelp == true) }
        }
    }

    /// Calls `stop` for an asynchronous test, which cannot call it directly.
    private func stop(_ writer: LogWriter) { writer.stop() }
}
