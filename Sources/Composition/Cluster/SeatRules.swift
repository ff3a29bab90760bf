import CommandService
import EventLog

/// Decides when a node takes the writer's place, and when it gives it up.
///
/// It only avoids that nodes disturb each other: the compare of the shared log's head alone decides who writes.
struct SeatRules {
    enum Action: Hashable {
        case follow, claim, write, handOver
        /// Another process has claimed the shared log.
        case end
    }

    /// A node as it is now.
    struct Node {
        var note: NodeNote
        /// The term in which it writes; nil while it follows.
        var term: UInt64?
        /// The shared log's head, read after the notes of the others; nil if there is none.
        var head: Head?
        /// The position through which it has followed what the events ask for beside the log.
        var followed: Position
        /// Seconds for which it may lack events; nil if it has never had all.
        var secondsBehind: Double?
        /// The holders whose keys no other node had either.
        var lackingKeys = 0
        /// The final reason why it copies no more events.
        var failure: String?
        /// The reason why the last attempt to copy events, or to do what they ask for, failed.
        var obstacle: String?
        var isDamaged = false
        /// Seconds for which its disk has not finished a commit; nil unless that is too long.
        var hungSeconds: Double?
        /// The end of the shared log as this process, or another node, has seen it at most.
        var newest = Position.start
    }

    /// See ``Limits/claimSettleSeconds``.
    var settleSeconds = 0.0
    /// Since when the shared log has answered without a pause.
    private var heardSince: ContinuousClock.Instant?
    private var vacantSince: ContinuousClock.Instant?

    /// Whether this node may take the writer's place before the next beat.
    private(set) var isNearClaim = false

    /// The node's next act.
    ///
    /// - Parameter view: read before ``Node/head``.
    mutating func next(_ view: PresenceView, _ node: Node, now: ContinuousClock.Instant) -> Action {
        let (name, wished) = (node.note.name, Self.wished(in: view))
        let heard = heardSince ?? now
        heardSince = heard
        defer { isNearClaim = node.term == nil && (vacantSince != nil || wished == name) }
        if let term = node.term {
            if let head = node.head, head.term > term { return .end }
            if node.isDamaged, view.nodes.values.contains(where: { $0.name != name && $0.hindrance == nil }) { return .handOver }
            return wished == nil || wished == name ? .write : .handOver
        }
        guard view.writer == nil, view.foreign == nil, wished == nil || wished == name, node.note.hindrance == nil else {
            vacantSince = nil
            return .follow
        }
        let since = vacantSince ?? now
        vacantSince = since
        let seconds = wished == name ? 0 : Limits.claimSecondsPerRank * Double(Self.rank(of: name, in: view))
        guard (now - since) / .seconds(1) >= seconds, (now - heard) / .seconds(1) >= settleSeconds, Self.hasAll(node) else {
            return .follow
        }
        return .claim
    }

    /// Forgets how long there has been no writer, because the notes could not be read.
    mutating func reset() { (heardSince, vacantSince, isNearClaim) = (nil, nil, false) }

    private static func hasAll(_ node: Node) -> Bool {
        guard let head = node.head else { return false }
        return head.position.rawValue == node.note.position && node.followed == head.position
    }

    /// The node that is wished for, if it can become the writer.
    private static func wished(in view: PresenceView) -> NodeName? {
        view.wished.flatMap { name in view.nodes[name].flatMap { $0.hindrance == nil ? name : nil } }
    }

    /// The number of nodes that are asked before this one.
    private static func rank(of name: NodeName, in view: PresenceView) -> Int {
        view.nodes.values.count { $0.hindrance == nil && $0.name.description < name.description }
    }
}

extension SeatRules {
    /// The reason why a node cannot become the writer now, with its remedy; nil if it can.
    static func hindrance(of node: Node, in view: PresenceView) -> String? {
        let own = node.note
        if let other = view.nodes[own.name], other.process != own.process {
            return "another process has the name \(own.name) at \(other.url). Stop it, or start this one with another --node."
        }
        guard let head = node.head else {
            return """
                etcd has nothing of this log. If it has lost its data, run `greentea cluster reseed` on the node with the most events; for \
                a new cluster, `greentea cluster init`.
                """
        }
        if let ahead = view.nodes.values.filter({ $0.position > head.position.rawValue }).max(by: { $0.position < $1.position }) {
            return """
                \(ahead.name) has \(ahead.position) events, the shared log \(head.position). Run `greentea cluster reseed` there; if these \
                events were given up, stop \(ahead.name), whose disk is an old one, and restart this node.
                """
        }
        if node.newest > head.position {
            return """
                the shared log ended at position \(node.newest), and ends at \(head.position) now. Run `greentea cluster reseed` on the \
                node with the most events, then start the others anew. If these events were given up and an old disk was started, stop \
                that node and restart this one.
                """
        }
        if let failure = node.failure { return failure }
        guard let seconds = node.secondsBehind, seconds <= Limits.claimBehindSecondsMax else {
            return "it does not have all events of the shared log yet\(node.obstacle.map { ": \($0)" } ?? ".")"
        }
        if node.lackingKeys > 0 {
            return "the keys of \(node.lackingKeys) accounts or shops are missing. Start a node with them, or one with --accept-lost-keys."
        }
        let ahead = (own.clock - medianClock(of: view, with: own)) / 1_000_000
        if abs(ahead) >= Limits.claimClockSecondsMax {
            return "its clock is \(abs(ahead)) seconds \(ahead > 0 ? "ahead of" : "behind") the other nodes. Set it, and keep it by NTP."
        }
        return node.isDamaged ? "its log is damaged. See /readyz." : nil
    }

    /// The reason why a node that writes leaves the place to another one; nil without one.
    static func hindrance(ofWriter node: Node) -> String? {
        node.hungSeconds.map { "its disk has not finished a commit for \(Int($0)) s. Look at the disk (dmesg, smartctl)." }
    }

    /// The earlier one of the middle two, because a clock that is ahead does more harm.
    private static func medianClock(of view: PresenceView, with own: NodeNote) -> Int64 {
        let clocks = (view.nodes.values.filter { $0.name != own.name }.map { $0.clock } + [own.clock]).sorted()
        return clocks[(clocks.count - 1) / 2]
    }
}
