import EventLog
import Patience
import Testing

/// The events that a subscription delivers, and the ways in which it ends.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct SubscriptionTests {
    /// Appends events of the cards 0 to 6 in turn. Every tenth event is a closing.
    private func fill(_ log: EventLog, _ count: Int) throws {
        let appender = try log.appender()
        for number in 1...count { try appender.stage(event(number % 10 == 0 ? .closed : .stamped, card(UInt128(number % 7)))) }
        try appender.commit()
    }

    static let queries: [Query] = [
        .all, .types(.closed), .tags(card(3)), .tag(card(3), types: .closed),
        .items([QueryItem(types: [.closed]), QueryItem(tags: [card(1)])]),
    ]

    @Test("Stored events are delivered once and in order", arguments: queries.indices)
    func whatIsStoredComesOnceAndInOrder(_ number: Int) async throws {
        let query = Self.queries[number]
        let log = try Sandbox().open()
        try fill(log, 300)
        for after in [0, 1, 9, 10, 150, 298, 300] as [UInt64] {
            for pageEvents in [1, 2, 7, 256] {
                let expected = try log.read(query, after: Position(after)).events
                let subscription = try log.subscribe(to: query, after: Position(after), pageEvents: pageEvents)
                #expect(try await subscription.take(expected.count) == expected, "after \(after), pages of \(pageEvents)")
            }
        }
    }

    /// Matching events are so rare that many reads find no event. The subscription must not take such a read for the end of the log.
    @Test("A subscription continues after long stretches without a match")
    func longStretchesWithoutAMatchArePassed() async throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        for number in 1...70_000 { try appender.stage(event(number % 34_000 == 1 ? .closed : .stamped, card(1))) }
        try appender.commit()
        let subscription = try log.subscribe(to: .types(.closed))
        #expect(try await subscription.positions(3) == [1, 34_001, 68_001])
        try appender.stage(event(.closed))
        try appender.commit()
        #expect(try await subscription.positions(1) == [70_001])
    }

    @Test("Later commits follow the stored events")
    func whatIsCommittedLaterFollowsWhatWasStored() async throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        try appender.stage([event(.opened, card(1)), event(.opened, card(2)), event(.stamped, card(1))])
        try appender.commit()
        let subscription = try log.subscribe(to: .tags(card(1)))
        #expect(try await subscription.positions(2) == [1, 3])
        try appender.stage([event(.closed, card(2)), event(.closed, card(1))])
        async let next = subscription.positions(1)
        try appender.commit()
        #expect(try await next == [5])
    }

    @Test("A subscription continues after its loop was left")
    func leavingALoopEndsNothing() async throws {
        let log = try Sandbox().open()
        try fill(log, 50)
        let subscription = try log.subscribe(to: .types(.stamped), pageEvents: 8)
        var seen: [UInt64] = []
        for count in [1, 2, 7, 1, 0, 20, 14] {
            seen += try await subscription.positions(count)
            #expect(subscription.position == Position(seen.last ?? 0))
        }
        #expect(seen == (1...50).filter { $0 % 10 != 0 })
    }

    @Test("A subscription with an invalid query, page size or position is refused")
    func whatCannotBeFollowedIsRefused() throws {
        let log = try Sandbox().open()
        try fill(log, 3)
        for query in QueryCheckingTests.refused {
            let error = #expect(throws: EventLogError.self) { try log.subscribe(to: query) }
            #expect(error?.code == .invalidQuery)
        }
        for size in [-1, 0, LogLimits.subscriptionPageEventsMax + 1] {
            let error = #expect(throws: EventLogError.self) { try log.subscribe(pageEvents: size) }
            #expect(error?.code == .invalidQuery)
        }
        let error = #expect(throws: EventLogError.self) { try log.subscribe(after: Position(4)) }
        #expect(error?.code == .afterBeyondHead)
        #expect(log.subscriptions.isEmpty)
        try log.close()
        let closed = #expect(throws: EventLogError.self) { try log.subscribe() }
        #expect(closed?.code == .closed)
    }

    // MARK: - Ends of subscriptions

    @Test("Cancellation ends a subscription's wait")
    func cancellationEndsAWait() async throws {
        let log = try Sandbox().open()
        try fill(log, 3)
        let subscription = try log.subscribe(name: "waiting")
        let task = Task { try await subscription.take(4).count }
        _ = try await log.subscriptions { $0.first?.position == Position(3) }
        task.cancel()
        #expect(try await task.valueInTime() == 3)
        #expect(log.subscriptions.map(\.state) == [.ended])
        // The subscription stays ended.
        #expect(try await subscription.take(1).isEmpty)
    }

    /// Only three events of a page of ten are delivered. The other seven are dropped, and the subscription's position does not cover them.
    @Test("Cancellation within a page leaves the position after the last delivered event")
    func cancellationEndsAPageInTheMiddle() async throws {
        let log = try Sandbox().open()
        try fill(log, 20)
        let subscription = try log.subscribe(pageEvents: 10)
        let reader = Shared<Task<Int, any Error>?>(nil)
        let task = Task {
            var seen = 0
            for try await _ in subscription {
                seen += 1
                if seen == 3 { try await cancel(reader) }
            }
            return seen
        }
        reader.value = task
        #expect(try await task.valueInTime() == 3)
        #expect(subscription.position == Position(3))
        let next = try log.subscribe(after: subscription.position)
        #expect(try await next.positions(1) == [4])
    }

    @Test("Cancellation ends a search without matches")
    func cancellationEndsALongSearch() async throws {
        let log = try Sandbox().open()
        try fill(log, 200)
        let subscription = try log.subscribe(to: .types(.noted))
        let reader = Shared<Task<Int, any Error>?>(nil)
        let task = Task {
            try await cancel(reader)
            return try await subscription.take(1).count
        }
        reader.value = task
        #expect(try await task.valueInTime() == 0)
        #expect(subscription.position == .start)
        #expect(log.subscriptions.map(\.state) == [.ended])
    }

    /// Cancels the calling task as soon as `reader` holds it.
    private func cancel(_ reader: Shared<Task<Int, any Error>?>) async throws {
        try await eventually("the test holds the task") { reader.value != nil }
        reader.value?.cancel()
    }

    @Test("Closing the log ends its subscriptions and closes the files")
    func closingTheLogEndsItAndGivesTheFilesBack() async throws {
        let sandbox = try Sandbox()
        let waiting = try await closeUnderSubscribers(sandbox)
        #expect(waiting == [5, 0])
        // Opening fails if anything still keeps the folder open.
        let log = try sandbox.open()
        #expect(log.head == Position(5))
    }

    /// Closes a log while two subscriptions wait and a third has not been read yet. References to all three are held until after the
    /// closing.
    private func closeUnderSubscribers(_ sandbox: Sandbox) async throws -> [Int] {
        let log = try sandbox.open()
        try fill(log, 5)
        let (all, none) = (try log.subscribe(), try log.subscribe(to: .tags(card(77))))
        let unasked = try log.subscribe()
        async let first = all.take(9).count
        async let second = none.take(1).count
        _ = try await log.subscriptions { $0.prefix(2).allSatisfy { $0.position == Position(5) } }
        try log.close()
        let counts = try await [first, second]
        #expect(try await unasked.take(1).isEmpty)
        #expect(log.subscriptions.map(\.state) == [.ended, .ended, .ended])
        return counts
    }

    /// Even after the log has closed, the subscription delivers the page that it holds in memory.
    @Test("A subscription delivers its page after the log was closed")
    func closingLeavesThePageInHand() async throws {
        let log = try Sandbox().open()
        try fill(log, 9)
        let subscription = try log.subscribe(pageEvents: 4)
        var seen: [UInt64] = []
        for try await event in subscription {
            seen.append(event.position.rawValue)
            if seen.count == 2 { try log.close() }
        }
        #expect(seen == [1, 2, 3, 4] && subscription.position == Position(4))
    }
}
