import Composition
import EventLog

/// A node of a cluster in `/readyz`. Neither warning keeps it from answering reads.
extension ClusterStatus {
    var isWriter: Bool { role == .writer }

    /// Events on another node's disk that a log with this head does not have.
    func lag(at head: Position) -> UInt64 {
        let newest = nodes.map(\.position).max() ?? 0
        return newest - min(newest, head.rawValue)
    }

    private var own: Node? { nodes.first { $0.name == node } }

    var isHindered: Bool { own?.hindrance != nil }

    var isEngineSilent: Bool { silentSeconds >= Limits.engineSilentWarningSeconds }

    var warnings: [SystemWarning] {
        [engineWarning, writerWarning, hindranceWarning, settingsWarning, foreignWarning, roomWarning, lonelyWarning]
            .compactMap(\.self)
    }

    private var engineWarning: SystemWarning? {
        guard isEngineSilent else { return nil }
        return SystemWarning(
            code: "engineSilent", cause: "etcd gave no answer for \(Int(silentSeconds)) s: \(failure ?? "no reason is known")",
            remedy: """
                Look at etcd's members and the network to them (greentea cluster status). Public reads go on here, and get older; those of \
                people who are signed in are asked of another node, or get 503.
                """)
    }

    private var writerWarning: SystemWarning? {
        guard writer == nil else { return nil }
        return SystemWarning(
            code: "noWriter", cause: "no node of the cluster writes",
            remedy: "Usually another node takes over within three seconds. If not, greentea cluster status says what hinders each node.")
    }

    private var hindranceWarning: SystemWarning? {
        guard let hindrance = own?.hindrance else { return nil }
        return SystemWarning(
            code: "cannotTakeOver", cause: "this node cannot become the writer: \(hindrance)",
            remedy: "Remove the cause. Until then, this node answers reads, and does not replace a writer that is lost.")
    }

    private var foreignWarning: SystemWarning? {
        guard let foreignWriter else { return nil }
        return SystemWarning(
            code: "foreignWriter", cause: "in etcd, the key of the writer had a value that no node has written: \(foreignWriter)",
            remedy: """
                The nodes have removed it. Find out what else writes into this etcd, and give it no access below /greentea/. This warning \
                ends an hour after the last time.
                """)
    }

    private var roomWarning: SystemWarning? {
        guard usedShare >= Limits.usedShareWarning else { return nil }
        return SystemWarning(
            code: "sharedLogFills", cause: "events that no second node has take \(Int(usedShare * 100)) % of their room in etcd",
            remedy: "Start the other nodes, or look why they lag (greentea cluster status). At 100 %, every write gets 503.")
    }

    private var lonelyWarning: SystemWarning? {
        guard nodes.count == 1 else { return nil }
        return SystemWarning(
            code: "noSecondNode", cause: "no other node of the cluster seems alive",
            remedy: "Start or join another one. Until then, nobody can register, open a shop, change a number or send a picture.")
    }

    private var settingsWarning: SystemWarning? {
        let others = nodes.filter(\.hasOtherSettings).map(\.name)
        guard !others.isEmpty else { return nil }
        return SystemWarning(
            code: "settingsDiffer", cause: "other settings than here have: \(others.joined(separator: ", "))",
            remedy: "Compare greentea config --running of the nodes, make the settings equal, and restart the nodes that were wrong.")
    }
}
