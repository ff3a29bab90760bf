/// The reasons why a node does not start, or a command does not change its cluster, with their remedies.
enum ClusterRefusal: Error, CustomStringConvertible {
    /// The folder has no log with its keys.
    case noCopy(String)
    /// etcd does not answer, or refuses; with the remedy.
    case etcd(String)
    /// The log, and its head.
    case exists(String, String)
    case none(String)
    case ahead(own: String, cluster: String)
    case otherEvents(String)
    /// Nothing has the events between.
    case lacksEvents(own: String, cluster: String)
    case nameTaken(String, String)
    case notBehind(String, own: String)
    case longerLog(String, String, own: String)
    /// Nodes that may have later events.
    case silentNodes([String], own: String)
    case laterEntries(String, own: String)
    case knowsNoNodes(String)
    /// The file with the nodes, and their names.
    case leftAlone(String, [String])
    case otherSecret(String)
    case otherSettings([String])
    /// This node's own address, and what is wrong there.
    case foreignAddress(String, String)
    case writerAlive

    private static let givingUp =
        " For an etcd that has lost events, the command is `greentea cluster reseed`. If a node that is named, or may have later events, "
        + "is lost for good: repeat with --accept-lost-events. Accepted stamps among them are then lost."

    var description: String {
        switch self {
        case .noCopy(let path):
            "\(path) has no log with its keys. A node begins with a copy of another node's folder: `greentea-audit restore --from BACKUP "
                + "--keys COPY --data \(path)`; the first one of a new cluster, with a folder that was served without --cluster."
        case .etcd(let reason): reason
        case .exists(let log, let head):
            "nothing was changed: the log \(log) has a cluster already, and its head is \(head). `greentea cluster join` checks whether "
                + "this folder can join it; where etcd has lost events, `greentea cluster reseed` gives them back."
        case .none(let log):
            "etcd has no cluster of the log \(log). Begin one with `greentea cluster init` on the folder that has all events; where there "
                + "was one, etcd has lost its data: `greentea cluster reseed`."
        case .ahead(let own, let cluster):
            "this folder ends at position \(own), the cluster at \(cluster). If etcd has lost events: `greentea cluster reseed`. Otherwise "
                + "this folder was served by itself after it was copied: restore a backup of a node in its place."
        case .otherEvents(let position):
            "this folder and the cluster have different events at or before position \(position). Restore a backup of a node in its place."
        case .lacksEvents(let own, let cluster):
            "this folder ends at position \(own), the cluster at \(cluster), and neither etcd nor a living node has the next "
                + "event. Start the other nodes first, or restore a newer backup. Where all nodes are lost, go on as in the manual's "
                + "Cluster, All nodes are lost, 2."
        case .nameTaken(let name, let url):
            "a node \(name) is alive at \(url). Give this one another name with --node, or stop that one."
        case .notBehind(let head, let own):
            "nothing was changed: etcd's head is \(head), and this log ends at position \(own), so etcd lacks nothing of it. Start the "
                + "node, and it fetches the rest."
        case .longerLog(let name, let position, let own):
            "nothing was changed: the node \(name) has events through \(position), this folder through \(own). Run it on that node."
                + Self.givingUp
        case .silentNodes(let nodes, let own):
            "nothing was changed: this folder has events through \(own), and nodes that are down may have later ones: "
                + nodes.joined(separator: "; ") + ". Start them and this one for some seconds, and stop this one again: they tell where "
                + "their logs end." + Self.givingUp
        case .laterEntries(let position, let own):
            "nothing was changed: etcd still has entries through \(position), this folder only \(own), so another node has more. Run it on "
                + "that node." + Self.givingUp
        case .knowsNoNodes(let path):
            "nothing was changed: \(path) was not served in this cluster since it was copied, so it may be an older copy. Run it on the "
                + "node with the most events." + Self.givingUp
        case .leftAlone(let file, let nodes):
            "this folder was served in a cluster\(nodes.isEmpty ? "" : ", with \(nodes.joined(separator: ", "))"), and `cluster` is not "
                + "set: alone, this server would write beside them. Set `cluster`, `node` and the rest as before. To leave the cluster for "
                + "good, stop all its nodes and remove \(file)."
        case .otherSecret(let what):
            "the master key, or the root secret in the folder's keys, is not the cluster's. \(what). Restore a backup of one of its nodes "
                + "with its keys, and give the master key that opens them."
        case .otherSettings(let nodes):
            "operators, publicUrl, sms, smsCountries, smsPerDay or dev differ from those of \(nodes.joined(separator: ", ")). Compare "
                + "`greentea config` here with `greentea config --running` there, and make them equal."
        case .foreignAddress(let address, let what):
            "--advertise \(address) does not lead to this node: \(what). Name the address and port of this machine at which the other "
                + "nodes reach it directly, and stop what answers there."
        case .writerAlive: "nothing was changed: a node writes. Stop all nodes, wait three seconds, and try again."
        }
    }
}
