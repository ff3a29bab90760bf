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
    case nameTaken(String, String)
    case notBehind(String, own: String)
    case longerLog(String, String, own: String)
    case writerAlive

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
        case .nameTaken(let name, let url):
            "a node \(name) is alive at \(url). Give this one another name with --node, or stop that one."
        case .notBehind(let head, let own):
            "nothing was changed: etcd's head is \(head), and this log ends at position \(own), so etcd lacks nothing of it. Start the "
                + "node, and it fetches the rest."
        case .longerLog(let name, let position, let own):
            "nothing was changed: the node \(name) has events through \(position), this folder through \(own). Run it on that node."
        case .writerAlive: "nothing was changed: a node writes. Stop all nodes, wait three seconds, and try again."
        }
    }
}
