internal import Synchronization

/// The events of a log that match a query, from a position on and without end: see
/// ``EventLog/EventLog/subscribe(to:after:pageEvents:name:)``.
///
/// One task at a time loops over it. It ends without an error when that task is cancelled, at once, and when the log is closed, after the
/// page that it holds; ``position`` covers only events that were handed out. It fails, once, with the error of a read. After its end it
/// releases the log, so that it keeps no files open.
///
/// Leaving a loop by `break` does not end it: the next loop continues after the last event that was handed out.
///
/// While it runs it keeps the log open, like any reference to it.
///
/// A subscription is a loop of reads up to the head, whether it catches up or is live: the subscriber pulls, and nothing is pushed.
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

    /// Every event through here was handed out or does not match: what to begin behind another time, once they are worked off.
    public var position: Position { progress.position }

    /// The log that it reads; nil after its end.
    var log: EventLog? { followed.withLock { $0 } }

    /// Calls `body` with each event until there are no more. ``EventLog/EventLog/subscriptions`` shows the errors that it throws.
    ///
    /// A plain loop can fail too, but its error is not recorded: the list then shows a subscription that merely lags.
    ///
    /// - Throws: what `body` throws, ``EventLogError``.
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

    /// Ends it, unless it has ended, and gives the log back.
    func finish(_ state: SubscriptionStatus.State) {
        progress.finish(state)
        // The last reference may go with it, and closing a log takes a while: not under the lock.
        let released = followed.withLock { log in
            defer { log = nil }
            return log
        }
        _ = released
    }
}

extension Subscription: AsyncSequence {
    /// Event by event.
    public typealias Element = SequencedEvent
    /// The error of a read.
    public typealias Failure = EventLogError

    /// One walk along the events of a subscription. It holds the page that it is in.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: Subscription
        private var page: ReadResult
        /// Which event of the page comes next.
        private var index = 0

        init(_ subscription: Subscription) {
            self.subscription = subscription
            page = ReadResult(events: [], head: subscription.position)
        }

        /// The next event that matches; waits for it. Nil when the task was cancelled or the log closed.
        ///
        /// - Throws: what a read throws, once.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(EventLogError) -> SequencedEvent? {
            // Asked for each event, so that a subscriber who is slow with a page ends promptly too.
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

    /// A walk that begins behind the last event handed out.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension Subscription {
    /// The next events behind a position, and how far they go; waits for them. Nil when there will be no more.
    ///
    /// The one loop of a subscription, whether it catches up or is at the head: read up to the head, and when there is nothing left, wait
    /// until there is. What is committed between the look at the head and the wait ends the wait at once.
    ///
    /// It runs on no actor, so that one that subscribes is not held up by a read.
    @concurrent
    func nextPage(after position: Position) async throws(EventLogError) -> ReadResult? {
        var position = position
        // The events between the last one handed out and here do not match.
        progress.position = position
        while let log, !log.headSignal.isClosed, !Task.isCancelled {
            let head = log.head
            if head > position {
                let page = try readOrFail(log, after: position, head: head)
                if !page.events.isEmpty { return page }
                // From here on and not from the last match: what did not match once is never looked at again.
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

    /// A short read: events through the head, as far as a page and the patience of other tasks go.
    private func readOrFail(_ log: EventLog, after position: Position, head: Position) throws(EventLogError) -> ReadResult {
        let through = Position(Swift.min(head.rawValue, position.rawValue + LogLimits.subscriptionReadPositions))
        do throws(EventLogError) {
            let events = try log.events(matching: query, after: position, through: through, backwards: false, limit: pageEvents)
            // A full page may have left matches out.
            let reached = events.count == pageEvents ? events.last?.position : nil
            return ReadResult(events: events, head: reached ?? through)
        } catch {
            finish(.failed(reason: "\(error)"))
            throw error
        }
    }

    private func wait(for position: Position, on log: EventLog) async {
        let patience = log.index == nil ? LogLimits.subscriptionPollSeconds : LogLimits.waitSecondsMax
        // Reached, timed out, closed or cancelled: the loop looks for itself.
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

    /// Through here everything was handed out or does not match.
    var position: Position {
        get { Position(reached.load(ordering: .acquiring)) }
        set { reached.store(newValue.rawValue, ordering: .releasing) }
    }

    /// Ends the subscription, unless it has ended: the first reason is the one that counts.
    func finish(_ final: SubscriptionStatus.State) {
        state.withLock { state in
            if state == .running { state = final }
        }
    }

    func status(head: Position) -> SubscriptionStatus {
        // Taken once: the subscriber moves on, and may be ahead of a head that was asked for before.
        let position = position
        let lag = head > position ? head.rawValue - position.rawValue : 0
        return SubscriptionStatus(name: name, position: position, lag: lag, state: state.withLock { $0 })
    }
}

/// The position and state of a subscription, for an operator who asks why a follower of the log has stopped.
public struct SubscriptionStatus: Hashable, Sendable {
    /// The state of a subscription.
    public enum State: Hashable, Sendable {
        /// It hands out events, or waits for them, or for its subscriber. A stalled subscriber shows by its ``lag`` alone.
        case running
        /// The task was cancelled, or the log closed: there are no further events.
        case ended
        /// It could not read, or its subscriber has fallen over. For the operator: the reason may hold paths.
        case failed(reason: String)
    }

    /// The name that its subscriber gave it. Several may share one.
    public let name: String
    /// Every event through here was handed out or does not match.
    public let position: Position
    /// Events in the log behind ``position``, whether or not they match.
    public let lag: UInt64
    /// The subscription's present state.
    public let state: State

    /// A status. Public, so that code that shows it can be tested without a log.
    public init(name: String, position: Position, lag: UInt64, state: State) {
        self.name = name
        self.position = position
        self.lag = lag
        self.state = state
    }
}
