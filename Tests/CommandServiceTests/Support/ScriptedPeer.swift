import EventLog
import Loyalty
import LoyaltyCodec
import Merkle
import Seeds
import SharedLogs
import Synchronization

@testable import CommandService
@testable import Composition

/// Another node of a cluster, which does what a test says.
final class ScriptedPeer: PeerNode {
    /// Something that this node was to store.
    struct Delivery: Hashable, Sendable {
        var holders: [AccountID] = []
        var picture: ImageID?
        var term: UInt64?
    }

    typealias Keep = @Sendable (_ rows: [UInt8], _ holders: [AccountID], _ term: UInt64) throws -> Void

    private struct State {
        var deliveries: [Delivery] = []
        var keep: Keep = { _, _, _ in }
        var questions = 0
        var isStopped = false
    }

    let url: String
    private let service: GreenTea?
    private let state = Mutex(State())

    /// - Parameter service: answers what the node is asked for; nil for a node that gives no answer.
    init(_ url: String = "http://b", over service: GreenTea? = nil) { (self.url, self.service) = (url, service) }

    var deliveries: [Delivery] { state.withLock { $0.deliveries } }
    var questions: Int { state.withLock { $0.questions } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Called with each delivery of rows.
    func keep(_ keep: @escaping Keep) { state.withLock { $0.keep = keep } }

    func keep(rows: [UInt8], of holders: [AccountID], term: UInt64) throws {
        let keep = state.withLock { state in
            state.deliveries.append(Delivery(holders: holders, term: term))
            return state.keep
        }
        try keep(rows, holders, term)
    }

    func keep(picture: ImageID, _ file: [UInt8]) throws { state.withLock { $0.deliveries.append(Delivery(picture: picture)) } }

    private func answering() throws(EventLogError) -> GreenTea {
        state.withLock { $0.questions += 1 }
        guard let service else { throw EventLogError(.unreachable, "no answer") }
        return service
    }

    func rows(of holders: [AccountID]) throws -> [UInt8] { try answering().keyRows(of: holders) }

    func picture(_ image: ImageID) throws -> [UInt8]? { try answering().pictureForNode(image) }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let service = try answering()
        let key = EntryKey(secret: service.keys.entrySecret, log: service.log.origin)
        return try service.log.entry(after: position, bytes: bytes, key: key).map { [$0.bytes] } ?? []
    }

    func checkpoint() throws(EventLogError) -> [UInt8] { try answering().checkpoint.note.bytes }

    var head: Position? { service?.log.head }

    func stop() { state.withLock { $0.isStopped = true } }
}

extension Peers {
    /// The peers of node "a". Nodes of a view are found by their addresses.
    convenience init(
        _ nodes: [ScriptedPeer] = [], of service: GreenTea? = nil,
        lacking: @escaping @Sendable ([UInt8]) throws -> (all: Int, registered: Int) = { _ in (0, 0) }
    ) {
        let parts = ClusterParts(own: .test(.a, "http://a"), log: MemorySharedLog(), presence: NoPresence()) { url in
            guard let node = nodes.first(where: { $0.url == url }) else { throw TestFailure("no node at \(url)") }
            return node
        }
        self.init(
            parts, rows: { [weak service] in try service?.keyRows(of: $0) ?? [] },
            picture: { [weak service] in try service?.pictureForNode($0) }, lacking: lacking)
    }
}

extension NodeNote {
    static func test(_ name: NodeName, _ url: String, position: UInt64 = 0, hindrance: String? = nil) -> Self {
        Self(name: name, process: 1, url: url, version: "1", position: position, hindrance: hindrance)
    }
}

extension PresenceView {
    /// A view of node "a" and these.
    static func of(_ notes: NodeNote..., writer: NodeName? = nil) -> Self {
        let all = notes + [.test(.a, "http://a")]
        return Self(writer: writer, nodes: Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) }))
    }
}

/// Never asked.
private struct NoPresence: Presence {
    func beat(_ own: NodeNote, writes: Bool) throws(EventLogError) -> PresenceView { PresenceView() }
    func resign() throws(EventLogError) {}
    func expel(_ foreign: [UInt8], writes: Bool) throws(EventLogError) {}
    func leave() throws(EventLogError) {}
    func wish(for writer: NodeName?) throws(EventLogError) {}
}

/// A service that follows another one in the same process, and takes its keys.
///
/// Like ``Site``, it is opened and closed on plain threads.
final class FollowingSite {
    let folder: TemporaryFolder
    let service: GreenTea
    /// Must not close before this service.
    private let writer: Site

    init(of writer: Site) throws {
        self.writer = writer
        let peer = ScriptedPeer(over: writer.service)
        folder = try TemporaryFolder()
        var proving = ProvingOptions()
        proving.origin = writer.service.log.origin
        service = try GreenTea(
            data: DataFolder(folder.path), master: MasterSecret(bytes: Site.secret), clock: HandClock(),
            randomness: SeededRandomness(seed: Seed.value + 1), passwords: PasswordCost(log2N: 4), proving: proving,
            duePeriodSeconds: nil, leader: { _, _ in peer })
    }

    deinit { try? service.close() }

    /// Gives the node the writer's rows.
    func keep(_ rows: [UInt8], _ holders: [AccountID], term: UInt64 = 1) throws { try service.keepRows(rows, of: holders, term: term) }
}
