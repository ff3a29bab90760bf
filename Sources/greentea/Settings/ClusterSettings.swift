import Etcd
import EventLog
import Foundation
import Nodes

/// The settings of a node in a cluster.
struct ClusterSettings {
    let etcd: EtcdSettings
    let node: NodeName
    /// This node's address for the others; commands need none.
    let advertise: NodeAddress?

    /// Nil for a node by itself.
    ///
    /// - Parameter served: the address for the others if none is set.
    /// - Throws: `SettingFault`, `Refusal.exposed`.
    init?(_ settings: SettingsInForce, served: String? = nil) throws {
        let pairs = [(Setting.clusterKey, Setting.clusterCertificate), (.clusterUser, .clusterPasswordFile)]
        try Self.requireTogether(settings, pairs + pairs.map { ($1, $0) } + Self.others.map { ($0, .cluster) })
        guard let text = settings.text(.cluster) else { return nil }
        if settings.text(.follow) != nil {
            throw SettingFault(.follow, "a node of a cluster follows its writer by itself: give \(Setting.cluster.flag) alone")
        }
        node = try Self.node(settings)
        let address = "it must be the http:// or https:// URL of this server, without a path, such as https://tea-1.example"
        advertise = try settings.value(.advertise, address) { try? NodeAddress($0) } ?? served.flatMap { try? NodeAddress($0) }
        try SafeSettings.checkNodes(settings)
        if let path = settings.text(.clusterKey) { try SafeSettings.checkKey(path, settings, replacing: "get etcd's client another one") }
        let user = try Self.user(settings)
        let (authority, certificate) = (settings.text(.clusterCa), settings.text(.clusterCertificate))
        let files = EtcdSettings.Files(authority: authority, certificate: certificate, key: settings.text(.clusterKey))
        do throws(EtcdFault) {
            etcd = try EtcdSettings(
                endpoints: text.split(separator: ",", omittingEmptySubsequences: false).map(String.init), user: user,
                files: authority == nil && certificate == nil ? nil : files)
        } catch {
            throw SettingFault(.cluster, String("\(error)".dropLast()))
        }
    }

    /// Settings without effect unless there is a cluster.
    private static let others: [Setting] = [.node, .advertise, .clusterCa, .clusterCertificate, .clusterUser]

    /// - Parameter pairs: a setting, and another one that it needs.
    private static func requireTogether(_ settings: SettingsInForce, _ pairs: [(Setting, Setting)]) throws(SettingFault) {
        for (given, missing) in pairs where settings.text(given) != nil && settings.text(missing) == nil {
            throw SettingFault(given, "it is given without \(missing.rawValue): give \(missing.flag) as well, or neither")
        }
    }

    private static func node(_ settings: SettingsInForce) throws(SettingFault) -> NodeName {
        let form = "1 to \(NodeName.bytesMax) lower-case letters, digits and hyphens"
        if let name = try settings.value(.node, "it must have \(form)", { NodeName($0) }) { return name }
        let host = ProcessInfo.processInfo.hostName.lowercased().prefix { $0 != "." }
        if let name = NodeName(String(host)) { return name }
        throw SettingFault(.node, "this machine is called '\(host)', which is no name of a node: give \(Setting.node.flag) with \(form)")
    }

    private static func user(_ settings: SettingsInForce) throws -> (name: String, password: String)? {
        guard let name = settings.text(.clusterUser), let path = settings.text(.clusterPasswordFile) else { return nil }
        try SafeSettings.checkKey(path, settings, replacing: "give etcd's user another password (etcdctl user passwd)")
        let password = try TextFile.text(of: path, for: .clusterPasswordFile).trimmingCharacters(in: .whitespacesAndNewlines)
        return (name, password)
    }
}
