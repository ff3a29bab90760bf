internal import Synchronization

/// The events of a log that match a query, from a position on and without end; see
/// ``EventLog/EventLog/subscribe(to:after:pageEvents:name:)``.
///
/// Only one task at a time may iterate over a subscription. If that task is cancelled, the subscription ends at once, without an error. If
/// the log is closed, the subscription ends after its current page, also without an error. ``position`` never passes a matching event that
/// was not delivered. After a failed read, the subscription throws that error once. An ended subscription releases the log, so that it
/// keeps no files open.
///
/// Leaving a loop by `break` does not end the subscription: the next loop continues after the last event that was delivered.
///
/// A running subscription keeps the log open, like any other reference to the log.
///
/// Both while catching up and at the head, a subscription is a loop of reads up to the head: the subscriber pulls, and nothing is pushed.
public final class Subscription: Sendable {
    let query: Query
    let pageEvents: Int
    let progress: SubscriptionProgress
    private let followers: SubscriptionList
    private let number: UInt64
    private let followed: Mutex<EventLog?>

    init(to log: EventLog, _ query: Query, after: Position, pageEvents: Int, name: String) {
        self.query = query
        self.pageEvents = pageEvents
        progress = SubscriptionProgress(name: name, position: after)
        followers = log.followers
        number = followers.add(progress)
        followed = Mutex(log)
    }

    deinit { followers.remove(number) }

    /// Every event through this position was delivered or does not match. Once the subscriber has processed the delivered events, a later
    /// subscription can resume after this position.
    public var position: Position { progress.position }

    /// The log that the subscription reads; nil after the subscription has ended.
    var log: EventLog? { followed.withLock { $0 } }

    /// Calls `body` with each event until there are no more. If `body` throws, the subscription ends, and
    /// ``EventLog/EventLog/subscriptions`` shows the error, unless it is a `CancellationError`.
    ///
    /// An error in the body of a plain `for await` loop is not recorded: ``EventLog/EventLog/subscriptions`` then shows a running
    /// subscription that lags.
    ///
    /// - Throws: errors of `body`, ``EventLogError``.
    public func forEach(_ body: (SequencedEvent) async throws -> Void) async throws {
        do {
            for try await event in self { try await body(event) }
        } catch is CancellationError {
            finish(.ended)
            throw CancellationError()
        } catch {
            finish(.failed(reason: "\(error)"))
            throw error
        }
    }

    /// Ends the subscription, unless it has ended, and releases the log.
    func finish(_ state: SubscriptionStatus.State) {
        progress.finish(state)
        // This may be the last reference to the log, and closing a log takes a while. So the reference is released outside the lock.
        let released = followed.withLock { log in
            defer { log = nil }
            return log
        }
        _ = released
    }
}

extension Subscription: AsyncSequence {
    /// Each element is one event.
    public typealias Element = SequencedEvent
    /// The error of a failed read.
    public typealias Failure = EventLogError

    /// One iteration over the events of a subscription. It holds the current page of events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: Subscription
        private var page: ReadResult
        /// The index of the next event within the page.
        private var index = 0

        init(_ subscription: Subscription) {
            self.subscription = subscription
            page = ReadResult(events: [], head: subscription.position)
        }

