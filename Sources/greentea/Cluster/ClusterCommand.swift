import ArgumentParser
import Audit
import CommandService
import Console
import Etcd
import EventLog
import Foundation
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
    let settings: SettingsInForce
    let folder: AuditedFolder
    let cluster: ClusterSettings

    /// - Parameter look: called with the settings while files of root can still be read.
    init(_ flags: ServiceFlags, _ look: (SettingsInForce) throws -> Void = { _ in }) async throws {
        let settings = try await SettingsInForce(flags)
        guard let data = settings.text(.data) else { throw Refusal.notConfigured(["a data folder: --data DIR"]) }
        guard let cluster = try settings.refusing({ try ClusterSettings(settings) }) else {
            throw Refusal.notConfigured(["etcd: --cluster URLS"])
        }
        try look(settings)
        let names = try? FileManager.default.contentsOfDirectory(atPath: data)
        if names?.isEmpty == true { throw ClusterRefusal.noCopy(data) }
        // Reading a log makes LMDB's lock files, and the service could not open files of root.
        try FolderOwner.become(of: data)
        (self.settings, folder, self.cluster) = (settings, try AuditedFolder(data), cluster)
    }

    private var data: DataFolder { DataFolder(folder.path) }

    /// Nil as ``KnownNodes/init(of:)``.
    var known: KnownNodes? { KnownNodes(of: data) }

    /// Checks that neither a node, nor etcd, nor what this folder knows of other nodes has later events than a new head.
    ///
    /// - Parameters:
    ///   - old: the head in etcd.
    ///   - acceptsLoss: later events of nodes that are down are given up, and removed from etcd.
    func requireLongest(_ new: Head, replacing old: Head?, in etcd: EtcdLog, acceptsLoss: Bool) throws {
        let view = try etcd.view()
        if let longest = view.nodes.values.max(by: { $0.position < $1.position }), longest.position > new.position.rawValue {
            throw ClusterRefusal.longerLog("\(longest.name)", "\(longest.position)", own: "\(new.position)")
        }
        if acceptsLoss {
            guard try etcd.removeEntries(after: new.position, while: old) else { throw ClusterRefusal.writerAlive }
            return
        }
        if let end = try etcd.newestEntry().flatMap({ Entry.last(in: $0) }), end > new.position {
            throw ClusterRefusal.laterEntries("\(end)", own: "\(new.position)")
        }
        guard let known else { return }
        // An older backup was restored into the folder.
        if known.hasLater(than: new.position, at: cluster.node) { throw ClusterRefusal.knowsNoNodes(folder.path) }
        try known.requireNoLater(than: new.position, except: cluster.node, alive: view)
    }

    /// - Throws: `ClusterRefusal.knowsNoNodes` for a folder that may be a backup of any age.
    func requireServed(ifRestored: Bool = false) throws(ClusterRefusal) {
        if ifRestored, !FileManager.default.fileExists(atPath: data.restoreNote) { return }
        if known == nil { throw .knowsNoNodes(folder.path) }
    }

    /// Forgets nodes that may never come back.
    func forgetNodes() throws {
        try KnownNodes(isOfRestored: FileManager.default.fileExists(atPath: data.restoreNote)).store(in: data)
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

/// The operator's word that events are given up.
struct LossFlags: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Give up the events that only nodes have which are down.",
            discussion: "Accepted stamps among them are lost, and these nodes must begin anew with a backup of this one."))
    var acceptLostEvents = false

    /// The term of a new head: later than that of etcd's head, and than the last that this folder's node has seen, because a restored etcd
    /// has forgotten the newest terms. If events are given up, it is so much later that the other nodes have not seen such a term either:
    /// within a term they claim no head before the last one that they have seen.
    func term(after head: Head?, _ known: KnownNodes?) -> UInt64 {
        max(head?.term ?? 0, known?.end?.term ?? 0) + (acceptLostEvents ? Self.lossTerms : 1)
    }

    private static let lossTerms: UInt64 = 10_000
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

    @OptionGroup var loss: LossFlags
    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            let place = try await ClusterPlace(flags)
            // For writing, so that no server adds events meanwhile.
            let log = try place.folder.log(.readWrite), (etcd, process) = try place.connect(log)
            let head = try log.head(term: loss.term(after: nil, place.known), place.cluster.node, process: process)
            if let found = try etcd.head() {
                guard found.hasEvents(of: head) else { throw ClusterRefusal.exists(log.origin, "\(found)") }
                return try announce("the cluster of \(log.origin) has begun already, with these events")
            }
            if !loss.acceptLostEvents { try place.requireServed(ifRestored: true) }
            try place.requireLongest(head, replacing: nil, in: etcd, acceptsLoss: loss.acceptLostEvents)
            guard case .durable = try etcd.claim(replacing: nil, as: head) else {
                throw ClusterRefusal.exists(log.origin, "another process's")
            }
            try place.forgetNodes()
            try announce("the cluster of \(log.origin) begins at position \(head.position)")
            try announce("next: start this node. Nobody can register until a second one has joined with a backup of it")
        }
    }
}

