internal import Synchronization

extension EventLog {
    /// Every matching event after a position: first the stored ones, then each new one as it is committed. Each event is delivered once and
    /// in order.
    ///
    /// Old and new events are found in the same way, by reads up to the head, so there is no switch at which an event could be lost or
    /// repeated. A subscriber that stores the position of the last event together with its own result, and resumes after that position,
    /// processes each event exactly once.
    ///
    /// The subscriber pulls: a slow subscriber delays neither the writer nor other subscribers, and memory holds one page of events for
    /// each subscriber.
    ///
    /// If the log is open for reading only, the subscription follows the commits of another process. They send no signal to this process,
    /// so it checks the file ten times a second.
    ///
    /// - Parameters:
    ///   - query: the events to find. If the query is ``Query/all`` or has an item without tags, every event is read, but only once.
    ///   - after: the exclusive lower bound; at most ``head``.
    ///   - pageEvents: the number of events to hold in memory, 1 to ``LogLimits/subscriptionPageEventsMax``.
    ///   - name: the name in ``subscriptions``.
    /// - Throws: ``EventLogError/Code-swift.struct/invalidQuery``, also for a page size out of bounds;
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

    /// The status of each subscription, in the order of creation.
    ///
    /// A subscription that has ended or failed is listed until it is released: keep a reference to the subscription to see here why it
    /// ended.
    public var subscriptions: [SubscriptionStatus] { followers.statuses(head: head) }
}

/// The subscriptions of a log, each listed from its creation until it is released.
///
/// The list holds only the progress of each subscription, and no reference to a subscription or a log.
final class SubscriptionList: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var followers: [UInt64: SubscriptionProgress] = [:]
    }

    private let state = Mutex(State())

    /// Adds a subscription.
    ///
    /// - Returns: the number to pass to ``remove(_:)``.
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

    /// The status of each subscription, with its distance to the head, in the order of creation.
    func statuses(head: Position) -> [SubscriptionStatus] {
        let followers = state.withLock { $0.followers }
        return followers.sorted { $0.key < $1.key }.map { $0.value.status(head: head) }
    }
}
