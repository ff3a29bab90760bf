import ArgumentParser
import Audit
import Console
import Etcd
import EventLog
import Foundation

/// `greentea cluster status`: shows the nodes of a cluster, and etcd's members.
struct ClusterStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the nodes of the cluster, the one that writes, and etcd's members.",
        discussion: """
            BEHIND counts events that a node's disk lacks; CLOCK is its difference from the median of all nodes. A line below a node says \
            why it cannot become the writer now. A node that this folder's node has seen within seven days, and that is not there, needs \
            attention.

            EXAMPLES
              For people, and for scripts:
                greentea cluster status --config greentea.yaml
                greentea cluster status --config greentea.yaml --json

            EXIT CODES
              0   a node writes, and nothing needs attention
              1   no node writes, or this folder has events that etcd lacks
              3   a node writes, and the lines at the end say what needs attention
              2   no answer, with the reason and the remedy on standard error
              64  the command line is wrong
            """)

    private static let attentionCode: Int32 = 3

    @OptionGroup var flags: ServiceFlags

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        try await reportingRefusals {
            let place = try await ClusterPlace(flags)
            let log = try place.folder.log(.readOnly, inspecting: .ifQuick), own = log.head.rawValue
            let etcd: EtcdLog
            do { (etcd, _) = try place.connect(log) } catch {
                if !json { try announce("this folder  position \(own)") }
                throw error
            }
            let (head, view, now) = (try etcd.head(), try etcd.view(), Int64(Date().timeIntervalSince1970))
            let picture = ClusterPicture(
                log: log.origin, own: own, head: head, view: view, missing: place.known?.missing(in: view, at: now) ?? [],
                members: try etcd.status())
            if json { try announce(picture.json) } else { for line in picture.lines { try announce(line) } }
            if picture.view.writer == nil || picture.isAhead { throw ExitCode(1) }
            if !picture.cares.isEmpty { throw ExitCode(Self.attentionCode) }
        }
    }
}

/// `greentea cluster promote`: makes another node the writer.
struct ClusterPromoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Make a node the writer.",
        discussion: """
            The present writer finishes what it has begun, and writes that arrive meanwhile wait for a moment. Without a writer, the \
            other nodes leave the node the place for some seconds. On any machine with the cluster's settings and a folder of the log.

            EXAMPLES
              Before the machine of the writer is restarted:
                greentea cluster promote tea-2 --config greentea.yaml
              The same in other words:
                greentea cluster handover --to tea-2 --config greentea.yaml

            EXIT CODES
              0   the node writes
              1   it does not, with the reason on standard error
              2   refused or unusable, with the reason and the remedy on standard error
              64  the command line is wrong
            """,
        aliases: ["handover"])

    /// The wish ends about then.
    private static let secondsMax = 10.0
    private static let pause = Duration.milliseconds(200)

    @Argument(help: "The node's name.", transform: Self.node)
    var name: NodeName?

    @Option(help: ArgumentHelp("The node's name, instead of the word.", valueName: "name"), transform: Self.node)
    var to: NodeName?

    @OptionGroup var flags: ServiceFlags

    func validate() throws { if (name == nil) == (to == nil) { throw ValidationError("Name one node, such as tea-2.") } }

    private static func node(_ text: String) throws -> NodeName {
        try parsed(text, or: "is no name of a node such as tea-2.") { NodeName($0) }
    }

    func run() async throws {
        guard let name = name ?? to else { return }
        try await reportingRefusals {
            let place = try await ClusterPlace(flags)
            let (etcd, _) = try place.connect(try place.folder.log(.readOnly, inspecting: .ifQuick))
            var view = try etcd.view()
            guard let node = view.nodes[name] else {
                let alive = view.nodes.keys.map { "\($0)" }.sorted().joined(separator: ", ")
                try refuse(name, "no node of that name is alive. Alive: \(alive.isEmpty ? "none" : alive)")
            }
            if let hindrance = node.hindrance, view.writer != name { try refuse(name, hindrance) }
            let end = ContinuousClock.now + .seconds(Self.secondsMax)
            try etcd.wish(for: name)
            while view.writer != name {
                guard ContinuousClock.now < end else { try refuse(name, reason(name, view)) }
                try await Task.sleep(for: Self.pause)
                view = try etcd.view()
            }
            try etcd.wish(for: nil)
            try announce("\(name) writes")
        }
    }

    private func reason(_ name: NodeName, _ view: PresenceView) -> String {
        guard let node = view.nodes[name] else { return "it is no longer alive" }
        return node.hindrance ?? "after \(Int(Self.secondsMax)) seconds the writer is \(view.writer.map { "\($0)" } ?? "nobody")"
    }

    private func refuse(_ name: NodeName, _ reason: String) throws -> Never {
        StandardError.write("greentea: \(name) does not write: \(reason)")
        throw ExitCode(1)
    }
}

/// A cluster at one moment.
struct ClusterPicture {
    let log: String
    /// The last event of the folder that the command was given.
    let own: UInt64
    let head: Head?
    let view: PresenceView
    /// See ``KnownNodes/missing(in:at:)``.
    let missing: [String]
    let members: [EndpointStatus]

