internal import Synchronization

extension EventLog {
    /// Every event that matches behind a position, those stored already and then each new one as it is committed, once and in order.
    ///
    /// What is old and what is new come by the same way, a read up to the head, so there is no moment of changing over at which an
    /// event could be lost or come twice. Whoever stores the position of the last event together with what it made of it, and begins
    /// behind that the next time, has worked on each event exactly once.
    ///
    /// The subscriber asks, nobody pushes: a slow one holds up neither the writer nor other subscribers, and one page of events is
    /// all that ever stands in memory for it.
    ///
    /// A log opened for reading only follows another process's commits. Nothing wakes it, so it looks at the file ten times a second.
    ///
    /// - Parameters:
    ///   - query: what to look for. One that names no tag in some item has to look at every event, once.
    ///   - after: exclusive; at most ``head``.
    ///   - pageEvents: how many events to hold in memory, 1 to ``LogLimits/subscriptionPageEventsMax``.
    ///   - name: what to call it in ``subscriptions``.
    /// - Throws: ``EventLogError/Code-swift.struct/invalidQuery``, also for a size of pages that is out of bounds;
    ///   ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/closed``.
    public func subscribe(
        to query: Query = .all, after: Position = .start, pageEvents: Int = LogLimits.subscriptionPageEvents, name: String = "subscription"
    ) throws(EventLogError) -> Subscription {
        if headSignal.isClosed { throw EventLogError(.closed, "no subscription to a closed log.") }
        try query.check(by: schema)
        guard (1...LogLimits.subscriptionPageEventsMax).contains(pageEvents) else {
            throw EventLogError(.invalidQuery, "pages of \(pageEvents) events, at most \(LogLimits.subscriptionPageEventsMax).")
        }
        try PositionRange.check(after: after, head: head)
        return Subscription(to: self, query, after: after, pageEvents: pageEvents, name: name)
    }

    /// How far each subscription has come, in the order in which they were made.
    ///
    /// One that ended or failed is listed until its ``Subscription`` is released: keep it to see why it fell over.
    public var subscriptions: [SubscriptionStatus] { followers.statuses(head: head) }
}

/// The subscriptions of a log, each listed from its making until it is released.
///
/// The list keeps no subscription and no log alive, only how far each has come.
final class SubscriptionList: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var followers: [UInt64: SubscriptionProgress] = [:]
    }

    private let state = Mutex(State())

    /// - Returns: the number to ``remove(_:)`` it by.
    func add(_ progress: SubscriptionProgress) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.followers[state.lastNumber] = progress
            return state.lastNumber
        }
    }

    func remove(_ number: UInt64) {
        _ = state.withLock { $0.followers.removeValue(forKey: number) }
    }

    /// How each stands to a head, in the order in which they were made.
    func statuses(head: Position) -> [SubscriptionStatus] {
        let followers = state.withLock { $0.followers }
        return followers.sorted { $0.key < $1.key }.map { $0.value.status(head: head) }
    }
}