        /// Waits for the next matching event. Nil if the task was cancelled, the log was closed, or the subscription has ended.
        ///
        /// - Throws: the error of a failed read, once.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(EventLogError) -> SequencedEvent? {
            // The cancellation is checked for each event, so that a subscriber that is slow to process a page also ends promptly.
            if Task.isCancelled {
                subscription.finish(.ended)
                return nil
            }
            if index == page.events.count {
                guard let next = try await subscription.nextPage(after: page.head) else { return nil }
                (page, index) = (next, 0)
            }
            let event = page.events[index]
            index += 1
            subscription.progress.position = event.position
            return event
        }
    }

    /// Begins an iteration after the last event delivered.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension Subscription {
    /// Waits for the next events after a position. Returns them with the position through which the read has examined the log; nil if there
    /// will be no more events.
    ///
    /// This is the only loop of a subscription, both while catching up and at the head: it reads up to the head and, if nothing is left,
    /// waits for the next commit. A commit between the read of the head and the wait ends the wait at once.
    ///
    /// It runs on no actor, so that a read does not block the subscriber's actor.
    @concurrent
    func nextPage(after position: Position) async throws(EventLogError) -> ReadResult? {
        var position = position
        // No event between the last delivered event and this position matches.
        progress.position = position
        while let log, !log.headSignal.isClosed, !Task.isCancelled {
            let head = log.head
            if head > position {
                let page = try readOrFail(log, after: position, head: head)
                if !page.events.isEmpty { return page }
                // Continue after the last examined position, not after the last match, so that no event is examined twice.
                position = page.head
                progress.position = position
                await Task.yield()
            } else {
                await wait(for: position.next, on: log)
            }
        }
        finish(.ended)
        return nil
    }

    /// Reads the next matching events up to the head: at most one page, and from at most ``LogLimits/subscriptionReadPositions`` positions,
    /// so that the task does not occupy its thread for long.
    private func readOrFail(_ log: EventLog, after position: Position, head: Position) throws(EventLogError) -> ReadResult {
        let through = Position(Swift.min(head.rawValue, position.rawValue + LogLimits.subscriptionReadPositions))
        do throws(EventLogError) {
            let events = try log.events(matching: query, after: position, through: through, backwards: false, limit: pageEvents)
            // If the page is full, it may lack later matches, so the read covers only the positions up to the page's last event.
            let reached = events.count == pageEvents ? events.last?.position : nil
            return ReadResult(events: events, head: reached ?? through)
        } catch {
            finish(.failed(reason: "\(error)"))
            throw error
        }
    }

    private func wait(for position: Position, on log: EventLog) async {
        let patience = log.index == nil ? LogLimits.subscriptionPollSeconds : LogLimits.waitSecondsMax
        // The result is ignored, because the loop in `nextPage` checks the state again however the wait has ended.
        _ = try? await log.headSignal.reached(position, timeoutSeconds: patience)
    }
}

/// The progress of one subscription, readable from any thread while its subscriber continues.
final class SubscriptionProgress: Sendable {
    let name: String
    private let reached: Atomic<UInt64>
    private let state = Mutex(SubscriptionStatus.State.running)

    init(name: String, position: Position) {
        self.name = name
        reached = Atomic(position.rawValue)
    }

    /// Every event through this position was delivered or does not match.
    var position: Position {
        get { Position(reached.load(ordering: .acquiring)) }
        set { reached.store(newValue.rawValue, ordering: .releasing) }
    }

    /// Ends the subscription, unless it has ended. The reason of the first call is kept.
    func finish(_ final: SubscriptionStatus.State) {
        state.withLock { state in
            if state == .running { state = final }
        }
    }

    func status(head: Position) -> SubscriptionStatus {
        // The position is read once, because the subscriber may meanwhile advance it, even beyond `head`, which was read earlier.
        let position = position
        let lag = head > position ? head.rawValue - position.rawValue : 0
        return SubscriptionStatus(name: name, position: position, lag: lag, state: state.withLock { $0 })
    }
}

/// The position and state of a subscription, so that an operator can see why a follower of the log has stopped.
public struct SubscriptionStatus: Hashable, Sendable {
    /// The state of a subscription.
    public enum State: Hashable, Sendable {
        /// The subscription delivers events, or waits for them or for its subscriber. A stalled subscriber can be recognized only by the
        /// ``lag``.
        case running
        /// The task was cancelled or the log closed. There are no further events.
        case ended
        /// A read or the subscriber failed. The reason is for the operator only, because it may contain paths of files.
        case failed(reason: String)
    }

    /// The name that the subscriber gave. Several subscriptions may share one name.
    public let name: String
    /// Every event through this position was delivered or does not match.
    public let position: Position
    /// The number of events in the log after ``position``, whether or not they match.
    public let lag: UInt64
    /// The subscription's current state.
    public let state: State

    /// Creates a status. It is public so that code that shows it can be tested without a log.
    public init(name: String, position: Position, lag: UInt64, state: State) {
        self.name = name
        self.position = position
        self.lag = lag
        self.state = state
    }
}
