import Audit
import CommandService
import Composition
import Console
import Etcd
import EventLog
import Loyalty
import LoyaltyCodec
import Nodes

/// Compares a folder's secrets and settings with those of its cluster, before a node copies anything.
struct JoinCheck {
    private let configuration: ServiceConfiguration
    private let log: EventLog
    /// Nil without a master key.
    private let keys: Keys?

    /// - Throws: `KeyStoreError.wrongMasterSecret`, or an error that names another `origin`.
    init(_ configuration: ServiceConfiguration, _ place: ClusterPlace, _ log: EventLog) throws {
        (self.configuration, self.log) = (configuration, log)
        let folder = DataFolder(place.folder.path)
        if let origin = configuration.proving.origin { try LogFile(directory: folder.log).require(origin: origin) }
        let isDevelopment = configuration.isDevelopment
        let master = try configuration.master ?? (isDevelopment ? knownDevelopmentSecret(of: folder, place.settings) : nil)
        keys = try master.flatMap { try KeyStore.keys($0, in: folder.keys) }
    }

    /// - Throws: `ClusterRefusal`.
    func compare(with nodes: [NodeNote], _ etcd: EtcdLog) throws {
        if let keys {
            try checkNewestEntry(of: etcd, keys)
            for node in nodes { try ask(node) }
            try compareSettings(nodes, keys)
        } else {
            StandardError.write("note: secrets and settings were not compared: that needs --master-key-file, as serve has it")
        }
        try checkAddress(nodes)
    }

    private func checkNewestEntry(of etcd: EtcdLog, _ keys: Keys) throws {
        guard let bytes = try etcd.newestEntry() else { return }
        do throws(EventLogError) { _ = try Entry(bytes, key: EntryKey(secret: keys.entrySecret, log: log.origin)) } catch {
            throw error.code == .logMismatch ? ClusterRefusal.otherSecret("etcd's newest entry was sealed with another one") : error
        }
    }

    private func client(of url: NodeAddress) throws(NodeError) -> NodeClient {
        let secret = keys?.nodeSecret ?? Array(repeating: 0, count: Self.secretBytes)
        let signature = NodeSignature(secret: secret, log: log.origin)
        return try NodeClient(url, log: log.origin, signature: signature, authorities: configuration.nodeCA)
    }

    private static let secretBytes = 32

    /// A node answers signed requests alone, so that any question compares the secrets.
    private func ask(_ node: NodeNote) throws {
        do throws(NodeError) {
            let other = try client(of: NodeAddress(node.url))
            defer { other.stop() }
            _ = try other.rows(of: [AccountID(0)])
        } catch {
            switch error {
            case .refused, .otherLog: throw ClusterRefusal.otherSecret("\(node.name): \(error)")
            case .badAuthorities: throw error
            default: StandardError.write("note: its secret could not be compared with that of \(node.name): \(error)")
            }
        }
    }

    /// Another version may compare other settings.
    private func compareSettings(_ nodes: [NodeNote], _ keys: Keys) throws(ClusterRefusal) {
        let (own, alike) = (configuration.settingsDigest(keys), nodes.filter { $0.version == ProductVersion.text })
        if alike.isEmpty || alike.contains(where: { $0.settings == own }) { return }
        throw .otherSettings(alike.map { "\($0.name)" })
    }

    /// Nothing may answer at this node's address before it is served.
    private func checkAddress(_ nodes: [NodeNote]) throws {
        guard let address = configuration.cluster?.advertise else { return }
        if let other = nodes.first(where: { (try? NodeAddress($0.url)) == address }) {
            throw ClusterRefusal.foreignAddress("\(address)", "it is that of \(other.name)")
        }
        let own = try client(of: address)
        defer { own.stop() }
        do throws(NodeError) { _ = try own.checkpoint() } catch {
            guard case .notConnected = error else { throw ClusterRefusal.foreignAddress("\(address)", "\(error)") }
            return StandardError.write("note: nothing answers at \(address) yet, as it must be before the start")
        }
        throw ClusterRefusal.foreignAddress("\(address)", "another server answers there")
    }
}