/// `greentea cluster join`: checks a folder before it is served by a further node.
struct ClusterJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Check whether a restored folder can join its cluster.",
        discussion: """
            Changes nothing. The folder is a restored backup of another node, keys and pictures included. Its master key, origin, \
            operators, public address and text messages must be those of the others, and nothing else may answer at --advertise. The \
            start fetches the events that it lacks, with their keys and pictures, and compares each with the log's tree.

            EXAMPLES
              On the new machine, with its own --node and --advertise:
                greentea-audit restore --from BACKUP --keys COPY --data /var/lib/greentea
                greentea cluster join --config greentea.yaml --master-key-file master.key

            EXIT CODES
              0   it can
              2   it cannot, with the reason and the remedy on standard error
              64  the command line is wrong
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            var configuration: ServiceConfiguration?
            let place = try await ClusterPlace(flags) { configuration = try ServiceConfiguration(toCompare: $0) }
            let (log, node) = (try place.folder.log(.readOnly, inspecting: .ifQuick), place.cluster.node)
            guard KeyStore.exists(in: DataFolder(place.folder.path).keys) else { throw ClusterRefusal.noCopy(place.folder.path) }
            let (etcd, process) = try place.connect(log)
            guard let head = try etcd.head() else { throw ClusterRefusal.none(log.origin) }
            let (own, view) = (try log.head(term: head.term, node, process: process), try etcd.view())
            if own.position > head.position { throw ClusterRefusal.ahead(own: "\(own.position)", cluster: "\(head.position)") }
            if own.position == head.position, !own.hasEvents(of: head) { throw ClusterRefusal.otherEvents("\(own.position)") }
            if let other = view.nodes[node] { throw ClusterRefusal.nameTaken("\(node)", other.url) }
            try requireNext(after: own.position, of: head, view, etcd)
            let nodes = view.nodes.values.sorted { "\($0.name)" < "\($1.name)" }
            if let configuration { try JoinCheck(configuration, place, log).compare(with: nodes, etcd) }
            let lag = head.position.rawValue - own.position.rawValue
            try announce("the folder can join the cluster of \(log.origin): it lacks \(lag) events")
            try announce("next: greentea serve with the same settings, as node \(node)")
        }
    }

    /// Checks that etcd or a living node has the first event that a folder lacks.
    private func requireNext(after own: Position, of head: Head, _ view: PresenceView, _ etcd: EtcdLog) throws {
        if own == head.position || view.nodes.values.contains(where: { $0.position > own.rawValue }) { return }
        do throws(EventLogError) {
            let first = try etcd.entries(after: own, bytes: 1).first
            if first.flatMap({ Entry.first(in: $0) }).map({ $0 <= own.next }) ?? false { return }
        } catch {
            guard error.code == .trimmed else { throw error }
        }
        throw ClusterRefusal.lacksEvents(own: "\(own)", cluster: "\(head.position)")
    }
}

/// `greentea cluster reseed`: lets a cluster go on after etcd has lost events.
struct ClusterReseedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseed",
        abstract: "Give etcd the end of this folder's log, after it has lost its newest events or all of them.",
        discussion: """
            For an etcd that was restored from a snapshot or made anew, while the nodes have all events: `status` and /readyz say \
            that a node has more events than the shared log. Run this on the stopped one with the most events, after all nodes were up for \
            some seconds: events of others beyond its end would be lost. It verifies the whole log first, and refuses if another \
            node has, or may have, later events.

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

    @OptionGroup var loss: LossFlags
    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            let place = try await ClusterPlace(flags)
            try place.folder.requireWholeLog()
            // For writing, so that no server adds events meanwhile.
            let log = try place.folder.log(.readWrite), (etcd, process) = try place.connect(log)
            let old = try etcd.head()
            let new = try log.head(term: loss.term(after: old, place.known), place.cluster.node, process: process)
            if let old, old.hasEvents(of: new) { return try announce("etcd has the end of this log already: position \(new.position)") }
            try check(new, against: old, log)
            if !loss.acceptLostEvents { try place.requireServed() }
            try place.requireLongest(new, replacing: old, in: etcd, acceptsLoss: loss.acceptLostEvents)
            guard case .durable = try etcd.claim(replacing: old, as: new) else { throw ClusterRefusal.writerAlive }
            try place.forgetNodes()
            try announce("etcd has the end of this log now: position \(new.position), term \(new.term); start the nodes")
        }
    }

    private func check(_ new: Head, against old: Head?, _ log: EventLog) throws {
        guard let old else { return }
        guard old.position < new.position else { throw ClusterRefusal.notBehind("\(old)", own: "\(new.position)") }
        guard try log.root(through: old.position) == old.root else { throw ClusterRefusal.otherEvents("\(old.position)") }
    }
}
