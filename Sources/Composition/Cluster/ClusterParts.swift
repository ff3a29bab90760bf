internal import CommandService
package import EventLog
package import Loyalty
package import LoyaltyCodec

/// The connection of a node with its cluster.
package struct ClusterParts: Sendable {
    /// This node's note, as far as its settings tell it: name, process, address, version, digest of the settings.
    package let own: NodeNote
    package let log: any SharedLog
    package let presence: any Presence
    /// Makes a client of the node at an address. It does not connect yet.
    package let peer: @Sendable (_ url: String) throws -> any PeerNode
    /// Nil for beats by ``Seat/step(now:)`` only.
    package let beatSeconds: Double?
    /// The time after which a command is answered without its outcome.
    package let outcomeSecondsMax: Double
    /// The bytes of entries that trimming keeps, and above which this node accepts nothing as the writer.
    let untrimmedBytes: ClosedRange<Int>
    /// See ``SeatRules/settleSeconds``.
    var settleSeconds = Limits.claimSettleSeconds
    var commitSecondsMax = Limits.commitSecondsMax
    /// The latest end of the shared log that an earlier process of this folder has seen.
    package var knownEnd: (term: UInt64, position: Position)?

    package init(
        own: NodeNote, log: any SharedLog, presence: any Presence, beatSeconds: Double? = Limits.beatSeconds,
        outcomeSecondsMax: Double = Limits.outcomeSecondsMax,
        untrimmedBytes: ClosedRange<Int> = LogLimits.untrimmedBytesMin...LogLimits.untrimmedBytesMax,
        peer: @escaping @Sendable (_ url: String) throws -> any PeerNode
    ) {
        (self.own, self.log, self.presence, self.peer) = (own, log, presence, peer)
        (self.beatSeconds, self.outcomeSecondsMax, self.untrimmedBytes) = (beatSeconds, outcomeSecondsMax, untrimmedBytes)
    }
}

/// Called once, with the folder's keys and the log's name.
package typealias ClusterMaker = @Sendable (_ keys: Keys, _ log: String) throws -> ClusterParts

/// Another node of the cluster. Its calls block, at most some seconds.
package protocol PeerNode: LeadingNode {
    /// Stores ``KeyStore/wrappedRows(of:asOf:)`` durably, before the event that needs them is offered to the shared log.
    ///
    /// - Parameter term: the sender's; the other node refuses rows of an older term than the newest that it has seen.
    func keep(rows: [UInt8], of holders: [AccountID], term: UInt64) throws

    /// Stores a picture's sealed file, as ``NodePeer/picture(_:)`` returns it, durably.
    func keep(picture: ImageID, _ file: [UInt8]) throws
}

/// Puts what an event needs beside the log on another node's disk, before the event is offered.
///
/// Every call blocks its thread. Any thread may call.
package protocol Courier: Sendable {
    /// - Throws: ``CourierError/noPeer`` if no other node has stored them.
    func deliver(keysOf holders: [AccountID]) throws
    /// - Throws: as ``deliver(keysOf:)``.
    func deliver(picture: ImageID) throws
}

/// The reason why something is not on a second disk.
package enum CourierError: Error, Hashable, Sendable {
    /// No other node answers, or each has refused; the last reason.
    case noPeer(String)
}
