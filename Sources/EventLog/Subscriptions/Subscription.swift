internal import Synchronization

/// The events of a log that match a query, from a position on and without end:
/// see ``EventLog/EventLog/subscribe(to:after:pageEvents:name:)``.
///
/// One task at a time loops over it. It ends (the loop is left, nothing is thrown) when that task is cancelled, at once, and when the
/// log is closed, behind the page that it holds; ``position`` covers nothing that was not handed out. It fails, once, with what a read
/// throws. Ended or failed, it gives the log back, so that it keeps no files open, and there will be no more of it.
///
/// Leaving a loop by `break` ends nothing: the next loop goes on behind the last event that was handed out.
///
/// As long as it runs it keeps the log open, like any reference to it.
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

    /// What it reads; nil when it has ended.
    var log: EventLog? { followed.withLock { $0 } }

    /// Calls `body` with each event until there are no more, and lets ``EventLog/EventLog/subscriptions`` show what it throws.
    ///
    /// A plain loop can fall over too, but then nobody is told: its error goes where the loop stands, and the list shows a
    /// subscription that merely lags.
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
