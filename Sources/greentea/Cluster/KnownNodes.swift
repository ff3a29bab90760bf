import EventLog
import Foundation
import LoyaltyCodec

/// The nodes that a data folder was served beside, stored in it. Once etcd has lost events, only the nodes know where their logs end.
struct KnownNodes: Codable, Equatable {
    struct Node: Codable, Equatable {
        /// The last event that it told to have.
        var position: UInt64
        /// The machine's clock when it told that, in seconds since 1970.
        var seen: Int64
        /// etcd lacked events then, so none was accepted later.
        var isFinal: Bool
    }

    /// An end of the shared log.
    struct End: Codable, Equatable {
        var term, position: UInt64
    }

    private(set) var nodes: [String: Node] = [:]
    /// The latest that was seen.
    private(set) var end: End?
    /// etcd got its head from this folder when that was a restored backup, so no node knows the erasures that it lacks.
    let isOfRestored: Bool?

    init(isOfRestored: Bool? = nil) { self.isOfRestored = isOfRestored }

    /// Nil if the folder was never served in a cluster, or the file cannot be read.
    init?(of folder: DataFolder) {
        guard let bytes = FileManager.default.contents(atPath: folder.clusterNodes),
            let found = try? JSONDecoder().decode(Self.self, from: bytes), Head.terms.contains(found.end?.term ?? 1)
        else { return nil }
        self = found
    }

    /// Checks that a server by itself does not write beside the nodes of a cluster.
    ///
    /// - Throws: ``ClusterRefusal/leftAlone(_:_:)`` for a folder that was served in one.
    static func requireNone(in folder: DataFolder) throws(ClusterRefusal) {
        guard FileManager.default.fileExists(atPath: folder.clusterNodes) else { return }
        throw .leftAlone(folder.clusterNodes, (Self(of: folder)?.nodes ?? [:]).keys.sorted())
    }

    func store(in folder: DataFolder) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(filePath: folder.clusterNodes), options: .atomic)
    }

    /// Takes over what the nodes tell.
    ///
    /// - Parameters:
    ///   - view: read before `head`, so that positions beyond it are events that etcd lacks.
    ///   - earlier: a view of some seconds before. A restored etcd shows old notes until their leases end, so that a position counts as
    ///     final only from a node that goes on telling.
    mutating func note(_ view: PresenceView, _ head: Head?, after earlier: PresenceView, at now: Int64) {
        let newest = view.nodes.values.map(\.position).max() ?? 0
        let lacksEvents = head.map { $0.position.rawValue < newest } ?? true
        if let head, end.map({ ($0.term, $0.position) < (head.term, head.position.rawValue) }) ?? true {
            end = End(term: head.term, position: head.position.rawValue)
        }
        for (name, note) in view.nodes {
            let goesOn = earlier.nodes[name].map { $0.process == note.process && $0.clock != note.clock } ?? false
            let position = max(note.position, nodes["\(name)"]?.position ?? 0)
            let isFinal = lacksEvents && goesOn && position == note.position
            nodes["\(name)"] = Node(position: position, seen: now, isFinal: isFinal)
        }
    }

    /// Whether the names are the same and each position counts as final as in the other value.
    func tellsTheSame(as other: Self) -> Bool { nodes.mapValues(\.isFinal) == other.nodes.mapValues(\.isFinal) }

    /// Whether a node is known to have had later events.
    func hasLater(than position: Position, at node: NodeName) -> Bool {
        nodes["\(node)"].map { $0.position > position.rawValue } ?? false
    }

    /// Checks that no other node is known to have, or may have, later events than a log's last one.
    ///
    /// - Parameter alive: nodes that told their ends just now, or before etcd's snapshot, while their leases there last.
    /// - Throws: ``ClusterRefusal/longerLog(_:_:own:)``, ``ClusterRefusal/silentNodes(_:own:)``.
    func requireNoLater(than position: Position, except own: NodeName, alive: PresenceView) throws(ClusterRefusal) {
        let others = nodes.filter { name, _ in name != "\(own)" }
        if let (name, node) = others.max(by: { $0.value.position < $1.value.position }), node.position > position.rawValue {
            throw .longerLog(name, "\(node.position)", own: "\(position)")
        }
        let silent = others.filter { name, _ in !alive.nodes.keys.contains { "\($0)" == name } }
        let unknown = silent.filter { !$0.value.isFinal }.sorted { $0.key < $1.key }
        guard unknown.isEmpty else {
            let words = unknown.map { "\($0.key), last seen \(Self.text(of: $0.value.seen)) with \($0.value.position)" }
            throw .silentNodes(words, own: "\(position)")
        }
    }

    /// The nodes that were there lately, and are not in a view, with the time.
    func missing(in view: PresenceView, at now: Int64) -> [String] {
        let alive = Set(view.nodes.keys.map { "\($0)" })
        return nodes.filter { !alive.contains($0.key) && now - $0.value.seen <= Self.missedSeconds }.sorted { $0.key < $1.key }
            .map { "\($0.key), last seen \(Self.text(of: $0.value.seen)), is not there" }
    }

    /// A node that is removed for good is no fault for ever.
    private static let missedSeconds: Int64 = 7 * 86_400

    private static func text(of seconds: Int64) -> String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}
