import CommandService
import Composition
import Console
import Crypto
import Etcd
import EventLog
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
        return { [nodeCA] keys, origin in
            // Reads the certificates, so that a wrong file is an error of the start.
            _ = try OtherNode(advertise, authorities: nodeCA, keys, log: origin)
            let (etcd, process) = cluster.connect(log: origin)
            do throws(EtcdFault) { try etcd.check().forEach(warn) } catch {
                // A node serves reads without etcd.
                guard EventLogError(error).code == .unreachable else { throw ClusterRefusal.etcd("\(error)") }
                warn("\(error)")
            }
            let code = HMAC<SHA256>.authenticationCode(for: Array(shared.utf8), using: SymmetricKey(data: keys.nodeSecret))
            let own = NodeNote(
                name: cluster.node, process: process, url: "\(advertise)", version: ProductVersion.text,
                settings: Hexadecimal.text(code.prefix(Self.digestBytes)))
            return ClusterParts(own: own, log: etcd, presence: etcd) { url in
                try OtherNode(NodeAddress(url), authorities: nodeCA, keys, log: origin)
            }
        }
    }

    private static let digestBytes = 8

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

    /// See `NodeNote.process`.
    private static let processEnd: UInt64 = 1 << 48
}
