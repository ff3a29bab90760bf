import Composition
import Etcd
import EventLog
import Foundation
import LoyaltyCodec
import ServiceLifecycle
import Synchronization

/// Looks at etcd beside the service: the room of its members, and the nodes for ``KnownNodes``.
final class EngineWatch: Service {
    private static let pause = Duration.seconds(2), storedEach = Duration.seconds(10), roomEach = Duration.seconds(30)

    private struct Seen {
        var known: KnownNodes
        var view = PresenceView()
        var storedAt: ContinuousClock.Instant?
        var roomAt: ContinuousClock.Instant?
    }

    private let folder: DataFolder
    private let etcd: EtcdLog
    private let node: NodeName
    private let found = Mutex<String?>(nil)

    init(_ cluster: ClusterSettings, of service: GreenTea, in folder: DataFolder) {
        (self.folder, node) = (folder, cluster.node)
        (etcd, _) = cluster.connect(log: service.log.origin)
    }

    /// Why etcd may soon refuse every write; nil if it has room, or gave no answer.
    var fault: String? { found.withLock { $0 } }

    func run() async {
        await untilShutdown(from: Seen(known: KnownNodes(of: self.folder) ?? KnownNodes())) { [self] seen in
            // Without an answer, what was seen before stays.
            if let next = try? await blocking({ [self, seen] in try looked(seen) }) { seen = next }
            return Self.pause
        }
    }

    private func looked(_ seen: Seen) throws -> Seen {
        var seen = seen
        let now = ContinuousClock.now
        let view = try etcd.view(), head = try etcd.head()
        let before = seen.known
        seen.known.note(view, head, after: seen.view, at: Int64(Date().timeIntervalSince1970))
        seen.view = view
        if !seen.known.tellsTheSame(as: before) || seen.storedAt.map({ now - $0 >= Self.storedEach }) ?? true {
            try seen.known.store(in: folder)
            seen.storedAt = now
        }
        // A node that could write has followed all erasures since its backup.
        if seen.known.isOfRestored != true, view.nodes.count > 1, let own = view.nodes[node], own.hindrance == nil {
            try? FileManager.default.removeItem(atPath: folder.restoreNote)
        }
        if seen.roomAt.map({ now - $0 >= Self.roomEach }) ?? true {
            seen.roomAt = now
            let fault = try etcd.status().lazy.compactMap(\.roomFault).first
            found.withLock { $0 = fault }
        }
        return seen
    }
}
