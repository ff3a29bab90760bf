internal import CommandService
package import EventLog
package import Loyalty
internal import LoyaltyCodec
internal import Synchronization

/// The other nodes of the cluster that seem alive, or did a moment ago.
///
/// Every call that asks a node blocks its thread. Any thread may call.
package final class Peers: Sendable {
    private struct Peer {
        let name: NodeName
        let node: any PeerNode
        var note: NodeNote
        /// Since it is no longer in the view.
        var goneAt: ContinuousClock.Instant?
    }

    private struct State {
        var peers: [NodeName: Peer] = [:]
        var writer: NodeName?
        /// The newest of all nodes.
        var term: UInt64 = 0
        /// When a delivery last failed slowly: a link can be cut while both nodes are alive.
        var slowAt: [NodeName: ContinuousClock.Instant] = [:]
        var isStopped = false
    }

    private let parts: ClusterParts
    private let ownRows: @Sendable ([AccountID]) throws -> [UInt8]
    private let ownPicture: @Sendable (ImageID) throws -> [UInt8]?
    private let lacking: @Sendable ([UInt8]) throws -> (all: Int, registered: Int)
    private let state = Mutex(State())
    /// Clients' questions for pictures that are under way.
    private let underWay = Atomic(0)

    /// - Parameters:
    ///   - rows: this node's ``KeyStore/wrappedRows(of:asOf:isWriter:)``.
    ///   - picture: this node's sealed file of a picture.
    ///   - lacking: ``GreenTea/lacking(in:)``.
    package init(
        _ parts: ClusterParts, rows: @escaping @Sendable ([AccountID]) throws -> [UInt8],
        picture: @escaping @Sendable (ImageID) throws -> [UInt8]?,
        lacking: @escaping @Sendable ([UInt8]) throws -> (all: Int, registered: Int) = { _ in (0, 0) }
    ) {
        (self.parts, ownRows, ownPicture, self.lacking) = (parts, rows, picture, lacking)
    }

    /// Takes over what the last beat has read. Called on one thread.
    ///
    /// - Parameter term: the newest that this node has seen.
    package func update(_ view: PresenceView, term: UInt64) {
        let old = state.withLock { $0.peers }
        var peers: [NodeName: Peer] = [:]
        for (name, note) in view.nodes where name != parts.own.name {
            if let known = old[name], known.note.url == note.url {
                peers[name] = Peer(name: name, node: known.node, note: note)
            } else if let node = try? parts.peer(note.url) {
                // An address that cannot be read is that of a node that gives no answer.
                peers[name] = Peer(name: name, node: node, note: note)
            }
        }
        for (name, var peer) in old where view.nodes[name] == nil {
            peer.goneAt = peer.goneAt ?? .now
            if let goneAt = peer.goneAt, .now - goneAt < .seconds(Limits.peerKeptSeconds) { peers[name] = peer }
        }
        let isStopped = state.withLock { state in
            (state.peers, state.writer, state.term) = (peers, view.writer, max(state.term, term))
            state.slowAt = state.slowAt.filter { peers[$0.key] != nil }
            return state.isStopped
        }
        for (name, peer) in old where peers[name]?.note.url != peer.note.url { peer.node.stop() }
        if isStopped { stop() }
    }

    /// The node that is named as the writer; nil if none or this one is.
    package var writer: (any PeerNode)? { state.withLock { state in state.writer.flatMap { state.peers[$0]?.node } } }

    /// The writer first.
    var all: [any PeerNode] { ordered(writerFirst: true).map(\.peer.node) }

    /// Nil unless it seemed alive lately.
    func node(named name: NodeName) -> (any PeerNode)? { state.withLock { $0.peers[name]?.node } }

    /// Ends all calls, also those that wait.
    package func stop() {
        let peers = state.withLock { state in
            state.isStopped = true
            return state.peers
        }
        for peer in peers.values { peer.node.stop() }
    }

    /// Nodes without hindrance come first, then those with the newest position; those that cost time lately come last.
    private func ordered(writerFirst: Bool) -> [(peer: Peer, isWriter: Bool)] {
        let (peers, writer, slowAt) = state.withLock { ($0.peers, $0.writer, $0.slowAt) }
        func rank(_ peer: Peer) -> (Int, Int, Int, UInt64, String) {
            let isWriter = writerFirst && peer.name == writer
            let isSlow = slowAt[peer.name].map { .now - $0 < .seconds(Limits.peerKeptSeconds) } ?? false
            return (
                isWriter ? 0 : 1, peer.goneAt == nil && !isSlow ? 0 : 1, peer.note.hindrance == nil ? 0 : 1, .max - peer.note.position,
                peer.name.description
            )
        }
        return peers.values.sorted { rank($0) < rank($1) }.map { ($0, $0.name == writer) }
    }
}