    /// The folder's end was read before the head.
    var isAhead: Bool { head.map { own > $0.position.rawValue } ?? false }

    private var nodes: [NodeNote] { view.nodes.values.sorted { "\($0.name)" < "\($1.name)" } }

    /// See `PresenceView.foreign`.
    private var foreign: String? { view.foreign.map { String(decoding: $0.prefix(Self.foreignBytesMax), as: UTF8.self) } }

    /// Seconds.
    private func clockDifference(of node: NodeNote) -> Double {
        let clocks = view.nodes.values.map(\.clock).sorted()
        return Double(node.clock - clocks[(clocks.count - 1) / 2]) / 1e6
    }

    private func lag(of node: NodeNote) -> UInt64 {
        let end = head?.position.rawValue ?? 0
        return end - min(end, node.position)
    }

    /// Conditions that do not stop writes, but may soon.
    var cares: [String] {
        let ahead = isAhead ? ["this folder has \(own) events, the shared log \(head?.position ?? .start): \(Self.aheadRemedy)"] : []
        let lonely = view.nodes.count == 1 ? ["no second node is alive: nobody can register"] : []
        let hindered = nodes.filter { $0.hindrance != nil }.map { "\($0.name) cannot write" }
        let others = nodes.filter(hasOtherSettings).map { "\($0.name) has other settings than the writer" }
        let silent = members.filter { $0.fault != nil }.map { "\($0.endpoint) gives no answer" }
        return ahead + lonely + missing + hindered + others + silent + members.compactMap(\.roomFault).prefix(1)
    }

    private func hasOtherSettings(_ node: NodeNote) -> Bool {
        node.settings != (view.writer.flatMap { view.nodes[$0] } ?? nodes[0]).settings
    }

    var json: String {
        let nodes = nodes.map { node in
            JSONLine.object([
                "name": "\(node.name)", "url": node.url, "version": node.version, "position": node.position, "lag": lag(of: node),
                "erasedThrough": node.erasedThrough, "clockSeconds": clockDifference(of: node), "otherSettings": hasOtherSettings(node),
                "hindrance": node.hindrance,
            ])
        }
        let members = members.map { member in
            JSONLine.object([
                "url": member.endpoint, "version": member.version, "bytes": member.databaseBytes, "alarms": member.alarms,
                "fault": member.fault?.ofMember,
            ])
        }
        return JSONLine.text([
            "log": log, "folderPosition": own, "position": head?.position.rawValue, "term": head?.term,
            "writer": view.writer.map { "\($0)" as Any } ?? NSNull(), "foreignWriter": foreign, "wished": view.wished.map { "\($0)" },
            "nodes": nodes, "members": members, "attention": cares,
        ])
    }

    var lines: [String] {
        let end = head.map { "position \($0.position), term \($0.term)" } ?? Self.noHead
        let writer = view.writer.map { "\($0)" } ?? foreign.map { "none: its key has `\($0)`, which no node has written" } ?? "none"
        let top = [["log", log], ["head", end], ["writer", writer], ["this folder", "position \(own)"]]
        let rows = nodes.flatMap { node -> [[String]] in
            let role = node.name == view.writer ? "writer" : "follower", clock = String(format: "%+.0f s", clockDifference(of: node))
            let settings = hasOtherSettings(node) ? "other" : "same"
            let row = ["\(node.name)", role, "\(node.position)", "\(lag(of: node))", clock, node.version, settings, node.url]
            return [row] + (node.hindrance.map { [["  cannot write: \($0)"]] } ?? [])
        }
        let nodeTable = [["NODE", "ROLE", "POSITION", "BEHIND", "CLOCK", "VERSION", "SETTINGS", "ADDRESS"]] + rows
        let memberRows = members.map { member in
            [
                member.endpoint, member.version ?? "-", member.databaseBytes.map { "\($0 >> 20) MB" } ?? "-",
                member.fault?.ofMember ?? member.alarms.joined(separator: ", "),
            ]
        }
        let memberTable = [["MEMBER", "VERSION", "SIZE", "FAULTS"]] + memberRows
        return Self.table(top) + [""] + Self.table(nodeTable) + [""] + Self.table(memberTable) + cares.map { "attention: \($0)" }
    }

    private static let foreignBytesMax = 60
    private static let aheadRemedy =
        "if etcd has lost events, greentea cluster reseed; if they were given up, begin this node anew with a backup of another"
    private static let noHead = "none: where there was one, etcd has lost it (greentea cluster reseed); otherwise greentea cluster init"

    /// The last cell of a row is no part of a column.
    private static func table(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths: [Int] = (0..<columns).map { column in
            rows.filter { $0.count > column + 1 }.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row -> String in
            let cells: [String] = zip(row.dropLast(), widths).map { $0.padding(toLength: $1 + 2, withPad: " ", startingAt: 0) }
            return cells.joined() + (row.last ?? "")
        }
    }
}
