import EventLog
import LMDB
import Patience
import Testing

/// The status of subscriptions, as an operator sees it.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct SubscriptionStatusTests {
    struct Broken: Error, CustomStringConvertible {
        var description: String { "the subscriber's disk is full" }
    }

    private func append(_ appender: Appender, _ events: NewEvent...) throws {
        try appender.stage(events)
        try appender.commit()
    }

    @Test("A subscription is listed while it lives")
    func eachIsListedWhileItLives() async throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        try append(appender, event(.opened), event(.stamped), event(.closed))
        #expect(log.subscriptions.isEmpty)
        var first: Subscription? = try log.subscribe(after: Position(1), name: "first")
        let second = try log.subscribe(name: "second")
        #expect(try await second.take(2).count == 2)
        #expect(
            log.subscriptions == [
                .init(name: "first", position: Position(1), lag: 2, state: .running),
                .init(name: "second", position: Position(2), lag: 1, state: .running),
            ])
        #expect(first != nil)
        first = nil
        #expect(log.subscriptions.map(\.name) == ["second"])
    }

    /// The subscription waits for an event that never comes. If each wait began at the last match, the subscription would lag forever and
    /// examine all later events again.
    @Test("A subscription examines events that do not match only once")
    func whatDoesNotMatchIsLeftBehindForGood() async throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        try append(appender, event(.closed, card(1)))
        for _ in 0..<40_000 { try appender.stage(event(.opened, card(2))) }
        try append(appender, event(.opened))
        for query in [Query.types(.closed), .tags(card(1))] {
            let subscription = try log.subscribe(to: query)
            let task = Task { try await subscription.take(3).count }
            let caughtUp = try await log.subscriptions { $0.first?.lag == 0 }
            #expect(caughtUp.map(\.position) == [log.head])
            try append(appender, event(.opened, card(2)))
            let again = try await log.subscriptions { $0.first?.lag == 0 }
            #expect(again.map(\.position) == [log.head] && again.map(\.state) == [.running])
            task.cancel()
            #expect(try await task.valueInTime() == 1)
        }
    }

    @Test("A subscription whose body threw is listed as failed")
    func aSubscriberThatFallsOverIsSeen() async throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        for _ in 1...5 { try append(appender, event(.opened)) }
        var subscription: Subscription? = try log.subscribe(name: "mailer")
        await #expect(throws: Broken.self) {
            try await subscription?.forEach { if $0.position == Position(3) { throw Broken() } }
        }
        let expected = SubscriptionStatus(
            name: "mailer", position: Position(3), lag: 2, state: .failed(reason: "the subscriber's disk is full"))
        #expect(log.subscriptions == [expected])
        // The subscription stays failed, and the list still shows its first reason.
        #expect(try await subscription?.take(1).isEmpty == true)
        try append(appender, event(.opened))
        #expect(log.subscriptions.map(\.lag) == [3] && log.subscriptions.map(\.state) == [expected.state])
        subscription = nil
        #expect(log.subscriptions.isEmpty)
    }

    @Test("A cancelled subscription is not listed as failed")
    func aSubscriberThatIsCancelledHasNotFallenOver() async throws {
        let log = try Sandbox().open()
        try append(log.appender(), event(.opened))
        let subscription = try log.subscribe()
        await #expect(throws: CancellationError.self) { try await subscription.forEach { _ in throw CancellationError() } }
        #expect(log.subscriptions.map(\.state) == [.ended])
        let other = try log.subscribe()
        let task = Task { try await other.forEach { _ in } }
        _ = try await log.subscriptions { $0.last?.lag == 0 }
        task.cancel()
        try await task.valueInTime()
        #expect(log.subscriptions.map(\.state) == [.ended, .ended])
    }

    /// An unreadable record makes the subscription fail once, at the record's position. After that the subscription has ended.
    @Test("An unreadable record ends the subscription at its position")
    func whatCannotBeReadFailsTheSubscription() async throws {
        let sandbox = try Sandbox()
        try sandbox.append((1...6).map { _ in event(.opened, card(1)) })
        try damage(sandbox, at: 4)
        let log = try sandbox.open()
        let subscription = try log.subscribe(pageEvents: 3)
        #expect(try await subscription.positions(3) == [1, 2, 3])
        let error = await #expect(throws: EventLogError.self) { try await subscription.take(1) }
        #expect(error?.code == .damaged && error?.position == Position(4))
        #expect(log.subscriptions.map(\.state) == [.failed(reason: "\(try #require(error))")])
        #expect(log.subscriptions.map(\.position) == [Position(3)])
        #expect(try await subscription.take(1).isEmpty)
    }

    private func damage(_ sandbox: Sandbox, at position: UInt64) throws {
        let environment = try Environment(directory: sandbox.log, access: .readWrite)
        let (events, bytes) = (try environment.table("events", .integer), [UInt8](repeating: 9, count: 3))
        var transaction = try environment.write()
        try transaction.put(events, position, bytes.span)
        try transaction.commit()
    }
}
