import Seeds
import SharedLogs

@testable import EventLog

/// Three nodes over one shared log, on one thread and without time.
///
/// At each call of the shared log, other nodes may act before and after it, the caller may end, the request or its answer may be lost, and
/// the request may be carried out again later. The seed determines everything.
final class Simulation: @unchecked Sendable {
    static let names = ["a", "b", "c"].compactMap { NodeName($0) }
    private static let actions = 70, actionsAfterReseed = 15, coupons = 3

    let engine = MemorySharedLog()
    let mistake: Mistake?
    private(set) var nodes: [SimulatedNode] = []
    private(set) var tally: [Occurrence: Int] = [:]
    /// The first one; nil if everything was right.
    private(set) var complaint: String?
    /// Empty unless requested, because it takes most of the time.
    private(set) var trace: [String] = []
    private let isTraced: Bool
    private var random: SeededRandom
    private var actionsLeft = 0
    private var record = ClientRecord()
    private var late: [() -> Void] = []
    private var processes: UInt64 = 0
    private var hasLostADisk = false
    /// The shared log lacks events, until it is begun anew.
    private var isRolledBack = false

    init(seed: UInt64, in folder: String, _ mistake: Mistake? = nil, traced isTraced: Bool = false) {
        (random, self.mistake, self.isTraced) = (SeededRandom(seed: seed), mistake, isTraced)
        nodes = Self.names.enumerated().map { number, name in
            SimulatedNode(
                name, in: folder, over: SimulatedLink(simulation: self, node: number), peers: PeerLogs(simulation: self, node: number),
                mistake)
        }
    }

    func run() {
        for node in nodes { perform("starts", node) { () throws(EventLogError) in try node.start() } }
        play(Self.actions)
        heal()
        if random.oneIn(8) { loseEvents() }
        if complaint == nil { check() }
        (tally[.stored], tally[.refused], tally[.repeated]) = (record.storedCount, record.refusedCount, record.repeatedCount)
        // An open log would make its index's folder again.
        for node in nodes { node.end() }
    }

    private func play(_ count: Int) {
        actionsLeft = count
        while actionsLeft > 0, complaint == nil { act() }
    }

    // MARK: - Actions

    /// Lets a node act that is in no call.
    private func act() {
        actionsLeft -= 1
        if random.oneIn(5) { return deliverLate() }
        let idle = nodes.filter { !$0.isBusy }
        if idle.isEmpty { return }
        act(random.pick(idle))
    }

    private func act(_ node: SimulatedNode) {
        switch random.int(1...100) {
        case _ where !node.isUp:
            if !hasLostADisk, random.oneIn(2) {
                note("\(node.name) loses its disk")
                hasLostADisk = true
                count(.diskLost)
                node.loseDisk()
            }
            perform("starts", node) { () throws(EventLogError) in try node.start() }
        case ...3: end(node, "is killed")
        case ...15 where node.isWriter: perform("trims", node) { () throws(EventLogError) in try trim(node) }
        case ...18 where node.isWriter: perform("hands over", node) { () throws(EventLogError) in try node.handOver() }
        case _ where node.isWriter: perform("decides", node) { () throws(EventLogError) in try ask(node) }
        case ...(nodes.contains(where: \.isWriter) ? 20 : 50): perform("claims", node) { () throws(EventLogError) in try claim(node) }
        default: perform("follows", node) { () throws(EventLogError) in _ = try node.adopt() }
        }
    }

    /// A node whose action throws ends.
    private func perform(_ name: String, _ node: SimulatedNode, _ body: () throws(EventLogError) -> Void) {
        note("\(node.name) \(name)")
        node.isBusy = true
        defer { node.isBusy = false }
        do throws(EventLogError) { try body() } catch {
            switch error.code {
            case .superseded: count(.superseded)
            case .io: count(.crashed)
            case .engineBehind where isRolledBack: count(.refusedToGoOn)
            case .unreachable: return
            default: complain("\(node.name) \(name): \(error)")
            }
            end(node, "ends: \(error.code)")
        }
    }

