internal import Synchronization

extension EventLog {
    /// Every matching event after a position: stored ones, then each new one as it is committed, once and in order.
    ///
    /// Both are found by the same reads up to the head, so nothing is lost or repeated between them. A subscriber that stores the position
    /// with its own result, and resumes after it, processes each event exactly once. The subscriber pulls: a slow one delays nobody, and
    /// memory holds one page each. In a log that is open for reading only, another process's commits are found by ten checks a second.
    ///
    /// - Parameters:
    ///   - query: the events to find. ``Query/all``, or an item without tags, reads every event once.
    ///   - after: exclusive; at most ``head``.
    ///   - pageEvents: the events to hold in memory, 1 to ``LogLimits/subscriptionPageEventsMax``.
    ///   - name: the name in ``subscriptions``.
    /// - Throws: ``EventLogError`` `.invalidQuery`, also for a page size out of bounds; `.afterBeyondHead`, `.closed`.
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

    /// The status of each subscription, in the order of creation, until it is released: keep one to see here why it ended.
    public var subscriptions: [SubscriptionStatus] { followers.statuses(head: head) }
}

/// The progress of a log's subscriptions, without a reference to them or to the log.
final class SubscriptionList: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var followers: [UInt64: SubscriptionProgress] = [:]
    }

    private let state = Mutex(State())

    /// Returns the number for ``remove(_:)``.
    func add(_ progress: SubscriptionProgress) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.followers[state.lastNumber] = progress
            return state.lastNumber
        }
    }

    func remove(_ number: UInt64) { _ = state.withLock { $0.followers.removeValue(forKey: number) } }

    func statuses(head: Position) -> [SubscriptionStatus] {
        let followers = state.withLock { $0.followers }
        return followers.sorted { $0.key < $1.key }.map { $0.value.status(head: head) }
    }
}
