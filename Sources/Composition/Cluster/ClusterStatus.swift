package import EventLog

/// A node's place in its cluster, for operators.
public struct ClusterStatus: Sendable {
    /// Its part in the cluster now.
    public enum Role: String, Sendable {
        case writer, follower
        /// Takes the writer's place, or gives it up.
        case changing
    }

    /// A node as it describes itself.
    public struct Node: Sendable {
        public let name, url, version: String
        /// The last event on its disk.
        public let position: UInt64
        /// Why it cannot become the writer now.
        public let hindrance: String?
        /// It has other settings than this node where they must be the same.
        public let hasOtherSettings: Bool
    }

    public let node: String
    public let role: Role
    /// The name of the node that writes, as far as this node knows.
    public let writer: String?
    /// The term of this node's last claim; 0 before one.
    public let term: UInt64
    /// Seconds since the shared log's last answer.
    public let silentSeconds: Double
    /// The reason why the last attempt to reach the shared log failed; nil after a success.
    public let failure: String?
    /// The nodes that seem alive, this one included, by name.
    public let nodes: [Node]
    /// A value in place of the writer's name in etcd that no node has written, seen lately.
    public var foreignWriter: String?
    /// The share of the shared log's room that events without a second node take; 0 at a follower.
    public var usedShare = 0.0
    /// The reason why the writer cannot remove entries from etcd, and no attempt can change it.
    public var trimFailure: String?
}

extension GreenTea {
    /// The node that decides commands now.
    package enum Writer: Sendable {
        case this
        case other(any LeadingNode)
        /// None is known.
        case unknown
    }

    package var writer: Writer {
        if place.writer != nil { return .this }
        if let peer = member?.peers.writer { return .other(peer) }
        return leader.map { .other($0) } ?? .unknown
    }

    /// Waits until a writer is known, at most some seconds.
    package func awaitWriter(timeoutSeconds: Double) async -> Writer {
        guard let signal = member?.writerSignal else { return writer }
        // Read first, so that no beat is missed.
        let seen = signal.head
        if case .unknown = writer { _ = try? await signal.reached(seen.next, timeoutSeconds: timeoutSeconds) }
        return writer
    }

    /// Whether this node may not know of sessions and accounts that ended a while ago.
    package var isStale: Bool { member?.isStale() ?? false }

    /// The other nodes that seemed alive at last, the writer first; nil where this node cannot know them.
    package var otherNodes: [any LeadingNode]? { member?.others }

    /// Nil without a cluster.
    package var nodeName: NodeName? { member?.parts.own.name }

    /// Another node, if it seemed alive lately.
    package func node(named name: NodeName) -> (any LeadingNode)? { member?.peers.node(named: name) }

    /// Waits until ``SessionEndings`` has reported all sessions that ended up to a position. Returns false after the timeout.
    package func knowsSessions(endedThrough position: Position, timeoutSeconds: Double) async -> Bool {
        if place.writer != nil { return true }
        return (try? await sessionEndings.through.reached(position, timeoutSeconds: timeoutSeconds)) ?? false
    }

    /// Nil without a cluster.
    public var clusterStatus: ClusterStatus? { member?.status }
}