    private func end(_ node: SimulatedNode, _ reason: String) {
        note("\(node.name) \(reason)")
        node.end()
    }

    /// Sends one to three requests, of which some are repeated.
    private func ask(_ node: SimulatedNode) throws(EventLogError) {
        let requests = (0..<random.int(1...3)).map { _ in nextRequest() }
        try ask(node, requests)
    }

    private func nextRequest() -> ClientRequest {
        if record.count > 0, random.oneIn(3) { return record.request(random.int(max(0, record.count - 8)...record.count - 1)) }
        return record.ask(UInt128(random.int(1...Self.coupons)), random.oneIn(2) ? .opened : .closed)
    }

    private func ask(_ node: SimulatedNode, _ requests: [ClientRequest]) throws(EventLogError) {
        let (before, sent) = (head, record.time)
        let answers = try node.decide(requests)
        if isFaulty, random.oneIn(30) { throw Self.crash }
        for (request, answer) in zip(requests, answers) {
            note("\(node.name) answers \(request.id): \(answer)")
            if let complaint = record.note(answer, to: request, sentAt: sent, between: before...max(before, head)) { complain(complaint) }
        }
    }

    private func claim(_ node: SimulatedNode) throws(EventLogError) {
        for _ in 0..<4 where try node.adopt() {}
        processes += 1
        let isWriter = try node.claim(process: processes, isPatient: !isFaulty || random.oneIn(2))
        note("\(node.name) \(isWriter ? "is the writer" : "is not fast enough")")
        if isWriter { count(.claimed) }
    }

    private func trim(_ node: SimulatedNode) throws(EventLogError) {
        let others = nodes.filter { $0 !== node }.map(\.position).max() ?? .start
        try node.trim(through: mistake == .trimsForOneDisk ? node.position : min(node.position, others))
        count(.trimmed)
    }

    private func deliverLate() {
        guard !late.isEmpty else { return }
        let index = random.int(0...late.count - 1)
        note("a late request arrives")
        count(.late)
        late[index]()
        if random.oneIn(2) { late.remove(at: index) }
    }

    // MARK: - Calls of the shared log

    /// Carries out a node's request, amid everything that may happen to it.
    ///
    /// - Parameter isRepeatable: whether the request may arrive again.
    func call<Answer>(
        _ name: @autoclosure () -> String, by number: Int, isRepeatable: Bool, _ request: @escaping () throws(EventLogError) -> Answer
    ) throws(EventLogError) -> Answer {
        try interrupt(number)
        note("\(nodes[number].name) asks: \(name())")
        if isRepeatable, isFaulty, random.oneIn(6) { late.append { _ = try? request() } }
        if isFaulty, random.oneIn(15) { throw lost("request") }
        let answer = try request()
        note("\(nodes[number].name) gets \(answer)")
        try interrupt(number)
        if isFaulty, random.oneIn(15) { throw lost("answer") }
        return answer
    }

    private func lost(_ what: String) -> EventLogError {
        note("the \(what) is lost")
        count(.lost)
        return EventLogError(.unreachable, "injected")
    }

    private static let crash = EventLogError(.io, "injected")

    /// Lets other nodes act, sometimes for so long that the caller is a frozen node.
    private func interrupt(_ number: Int) throws(EventLogError) {
        checkPositions()
        if complaint != nil { throw Self.crash }
        guard isFaulty, random.oneIn(4) else { return }
        let count = random.oneIn(3) ? random.int(6...20) : random.int(1...2)
        for _ in 0..<count where isFaulty { act() }
        if random.oneIn(20) { throw Self.crash }
    }

    var isFaulty: Bool { actionsLeft > 0 && complaint == nil }

    // MARK: - The end

