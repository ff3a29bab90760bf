import ArgumentParser
import Audit
import CommandService
import Console
import Etcd
import EventLog
import LoyaltyCodec
import Merkle

/// `greentea cluster`: the commands for several nodes of one log.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Begin a cluster of nodes, look at it, and choose the node that writes.",
        discussion: """
            Several nodes serve one log, whose newest events etcd keeps on a majority of its members. One node decides; each has all \
            events on its disk and serves reads. When the writer dies, another node takes its place within seconds, and nothing that was \
            acknowledged is lost.

            Each command takes the settings of `serve`, and needs the data folder and etcd's: as flags, variables or a file.

            EXAMPLES
              Begin with the folder of one server, which is stopped for it:
                greentea cluster init --config greentea.yaml
                greentea serve --config greentea.yaml
              Add a node: restore a backup with its keys on its machine, look, and start it:
                greentea-audit restore --from BACKUP --keys COPY --data /var/lib/greentea
                greentea cluster join --config greentea.yaml
                greentea serve --config greentea.yaml
              Let another node write, before this machine is restarted:
                greentea cluster promote tea-2 --config greentea.yaml

            EXIT CODES
              0   done
              1   the cluster is not as the command wants it, with the reason
              2   refused or unusable, with the reason and the remedy on standard error
              64  the command line is wrong
            """,
        subcommands: [
            ClusterInitCommand.self, ClusterJoinCommand.self, ClusterStatusCommand.self, ClusterPromoteCommand.self,
            ClusterReseedCommand.self,
        ])
}

/// A data folder and its cluster, as commands use them.
struct ClusterPlace {
    let folder: AuditedFolder
    let cluster: ClusterSettings

    init(_ flags: ServiceFlags) async throws {
        let settings = try await SettingsInForce(flags)
        guard let data = settings.text(.data) else { throw Refusal.notConfigured(["a data folder: --data DIR"]) }
        guard let cluster = try settings.refusing({ try ClusterSettings(settings) }) else {
            throw Refusal.notConfigured(["etcd: --cluster URLS"])
        }
        // Reading a log makes LMDB's lock files, and the service could not open files of root.
        try FolderOwner.become(of: data)
        (folder, self.cluster) = (try AuditedFolder(data), cluster)
    }

    /// - Returns: the log's cluster, and this process's number there.
    /// - Throws: `ClusterRefusal.etcd`, also without an answer.
    func connect(_ log: EventLog) throws(ClusterRefusal) -> (EtcdLog, process: UInt64) {
        let (etcd, process) = cluster.connect(log: log.origin)
        do throws(EtcdFault) { for warning in try etcd.check() { StandardError.write("note: \(warning)") } } catch {
            throw .etcd("\(error)")
        }
        return (etcd, process)
    }
}

extension EventLog {
    /// The head for this log's events.
    func head(term: UInt64, _ node: NodeName, process: UInt64) throws(EventLogError) -> Head {
        let position = head
        return Head(term: term, writer: node, process: process, position: position, root: try root(through: position))
    }
}

extension Head {
    func hasEvents(of other: Head) -> Bool { (position, root) == (other.position, other.root) }
}

extension PresenceView {
    /// - Throws: `ClusterRefusal.longerLog` if a node has later events.
    fileprivate func requireNone(ahead position: Position) throws(ClusterRefusal) {
        guard let longest = nodes.values.max(by: { $0.position < $1.position }), longest.position > position.rawValue else { return }
        throw .longerLog("\(longest.name)", "\(longest.position)", own: "\(position)")
    }
}

