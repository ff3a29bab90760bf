import EventLog
import Foundation
import Patience
import Seeds
import Testing

/// Subscriptions concurrent with a writer: no event is missing or repeated, and neither side blocks the other.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct SubscriptionRacingTests {
    /// A tag that marks the end of a history for its subscribers.
    static let last = card(424_242)

    private func commit(_ events: [NewEvent], _ appender: Appender) throws {
        try appender.stage(events)
        try appender.commit()
    }

    /// Adds an item for the last event of the history to a query, so that each subscriber knows when it has seen everything.
    private func endingWithTheLast(_ query: Query) -> Query {
        guard case .items(let items) = query else { return query }
        return .items(items + [QueryItem(tags: [Self.last])])
    }

    private func follow(_ subscription: Subscription) async throws -> [UInt64] {
        var seen: [UInt64] = []
        for try await event in subscription {
            seen.append(event.position.rawValue)
            if event.event.tags.contains(Self.last) { break }
        }
        return seen
    }

    @Test("A subscription that begins during appends misses no event")
    func whoeverBeginsWheneverMissesNothing() async throws {
        let generator = SeededRandom.announced("whoeverBeginsWheneverMissesNothing"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let log = try Sandbox().open(options: .tiny(flush: 40))
        let appender = try log.appender()
        var (oracle, asked) = (Oracle(), [(Query, UInt64, Task<[UInt64], any Error>)]())
        for round in 0..<400 {
            let batch = history.events(history.generator.int(1...6))
            try commit(batch, appender)
            oracle.events += batch
            if round % 10 == 0 {
                let (query, after) = (endingWithTheLast(history.query()), UInt64(history.generator.int(0...oracle.events.count)))
                let size = history.generator.pick([1, 3, 16, 256])
                let subscription = try log.subscribe(to: query, after: Position(after), pageEvents: size)
                asked.append((query, after, Task { try await follow(subscription) }))
            }
            if round % 3 == 0 { await Task.yield() }
        }
        try commit([event(.noted, Self.last)], appender)
        oracle.events.append(event(.noted, Self.last))
        for (query, after, task) in asked {
            let expected = oracle.positions(query, after: after, through: .max, backwards: false, limit: .max).map(\.rawValue)
            #expect(try await task.valueInTime() == expected, "seed \(seed): \(query) after \(after)")
        }
    }

    /// Each commit races with the subscriber, which reads the head and then begins to wait. If a wake-up is lost between the two, the test
    /// hangs.
    @Test("No commit is missed between a subscription's read and its wait")
    func noWakeIsLost() async throws {
        let log = try Sandbox().open()
        let rounds = 3_000 as UInt64
        let seen = HeadSignal()
        let writer = Thread {
            guard let appender = try? log.appender() else { return }
            for number in 1...rounds {
                // Waits until the subscriber has received the previous event. By then the subscriber may already wait for the next event,
                // or not yet.
                if number > 1, seen.wait(beyond: Position(number - 2), timeoutSeconds: 900) < Position(number - 1) { return }
                _ = try? appender.stage(event(.opened))
                _ = try? appender.commit()
            }
        }
        writer.start()
        var count: UInt64 = 0
        for try await event in try log.subscribe() {
            count += 1
            #expect(event.position == Position(count))
            seen.publish(Position(count))
            if count == rounds { break }
        }
        #expect(count == rounds)
    }

    @Test("A slow subscriber delays no other")
    func aSlowSubscriberHoldsNobodyUp() async throws {
        let log = try Sandbox().open(options: .tiny(flush: 100))
        let appender = try log.appender()
        try commit([event(.opened)], appender)
        let (slow, quick) = (try log.subscribe(pageEvents: 4, name: "slow"), try log.subscribe(name: "quick"))
        var seen = try await slow.positions(1)
        // While one subscriber handles the first event, thousands of events are appended, and another subscriber receives them all.
        for _ in 0..<100 { try commit(Array(repeating: event(.stamped), count: 50), appender) }
        #expect(try await quick.take(5_001).count == 5_001)
        #expect(log.subscriptions.map(\.lag) == [5_000, 0])
        seen += try await slow.positions(5_000)
        #expect(seen == Array(1...5_001))
    }

    @Test("A thousand subscriptions each get their events")
    func aThousandFollowAtOnce() async throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        let cards = 50
        try await withThrowingTaskGroup(of: (Int, [UInt64]).self) { group in
            for number in 0..<1_000 {
                let query = Query.items([QueryItem(tags: [card(UInt128(number % cards))]), QueryItem(tags: [Self.last])])
                let subscription = try log.subscribe(to: query, pageEvents: 5, name: "\(number)")
                group.addTask { (number % cards, try await follow(subscription)) }
            }
            #expect(log.subscriptions.count == 1_000)
            for round in 0..<20 {
                try commit((0..<cards).map { event(.stamped, card(UInt128($0))) }, appender)
                // In some rounds all subscribers wait for new events, and in the others they must catch up with several commits.
                if round % 5 == 0 { try await eventually("all subscribers wait") { log.headSignal.waiterCount == 1_000 } }
            }
            try commit([event(.closed, Self.last)], appender)
            for try await (number, seen) in group {
                let expected = (0..<20).map { UInt64($0 * cards + number + 1) } + [UInt64(20 * cards + 1)]
                #expect(seen == expected)
            }
        }
        #expect(log.subscriptions.isEmpty)
    }

    /// Commits of another process send no signal to this process, so the subscription checks a read-only log regularly.
    @Test("A subscription follows another process's commits")
    func aLogOpenedForReadingIsFollowedToo() async throws {
        let sandbox = try Sandbox()
        let log = try sandbox.open()
        let appender = try log.appender()
        try commit([event(.opened, card(1)), event(.opened, card(2))], appender)
        let child = try ChildProcess.start("childFollows", ["GREENTEA_CHILD_FOLLOWS": sandbox.path])
        try await eventually("the child follows the log") { try !said(sandbox).isEmpty || !child.isRunning }
        // The child has received the event at position 1, and waits or is about to wait.
        for count in 2...6 {
            try commit([event(.stamped, card(1)), event(.stamped, card(2))], appender)
            try await eventually("the child has the event") { try said(sandbox).split(separator: " ").count == count || !child.isRunning }
        }
        try commit([event(.closed, Self.last)], appender)
        await child.ended()
        #expect(try said(sandbox) == "1 3 5 7 9 11 13")
    }

    private func said(_ sandbox: Sandbox) throws -> String {
        (try? String(contentsOfFile: sandbox.path + "/said", encoding: .utf8)) ?? ""
    }

    @Test(.enabled(if: ChildProcess.environment["GREENTEA_CHILD_FOLLOWS"] != nil)) func childFollows() async throws {
        let sandbox = Sandbox(path: try #require(ChildProcess.environment["GREENTEA_CHILD_FOLLOWS"]))
        let log = try sandbox.open(.readOnly)
        var seen: [String] = []
        for try await event in try log.subscribe(to: endingWithTheLast(.tags(card(1)))) {
            seen.append(event.position.description)
            try seen.joined(separator: " ").write(toFile: sandbox.path + "/said", atomically: true, encoding: .utf8)
            if event.event.tags.contains(Self.last) { break }
        }
    }
}