extension Peers: NodePeer {
    package var isOfSeveral: Bool { true }

    /// The writer's answer, unless it lacks the key of somebody registered; otherwise the first with all keys, or the one with the most.
    package func rows(of holders: [AccountID]) throws -> [UInt8] {
        var best: (rows: [UInt8], lacking: Int)?
        var failure: (any Error)?
        for (peer, isWriter) in ordered(writerFirst: true) {
            do {
                let rows = try peer.node.rows(of: holders)
                let lacking = try lacking(rows)
                // The writer destroys keys of unregistered people without an event, so other nodes may still have them.
                if lacking.all == 0 || isWriter && lacking.registered == 0 { return rows }
                if best.map({ lacking.all < $0.lacking }) ?? true { best = (rows, lacking.all) }
            } catch { failure = failure ?? error }
        }
        if let best { return best.rows }
        throw failure ?? CourierError.noPeer(Self.nobody)
    }

    /// The first file that a node has; nil if the writer has none and no other node gives one.
    package func picture(_ image: ImageID) throws -> [UInt8]? {
        var (failure, isMissing) = ((any Error)?.none, false)
        for (peer, isWriter) in ordered(writerFirst: true) {
            do {
                if let file = try peer.node.picture(image) { return file }
                isMissing = isMissing || isWriter
            } catch { failure = failure ?? error }
        }
        if let failure, !isMissing { throw failure }
        return nil
    }
}

extension Peers {
    /// A picture that a client names; nil if no node has it, or while others are asked for, so that made-up names use no more threads.
    func unnamedPicture(_ image: ImageID) throws -> [UInt8]? {
        defer { underWay.subtract(1, ordering: .relaxed) }
        guard underWay.add(1, ordering: .relaxed).newValue <= Limits.askedPicturesMax else { return nil }
        return try picture(image)
    }
}

extension Peers: EntrySource {
    /// The entries of the first node that has some after the position.
    ///
    /// - Throws: ``EventLogError`` `.unreachable` if none has.
    package func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        var failure: EventLogError?
        for (peer, _) in ordered(writerFirst: true) where peer.note.position > position.rawValue {
            do throws(EventLogError) {
                let entries = try peer.node.entries(after: position, bytes: bytes)
                if !entries.isEmpty { return entries }
            } catch { failure = failure ?? error }
        }
        let none = """
            no other node has the events after position \(position) now. Start the others, or restore a newer backup here; if all \
            are lost, see the manual's Cluster, All nodes are lost.
            """
        throw EventLogError(.unreachable, failure?.detail ?? none)
    }
}

extension Peers {
    private static let nobody = "no other node seems alive"

    /// Carries keys and pictures to these nodes during one term of this node.
    package func courier(term: UInt64) -> any Courier { PeerCourier(peers: self, term: term) }

    fileprivate func deliver(keysOf holders: [AccountID], term: UInt64) throws {
        for start in stride(from: 0, to: holders.count, by: Limits.askedHoldersMax) {
            let page = Array(holders[start..<min(start + Limits.askedHoldersMax, holders.count)])
            let rows = try ownRows(page)
            try deliver(in: term) { try $0.keep(rows: rows, of: page, term: term) }
        }
    }

    fileprivate func deliver(picture: ImageID, term: UInt64) throws {
        guard let file = try ownPicture(picture) else { throw CourierError.noPeer("picture \(picture.text) is gone") }
        try deliver(in: term) { try $0.keep(picture: picture, file) }
    }

    /// - Throws: ``CourierError``.
    private func deliver(in term: UInt64, _ keep: (any PeerNode) throws -> Void) throws(CourierError) {
        let newest = state.withLock { $0.term }
        if newest > term { throw .noPeer("term \(newest) writes now") }
        let end = ContinuousClock.now + .seconds(Limits.courierSeconds)
        var reasons: [String] = []
        for (peer, _) in ordered(writerFirst: false) where reasons.isEmpty || .now < end {
            let began = ContinuousClock.now
            do { return try keep(peer.node) } catch {
                reasons.append("\(peer.name): \(error)")
                // Otherwise each delivery would spend its time on this node.
                if .now - began > .seconds(Limits.courierSeconds / 2) { state.withLock { $0.slowAt[peer.name] = .now } }
            }
        }
        throw .noPeer(reasons.isEmpty ? Self.nobody : reasons.joined(separator: "; "))
    }
}

private struct PeerCourier: Courier {
    let peers: Peers
    let term: UInt64

    func deliver(keysOf holders: [AccountID]) throws { try peers.deliver(keysOf: holders, term: term) }

    func deliver(picture: ImageID) throws { try peers.deliver(picture: picture, term: term) }
}