/// `greentea cluster init`: begins a cluster.
struct ClusterInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Begin a cluster with the events of a data folder.",
        discussion: """
            For a folder whose server is stopped, once for each log. etcd then knows where the log ends, and only events after that can \
            be added. No node begins by itself: an empty etcd may also be one that has lost its data.

            EXAMPLES
              With the settings that the nodes will have:
                greentea cluster init --config greentea.yaml

            EXIT CODES
              0   begun, be it by an earlier run
              2   refused, with the reason and the remedy on standard error
              64  the command line is wrong
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            let place = try await ClusterPlace(flags)
            // For writing, so that no server adds events meanwhile.
            let log = try place.folder.log(.readWrite), (etcd, process) = try place.connect(log)
            let head = try log.head(term: 1, place.cluster.node, process: process)
            try etcd.view().requireNone(ahead: head.position)
            switch try etcd.claim(replacing: nil, as: head) {
            case .durable: try announce("the cluster of \(log.origin) begins at position \(head.position): start its nodes")
            case .superseded(let found?) where found.hasEvents(of: head):
                try announce("the cluster of \(log.origin) has begun already, with these events")
            case .superseded(let found): throw ClusterRefusal.exists(log.origin, found.map { "\($0)" } ?? "another process")
            }
        }
    }
}

/// `greentea cluster join`: checks a folder before it is served by a further node.
struct ClusterJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Check whether a restored folder can join its cluster.",
        discussion: """
            Changes nothing. The folder is a restored backup of another node, keys and pictures included. The start fetches the events \
            that it lacks, with their keys and pictures, and compares each with the log's tree.

            EXAMPLES
              On the new machine, with its own --node and --advertise:
                greentea-audit restore --from BACKUP --keys COPY --data /var/lib/greentea
                greentea cluster join --config greentea.yaml

            EXIT CODES
              0   it can
              2   it cannot, with the reason and the remedy on standard error
              64  the command line is wrong
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            let place = try await ClusterPlace(flags)
            let (log, node) = (try place.folder.log(.readOnly, inspecting: .ifQuick), place.cluster.node)
            guard KeyStore.exists(in: DataFolder(place.folder.path).keys) else { throw ClusterRefusal.noCopy(place.folder.path) }
            let (etcd, process) = try place.connect(log)
            guard let head = try etcd.head() else { throw ClusterRefusal.none(log.origin) }
            let (own, view) = (try log.head(term: head.term, node, process: process), try etcd.view())
            if own.position > head.position { throw ClusterRefusal.ahead(own: "\(own.position)", cluster: "\(head.position)") }
            if own.position == head.position, !own.hasEvents(of: head) { throw ClusterRefusal.otherEvents("\(own.position)") }
            if let other = view.nodes[node] { throw ClusterRefusal.nameTaken("\(node)", other.url) }
            let lag = head.position.rawValue - own.position.rawValue
            try announce("the folder can join the cluster of \(log.origin): it lacks \(lag) events")
            try announce("next: greentea serve with the same settings, as node \(node)")
        }
    }
}

/// `greentea cluster reseed`: lets a cluster go on after etcd has lost events.
struct ClusterReseedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseed",
        abstract: "Give etcd the end of this folder's log, after it has lost its newest events or all of them.",
        discussion: """
            For an etcd that was restored from a snapshot or made anew, while the nodes have all events: they have stopped with \
            `engineBehind`. Stop all nodes and run this on the one with the most events: events of others beyond its end would be lost. \
            It verifies the whole log first.

            EXAMPLES
              Where does each log end? On each machine:
                greentea cluster status --config greentea.yaml
              On the one with the most events:
                greentea cluster reseed --config greentea.yaml

            EXIT CODES
              0   etcd has the end of this log, be it since before
              2   refused, with the reason and the remedy on standard error
              64  the command line is wrong
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            let place = try await ClusterPlace(flags)
            try place.folder.requireWholeLog()
            // For writing, so that no server adds events meanwhile.
            let log = try place.folder.log(.readWrite), (etcd, process) = try place.connect(log)
            let old = try etcd.head()
            let new = try log.head(term: (old?.term ?? 0) + 1, place.cluster.node, process: process)
            if let old, old.hasEvents(of: new) { return try announce("etcd has the end of this log already: position \(new.position)") }
            try check(new, against: old, log, try etcd.view())
            guard case .durable = try etcd.claim(replacing: old, as: new) else { throw ClusterRefusal.writerAlive }
            try announce("etcd has the end of this log now: position \(new.position), term \(new.term); start the nodes")
        }
    }

    private func check(_ new: Head, against old: Head?, _ log: EventLog, _ view: PresenceView) throws {
        if let old {
            guard old.position < new.position else { throw ClusterRefusal.notBehind("\(old)", own: "\(new.position)") }
            guard try log.root(through: old.position) == old.root else { throw ClusterRefusal.otherEvents("\(old.position)") }
        }
        try view.requireNone(ahead: new.position)
    }
}
