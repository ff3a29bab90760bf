import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Patience
import Projections
import ReadModels
import Seeds
import Synchronization
import Testing

/// The threads that let models follow the log: a failure stops only one model, and waits end.
@Suite(.timeLimit(.minutes(15))) struct RunnerTests {
    private let facts: [Fact]

    init() {
        var history = RandomHistory(random: SeededRandom.announced("runner"))
        history.grow(to: 200)
        facts = history.facts
    }

    /// Returns an event that the model of cards cannot apply and the model of ratings does not read.
    private func poison(_ round: Int) throws -> NewEvent {
        if round == 0 { return NewEvent(type: .cardStamped, time: Timestamp(microseconds: 1)) }
        let stray = CardStamped(
            card: CardID(1), code: CodeID(1), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(1), stamps: 1)
        return try LoyaltyCodec.encode(.cardStamped(stray), by: AccountID(1), at: Instant(microseconds: 1), mark: nil)
    }

    @Test("A poison event stops one model, which reports it and still serves its rows, and the others go on", arguments: 0..<2)
    func poisonEvent(_ round: Int) async throws {
        let open = try OpenData(TestData())
        #expect(try await open.append(facts))
        let good = open.log.head
        let bad = try open.appender.stage(try poison(round))
        try open.appender.commit()
        // The timeout is longer than the test's limit, so only the failure can end the wait.
        #expect(await open.models.runners[0].reached(bad, timeoutSeconds: 86_400) == false)
        #expect(await open.models.runners[1].reached(bad, timeoutSeconds: 600))
        let status = open.models.status
        let failure = try #require(status[0].failure)
        #expect(failure.code == .eventRefused)
        #expect(failure.position == bad)
        #expect(failure.eventType == "CardStamped")
        #expect(failure.description.contains("position \(bad)") && !failure.remedy.isEmpty)
        #expect(status[0].position == good)
        #expect(status[0].lag == 1)
        #expect(open.models.lag == 1)
        #expect(open.models.position == good)
        #expect(status[1].failure == nil && status[1].lag == 0)
        // The failed model of cards still serves its rows, and the model of ratings keeps following the log.
        let card = try #require(Oracle(facts).cards.values.first)
        #expect(try open.models.cards.card(card.id) == card)
        try open.appender.stage([try LoyaltyCodec.encode(facts[0].event, by: facts[0].actor, at: facts[0].time, mark: nil)])
        try open.appender.commit()
        #expect(await open.models.runners[1].reached(open.log.head, timeoutSeconds: 600))
        #expect(await open.models.reached(open.log.head, timeoutSeconds: 600) == false)
        try open.close()
    }

    @Test("A model with a full map stops, names the setting to raise, and continues with a larger map")
    func aFullModelNamesItsSetting() async throws {
        var history = RandomHistory(random: SeededRandom.announced("full"))
        history.grow(to: 3_000)
        let data = TestData()
        do {
            let open = try OpenData(data, map: MapLimit(bytes: 1 << 17, setting: "--model-map-gib"))
            #expect(try await open.append(history.facts) == false)
            let failures = open.models.status.compactMap(\.failure)
            #expect(!failures.isEmpty && failures.allSatisfy { $0.code == .storage && "\($0)".contains("larger --model-map-gib") })
            let maps = open.models.status.compactMap(\.map)
            #expect(maps.count == 8 && maps.allSatisfy { $0.limitBytes == 1 << 17 && $0.setting == "--model-map-gib" })
            #expect(maps.contains { $0.isNearlyFull })
            try open.close()
        }
        let open = try OpenData(data)
        #expect(await open.caughtUp())
        try open.close()
    }

    /// A disk whose room a test takes and gives back, and a follower that stores on it.
    private final class Disk: Sendable {
        let state = Mutex((isFull: true, refused: 0))
    }

    private struct Follower: ModelFollower {
        var position = Position.start
        let applied = 0
        let disk: Disk

        @available(*, noasync)
        mutating func advance(towards head: Position) throws(ReadModelError) {
            let isFull = disk.state.withLock { state in
                state.refused += state.isFull ? 1 : 0
                return state.isFull
            }
            if isFull { throw ReadModelError(.storage, model: "small", isOutOfSpace: true, causeRemedy: "Free space.", "no room") }
            position = head
        }

        mutating func settle() {}
    }

    @Test("A model that a full disk stopped tries again, and goes on by itself when there is room")
    func aFullDisk() async throws {
        let open = try OpenData(try TestData.with(facts))
        let disk = Disk()
        let waiting = WaitingModel(
            name: "small", position: .start, reason: nil, generation: Generation(schemaVersion: 1, number: 1),
            follower: { () throws(ReadModelError) -> any ModelFollower in Follower(disk: disk) }, close: {})
        let runner = ModelRunner(waiting, following: open.log)
        // The timeout is longer than the test's limit, so only the failure can end the wait.
        #expect(await runner.reached(open.log.head, timeoutSeconds: 86_400) == false)
        try await eventually("the model has tried again") { disk.state.withLock { $0.refused > 1 } }
        let stopped = runner.status
        let failure = try #require(stopped.failure, "it is stopped until a try succeeds")
        #expect(failure.remedy.contains("goes on by itself") && !failure.remedy.contains("start again"))
        disk.state.withLock { $0.isFull = false }
        try await eventually("the model goes on") { runner.failure == nil }
        #expect(runner.status.lag == 0)
        #expect(ModelNews.between([stopped], [runner.status]).contains { if case .goesOn("small") = $0 { true } else { false } })
        try open.log.append([facts[0]], with: open.appender)
        #expect(await runner.reached(open.log.head, timeoutSeconds: 600), "its signal wakes again")
        try runner.stop()
        try open.close()
    }

    /// Positions of irrelevant events are not stored at once.
    @Test("A model that an event stopped shows the same position after a restart")
    func stoppedPosition() async throws {
        let data = TestData()
        let (shown, bad) = try await stopped(in: data)
        let again = try OpenData(data)
        #expect(await again.models.runners[0].reached(bad, timeoutSeconds: 3_600) == false)
        #expect(again.models.runners[0].position == shown)
        try again.close()
    }

    /// - Returns: two positions. `shown` is the last position that the card model reached, at an event that does not concern it. `bad` is
    ///   the position of the event that stopped the model.
    private func stopped(in data: TestData) async throws -> (shown: Position, bad: Position) {
        let open = try OpenData(data)
        #expect(try await open.append(facts))
        try open.appender.stage([try LoyaltyCodec.encode(facts[0].event, by: facts[0].actor, at: facts[0].time, mark: nil)])
        try open.appender.commit()
        let shown = open.log.head
        #expect(await open.models.reached(shown, timeoutSeconds: 600))
        let bad = try open.appender.stage(try poison(1))
        try open.appender.commit()
        #expect(await open.models.runners[0].reached(bad, timeoutSeconds: 3_600) == false)
        try open.close()
        return (shown, bad)
    }

    @Test("A wait for a position ends at its timeout")
    func timeout() async throws {
        let open = try OpenData(TestData())
        #expect(try await open.append(facts))
        #expect(await open.models.reached(open.log.head, timeoutSeconds: 0))
        let start = ContinuousClock.now
        #expect(await open.models.reached(open.log.head.next, timeoutSeconds: 0.1) == false)
        let waited = ContinuousClock.now - start
        #expect(waited >= .milliseconds(90))
        try open.close()
    }

    @Test("A wait for a position ends when its task is cancelled")
    func cancelledTask() async throws {
        let open = try OpenData(TestData())
        let models = open.models
        let task = Task { await models.reached(Position(1), timeoutSeconds: 60) }
        task.cancel()
        #expect(try await task.valueInTime() == false)
        try open.close()
    }

    @Test("Models can be closed twice, and afterwards waits fail and queries still work")
    func closingMayBeRepeated() async throws {
        let open = try OpenData(TestData())
        #expect(try await open.append(facts))
        try open.models.close()
        try open.models.close()
        #expect(await open.models.reached(open.log.head.next, timeoutSeconds: 60) == false)
        #expect(try open.models.cards.cards(of: AccountID(1)).cards.isEmpty)
        try open.log.close()
    }

    @Test("A model does not fail if the log is closed before it")
    func logFirst() async throws {
        let open = try OpenData(TestData())
        #expect(try await open.append(facts))
        try open.log.close()
        #expect(open.models.status.allSatisfy { $0.failure == nil })
        try open.models.close()
    }

    @Test("A reader gets neither an error nor an older state than before while events arrive")
    func readersNeverGoBack() async throws {
        var history = RandomHistory(random: SeededRandom.announced("readers"), customers: 4)
        history.grow(to: 3_000)
        let open = try OpenData(TestData())
        let (models, customers) = (open.models, history.customers)
        let reader = Task.detached { () throws -> Int in
            var (last, reads) = ([AccountID: UInt64](), 0)
            while !Task.isCancelled {
                for customer in customers {
                    let newest = try models.cards.cards(of: customer, limit: 1_000).cards.flatMap(\.history).map(\.position).max() ?? 0
                    #expect(newest >= last[customer] ?? 0)
                    last[customer] = newest
                    reads += 1
                }
                await Task.yield()
            }
            return reads
        }
        for start in stride(from: 0, to: history.facts.count, by: 100) {
            try open.log.append(history.facts[start..<min(start + 100, history.facts.count)], with: open.appender)
        }
        #expect(await open.caughtUp())
        reader.cancel()
        #expect(try await reader.valueInTime() > 0)
        try open.close()
    }
}
