package import CommandService
package import EventLog
package import LoyaltyCodec
import Merkle
import Synchronization

/// The node that another one follows. Its calls block, at most some seconds.
package protocol LeadingNode: EntrySource, NodePeer {
    /// Its address, for people.
    var url: String { get }

    /// The end of its log, as of its last answer; nil before one.
    var head: Position? { get }

    /// The bytes of its newest signed checkpoint.
    ///
    /// - Throws: `EventLogError` `.unreachable` without an answer.
    func checkpoint() throws(EventLogError) -> [UInt8]

    /// Ends all calls, also those that wait.
    func stop()
}

package typealias LeaderMaker = @Sendable (_ keys: Keys, _ log: String) throws -> any LeadingNode

/// The state of copying another node's log.
public struct FollowingStatus: Hashable, Sendable {
    public let url: String
    /// Events that the other node had at its last answer, and this one does not have yet.
    public let lag: UInt64
    /// Seconds since the other node's last answer that could be used.
    public let silentSeconds: Double
    /// The reason why the last attempt failed; nil after a success.
    public let failure: String?

    package init(url: String, lag: UInt64, silentSeconds: Double, failure: String?) {
        (self.url, self.lag, self.silentSeconds, self.failure) = (url, lag, silentSeconds, failure)
    }
}

/// Copies the log of other nodes, and what the events change beside it.
final class Following: Sendable {
    /// Nil for a node of a cluster, which reads the shared log.
    let leader: (any LeadingNode)?
    private let log: EventLog
    private let follower: LogFollower
    private let events: FollowedEvents
    private let began = ContinuousClock.now

    /// - Parameters:
    ///   - key: verifies the leader's checkpoints; it is this node's own, because both have one root secret.
    ///   - onFailure: called once, if the copying has stopped for good.
    convenience init(
        _ leader: any LeadingNode, log: EventLog, keys: KeyStore, _ key: VerifierKey, acts: FollowedEvents.Acts,
        onFailure: @escaping @Sendable (EventLogError) -> Void
    ) throws {
        try self.init(
            log, keys, from: CheckedEntries(of: leader, for: log, by: key), peer: leader, leader: leader, acts: acts, onFailure: onFailure)
    }

    /// - Parameters:
    ///   - fallback: has entries that the source has trimmed.
    ///   - onFailure: called once, if the copying has stopped for good.
    init(
        _ log: EventLog, _ keys: KeyStore, from source: any EntrySource, fallback: (any EntrySource)? = nil, peer: any NodePeer,
        leader: (any LeadingNode)? = nil, acts: FollowedEvents.Acts, onFailure: @escaping @Sendable (EventLogError) -> Void
    ) throws {
        let events = try FollowedEvents(log: log, keyStore: keys, peer: peer, acts: acts)
        follower = LogFollower(
            log: log, key: EntryKey(secret: keys.keys.entrySecret, log: log.origin), from: source, fallback: fallback,
            prepare: { (entries) throws(EventLogError) in try events.prepare(entries) }, onFailure: onFailure)
        (self.leader, self.log, self.events) = (leader, log, events)
    }

    func start() {
        events.start()
        follower.start()
    }

    /// Lets the log grow no further, except by what is being stored. ``stop()`` MUST follow.
    func beginStop() { follower.beginStop() }

    /// Blocks until a commit that is under way has ended, and all ended sessions are reported.
    @available(*, noasync)
    func stop() {
        leader?.stop()
        follower.stop()
        events.stop()
    }

    var eventStatus: FollowedEvents.Status { events.status }

    /// The reason why the last attempt to copy events failed, and whether it was the last one.
    var failure: (error: EventLogError, isFinal: Bool)? {
        let status = follower.status
        return status.failure.map { ($0, status.hasFailed) }
    }

    /// Nil in a cluster.
    var status: FollowingStatus? {
        guard let leader else { return nil }
        let (head, own, status) = (leader.head ?? .start, log.head, follower.status)
        return FollowingStatus(
            url: leader.url, lag: head.rawValue - min(head, own).rawValue,
            silentSeconds: status.secondsSinceAnswer ?? (.now - began) / .seconds(1),
            failure: status.failure?.detail ?? events.status.failure?.reason)
    }
}

/// The entries of a leader, as long as its signed checkpoints agree with this log. Only one thread may call.
final class CheckedEntries: EntrySource {
    /// Between two checkpoints.
    private static let period = Duration.seconds(10)

    private struct State {
        var due = ContinuousClock.now
        /// Signed for more events than this log has yet.
        var ahead: [UInt8]?
    }

    private let leader: any LeadingNode
    private let log: EventLog
    private let key: VerifierKey
    private let state = Mutex(State())

    init(of leader: any LeadingNode, for log: EventLog, by key: VerifierKey) { (self.leader, self.log, self.key) = (leader, log, key) }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        try check()
        return try leader.entries(after: position, bytes: bytes)
    }

    /// - Throws: `EventLogError` `.checkpointMismatch`, `.checkpointDamaged`, and those of the leader.
    private func check() throws(EventLogError) {
        let known = state.withLock { state -> [UInt8]?? in state.ahead.map { .some($0) } ?? (state.due <= .now ? .some(nil) : nil) }
        guard let known else { return }
        let note: [UInt8]
        if let known { note = known } else { note = try leader.checkpoint() }
        do throws(EventLogError) { _ = try log.verify(checkpoint: note, by: key) } catch {
            guard error.code == .rolledBack else { throw error }
            state.withLock { $0.ahead = note }
            return
        }
        state.withLock { $0 = State(due: .now + Self.period) }
    }
}