    /// Starts all nodes without faults, answers every request, and lets all reach the head.
    private func heal() {
        actionsLeft = 0
        note("the network is healthy")
        for request in late { request() }
        for node in nodes {
            if node.isWriter, node.process != engine.heads.last?.process { end(node, "is restarted") }
            if !node.isUp { perform("starts", node) { () throws(EventLogError) in try node.start() } }
        }
        catchUp()
        let candidate = random.pick(nodes)
        if !nodes.contains(where: \.isWriter) { perform("claims", candidate) { () throws(EventLogError) in try claim(candidate) } }
        guard let writer = nodes.first(where: \.isWriter), nodes.count(where: \.isWriter) == 1 else { return complain("not one writer") }
        perform("answers all", writer) { () throws(EventLogError) in try ask(writer, record.open) }
        for request in late { request() }
        catchUp()
    }

    private func catchUp() {
        for node in nodes where !node.isWriter {
            perform("catches up", node) { () throws(EventLogError) in
                // A step may only find that it has to ask a peer.
                for _ in 0..<200 where node.position < head { _ = try node.adopt() }
            }
        }
        for node in nodes where node.position != head { complain("\(node.name) is at \(node.position), not at the head \(head)") }
    }

    /// Rolls the shared log back, as a restored snapshot does, and begins it anew at the end of the longest log.
    private func loseEvents() {
        guard complaint == nil, let end = engine.heads.last, end.position > .start else { return }
        if random.oneIn(4) {
            engine.removeEverything()
        } else {
            engine.rollBack(to: Position(UInt64(random.int(0...Int(end.position.rawValue) - 1))))
        }
        note("the shared log is rolled back to \(head)")
        isRolledBack = true
        for node in nodes {
            let isWriter = node.isWriter
            perform("goes on", node) { () throws(EventLogError) in if isWriter { try ask(node) } else { try claim(node) } }
            if node.isUp { complain("\(node.name) goes on over a shared log that lacks events") }
        }
        reseed(at: end)
        isRolledBack = false
        for node in nodes { perform("starts", node) { () throws(EventLogError) in try node.start() } }
        play(Self.actionsAfterReseed)
        heal()
    }

    private func reseed(at end: Head) {
        let head = Head(term: end.term + 1, writer: end.writer, process: processes + 1, position: end.position, root: end.root)
        processes += 1
        guard (try? engine.claim(replacing: engine.heads.last, as: head)) == .durable else {
            return complain("the shared log is not begun anew")
        }
    }

    /// The last event of the shared log.
    private var head: Position { engine.heads.last?.position ?? .start }

    /// No log has an event that the shared log lacks.
    private func checkPositions() {
        for node in nodes where node.position > head && !isRolledBack {
            complain("\(node.name) is at \(node.position), the shared log at \(head)")
        }
    }

    /// All logs are one history, to which each head that was ever stored belongs, and the clients' answers fit it.
    private func check() {
        do {
            guard let log = nodes[0].log else { return }
            for head in engine.heads where try log.root(through: head.position) != head.root { complain("another history at \(head)") }
            for node in nodes where try node.log?.root() != log.root() { complain("\(node.name) has another history") }
            var history: [ClientRequest] = []
            try log.scan { _, record in
                history.append(ClientRequest(record))
                return true
            }
            if let found = record.complaint(about: history) { complain(found) }
            if !record.open.isEmpty { complain("requests without an answer: \(record.open.map(\.id))") }
        } catch { complain("\(error)") }
    }

    // MARK: - Notes

    private func complain(_ text: String) {
        note("COMPLAINT: \(text)")
        complaint = complaint ?? text
    }

    private func count(_ occurrence: Occurrence) { tally[occurrence, default: 0] += 1 }

    private func note(_ text: @autoclosure () -> String) { if isTraced { trace.append(text()) } }
}

/// Things that must happen in simulations; otherwise they would prove little.
enum Occurrence: CaseIterable {
    case stored, refused, repeated, claimed, superseded, crashed, refusedToGoOn, lost, late, trimmed, diskLost
}
