internal import Synchronization

/// The events of a log that match a query, from a position on and without end; see
/// ``EventLog/EventLog/subscribe(to:after:pageEvents:name:)``.
///
/// Only one task at a time may iterate. A cancelled task ends the subscription at once, a closed log after the current page, both without
/// an error; a failed read throws its error once. ``position`` never passes a matching event that was not delivered. After `break`, the
/// next loop continues after the last delivered event. A running subscription keeps the log open; an ended one releases it.
public final class Subscription: Sendable {
    let query: Query
    let pageEvents: Int
    let progress: SubscriptionProgress
    private let followers: SubscriptionList
    private let number: UInt64
    private let followed: Mutex<EventLog?>

    init(to log: EventLog, _ query: Query, after: Position, pageEvents: Int, name: String) {
        (self.query, self.pageEvents) = (query, pageEvents)
        progress = SubscriptionProgress(name: name, position: after)
        followers = log.followers
        number = followers.add(progress)
        followed = Mutex(log)
    }

    deinit { followers.remove(number) }

    /// Every event through this position was delivered or does not match; a later subscription can resume after it.
    public var position: Position { progress.position }

    /// Nil after the end.
    var log: EventLog? { followed.withLock { $0 } }

    /// Calls `body` with each event until there are no more. If `body` throws, the subscription ends, and
    /// ``EventLog/EventLog/subscriptions`` shows the error, unless it is a `CancellationError`. A plain `for await` loop does not record
    /// it.
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

    func finish(_ state: SubscriptionStatus.State) {
        progress.finish(state)
        // Closing a log takes a while, so this perhaps last reference is released outside the lock.
        let released = followed.withLock { log in
            defer { log = nil }
            return log
        }
        _ = released
    }
}

extension Subscription: AsyncSequence {
    public typealias Element = SequencedEvent
    public typealias Failure = EventLogError

    /// One iteration, which holds the current page of events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: Subscription
        private var page: ReadResult
        private var index = 0

        init(_ subscription: Subscription) {
            self.subscription = subscription
            page = ReadResult(events: [], head: subscription.position)
        }

        /// Waits for the next matching event. Nil if the task was cancelled, the log was closed, or the subscription has ended.
        ///
        /// - Throws: the error of a failed read, once.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(EventLogError) -> SequencedEvent? {
            // Checked for each event, so that a slow subscriber also ends promptly.
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
    /// Waits for the next events, and returns them with the last examined position; nil if there will be none.
    ///
    /// This is the only loop: it reads up to the head and, if nothing is left, waits for the next commit. A commit in between ends the wait
    /// at once. It runs on no actor, so that a read does not block the subscriber's.
    @concurrent
    func nextPage(after position: Position) async throws(EventLogError) -> ReadResult? {
        var position = position
        // No event up to here matches.
        progress.position = position
        while let log, !log.headSignal.isClosed, !Task.isCancelled {
            let head = log.head
            if head > position {
                let page = try readOrFail(log, after: position, head: head)
                if !page.events.isEmpty { return page }
                // The last examined position, not the last match, so that no event is examined twice.
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

    /// Reads at most one page from at most ``LogLimits/subscriptionReadPositions`` positions, so that the task does not occupy its thread
    /// for long.
    private func readOrFail(_ log: EventLog, after position: Position, head: Position) throws(EventLogError) -> ReadResult {
        let through = Position(Swift.min(head.rawValue, position.rawValue + LogLimits.subscriptionReadPositions))
        do throws(EventLogError) {
            let events = try log.events(matching: query, after: position, through: through, backwards: false, limit: pageEvents)
            // A full page may lack later matches, so it covers only the positions up to its last event.
            let reached = events.count == pageEvents ? events.last?.position : nil
            return ReadResult(events: events, head: reached ?? through)
        } catch {
            finish(.failed(reason: "\(error)"))
            throw error
        }
    }

    private func wait(for position: Position, on log: EventLog) async {
        let patience = log.index == nil ? LogLimits.subscriptionPollSeconds : LogLimits.waitSecondsMax
        // `nextPage` checks the state again however the wait has ended.
        _ = try? await log.headSignal.reached(position, timeoutSeconds: patience)
    }
}

/// A subscription's progress, readable from any thread.
final class SubscriptionProgress: Sendable {
    let name: String
    private let reached: Atomic<UInt64>
    private let state = Mutex(SubscriptionStatus.State.running)

    init(name: String, position: Position) {
        self.name = name
        reached = Atomic(position.rawValue)
    }

    var position: Position {
        get { Position(reached.load(ordering: .acquiring)) }
        set { reached.store(newValue.rawValue, ordering: .releasing) }
    }

    /// The first call's reason is kept.
    func finish(_ final: SubscriptionStatus.State) {
        state.withLock { state in
            if state == .running { state = final }
        }
    }

    func status(head: Position) -> SubscriptionStatus {
        // Read once, because the subscriber may advance it even beyond the `head` that was read earlier.
        let position = position
        let lag = head > position ? head.rawValue - position.rawValue : 0
        return SubscriptionStatus(name: name, position: position, lag: lag, state: state.withLock { $0 })
    }
}

/// The position and state of a subscription, for operators.
public struct SubscriptionStatus: Hashable, Sendable {
    /// The state of a subscription.
    public enum State: Hashable, Sendable {
        /// It delivers, or waits for events or its subscriber. Only ``lag`` shows a stalled subscriber.
        case running
        /// The task was cancelled or the log closed.
        case ended
        /// A read or the subscriber failed. The reason is for the operator only, because it may contain paths.
        case failed(reason: String)
    }

    /// Several subscriptions may share one name.
    public let name: String
    /// Every event through this position was delivered or does not match.
    public let position: Position
    /// The events after ``position``, whether or not they match.
    public let lag: UInt64
    public let state: State

    /// Creates a status, for tests without a log.
    public init(name: String, position: Position, lag: UInt64, state: State) {
        (self.name, self.position, self.lag, self.state) = (name, position, lag, state)
    }
}
