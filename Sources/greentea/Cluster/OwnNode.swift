import CommandService
import Composition
import Console
import Crypto
import Etcd
import EventLog
import Foundation
import LoyaltyCodec
import Merkle
import Nodes

extension ServiceConfiguration {
    /// Nil for a server by itself.
    ///
    /// - Parameter warn: called for each fault of etcd that does not keep the node from starting.
    func clusterMaker(warn: @escaping @Sendable (String) -> Void) -> ClusterMaker? {
        guard let cluster, let advertise = cluster.advertise else { return nil }
        let shared = sharedSettings
        return { [nodeCA, data] keys, origin in
            // Reads the certificates, so that a wrong file is an error of the start.
            _ = try OtherNode(advertise, authorities: nodeCA, keys, log: origin)
            let (etcd, process) = cluster.connect(log: origin)
            do throws(EtcdFault) { try etcd.check().forEach(warn) } catch {
                // A node serves reads without etcd.
                guard EventLogError(error).code == .unreachable else { throw ClusterRefusal.etcd("\(error)") }
                warn("\(error)")
            }
            try cluster.awaitName(in: etcd)
            let own = NodeNote(
                name: cluster.node, process: process, url: "\(advertise)", version: ProductVersion.text,
                settings: Self.digest(of: shared, keys))
            var parts = ClusterParts(own: own, log: etcd, presence: etcd) { url in
                try OtherNode(NodeAddress(url), authorities: nodeCA, keys, log: origin)
            }
            parts.knownEnd = KnownNodes(of: DataFolder(data))?.end.map { ($0.term, Position($0.position)) }
            return parts
        }
    }

    private static let digestBytes = 8

    /// Tells nodes with the same root secret whether they have the same settings.
    func settingsDigest(_ keys: Keys) -> String { Self.digest(of: sharedSettings, keys) }

    private static func digest(of settings: String, _ keys: Keys) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array(settings.utf8), using: SymmetricKey(data: keys.nodeSecret))
        return Hexadecimal.text(code.prefix(digestBytes))
    }

    /// The settings that must be the same on all nodes, without the webhook's secret.
    private var sharedSettings: String {
        let numbers = operators.map(\.text).sorted(), countries = messageLimits.countries.sorted()
        return """
            dev \(isDevelopment)
            publicUrl \(publicURL ?? "")
            operators \(numbers)
            sms \(messages.map { "\($0)" } ?? "")
            smsCountries \(countries)
            smsPerDay \(messageLimits.perDay)
            """
    }
}

extension ClusterSettings {
    /// - Returns: the cluster's log in etcd, and this process's number there.
    func connect(log: String) -> (EtcdLog, process: UInt64) {
        let process = UInt64.random(in: 0..<Self.processEnd)
        return (EtcdLog(etcd, log: log, node: node, process: process), process)
    }

    /// Waits until the lease of a process that had this node's name, and has crashed, has ended. Returns without an answer of etcd.
    ///
    /// - Throws: `ClusterRefusal.nameTaken` if that process goes on telling that it is alive.
    func awaitName(in etcd: EtcdLog) throws(ClusterRefusal) {
        guard let first = try? etcd.view().nodes[node] else { return }
        let end = ContinuousClock.now + Self.nameWait
        while let note = try? etcd.view().nodes[node] {
            guard note == first, ContinuousClock.now < end else { throw .nameTaken("\(node)", note.url) }
            usleep(Self.namePauseMicroseconds)
        }
    }

    /// A lease lives for two seconds, longer while etcd elects a leader.
    private static let nameWait = Duration.seconds(15), namePauseMicroseconds: UInt32 = 200_000
    /// See `NodeNote.process`.
    private static let processEnd: UInt64 = 1 << 48
}
