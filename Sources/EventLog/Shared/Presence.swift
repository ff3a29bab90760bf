/// The nodes of a ``SharedLog`` that seem alive, as far as they can know of each other.
///
/// It decides nothing: only the compare of the head does. Every call may block its thread, for at most five seconds. Any thread may call.
package protocol Presence: Sendable {
    /// Tells the others for about two seconds that this node is alive, and reads what they tell. Called twice a second.
    ///
    /// - Parameters:
    ///   - own: what this node tells about itself. The note of another process under its name stays as it is.
    ///   - writes: whether this node has claimed the shared log. If so, and no other node is named as the writer, this one is.
    /// - Throws: ``EventLogError`` `.unreachable` without an answer. Other errors are final.
    func beat(_ own: NodeNote, writes: Bool) throws(EventLogError) -> PresenceView

    /// Withdraws what the last beat told about the writer, so that another node can claim at once.
    func resign() throws(EventLogError)

    /// Withdraws all that beats have told.
    func leave() throws(EventLogError)

    /// Removes a value that no node has written, if it is still there. A node that writes names itself in its place.
    func expel(_ foreign: [UInt8], writes: Bool) throws(EventLogError)

    /// Asks the cluster to make a node its writer. The wish ends after some seconds, or with nil.
    func wish(for writer: NodeName?) throws(EventLogError)
}

/// The nodes that seem alive, also those whose last beat was some seconds ago.
package struct PresenceView: Hashable, Sendable {
    /// The node that is named as the writer; nil while nobody writes.
    package var writer: NodeName?
    /// A value in place of the writer's name that no node has written. Nobody can claim until it is gone.
    package var foreign: [UInt8]?
    /// The node that is wished for as the writer.
    package var wished: NodeName?
    /// By name, with this node's own note.
    package var nodes: [NodeName: NodeNote]

    package init(writer: NodeName? = nil, wished: NodeName? = nil, nodes: [NodeName: NodeNote] = [:], foreign: [UInt8]? = nil) {
        (self.writer, self.wished, self.nodes, self.foreign) = (writer, wished, nodes, foreign)
    }
}

/// A node's words about itself.
package struct NodeNote: Codable, Hashable, Sendable {
    package var name: NodeName
    /// A random number of the process, below 2^48. Two processes with one name have two.
    package var process: UInt64
    /// The address for the other nodes.
    package var url: String
    /// The program's version.
    package var version: String
    /// The machine's clock, in microseconds since 1970.
    package var clock: Int64
    /// The last event on this node's disk.
    package var position: UInt64
    /// The keys that events through this position erase are destroyed here.
    package var erasedThrough: UInt64
    /// A digest of the settings that must be the same on all nodes.
    package var settings: String
    /// Why this node cannot become the writer now; nil if it can.
    package var hindrance: String?

    package init(
        name: NodeName, process: UInt64, url: String, version: String, clock: Int64 = 0, position: UInt64 = 0, erasedThrough: UInt64 = 0,
        settings: String = "", hindrance: String? = nil
    ) {
        (self.name, self.process, self.url, self.version, self.clock) = (name, process, url, version, clock)
        (self.position, self.erasedThrough, self.settings, self.hindrance) = (position, erasedThrough, settings, hindrance)
    }
}

extension NodeName: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer(), text = try container.decode(String.self)
        guard let name = Self(text) else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a node's name") }
        self = name
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
