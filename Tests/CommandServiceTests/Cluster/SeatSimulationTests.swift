import EventLog
import Seeds
import SharedLogs
import Testing

@testable import CommandService
@testable import Composition

/// The rules of several nodes on one thread, with a presence that lies for a time.
@Suite struct SeatSimulationTests {
    @Test("Whatever presence tells, only a node with all events and keys claims, a term has one writer, and later all is well")
    func lies() {
        var random = SeededRandom.announced("SeatSimulationTests")
        var tally: [SeatSimulation.Occurrence: Int] = [:]
        for _ in 0..<60 {
            let seed = random.next()
            var simulation = SeatSimulation(seed: seed)
            simulation.run()
            #expect(simulation.complaint == nil, "seed \(seed)")
            tally.merge(simulation.tally, uniquingKeysWith: +)
        }
        for occurrence in SeatSimulation.Occurrence.allCases { #expect(tally[occurrence, default: 0] > 9, "\(occurrence)") }
    }
}

/// Nodes over one shared log in memory, which alone decides. The seed determines everything.
private struct SeatSimulation {
    enum Occurrence: CaseIterable { case won, lost, superseded, ended, handedOver, withdrew, unanswered, lackedKeys }

    private struct Node {
        let name: NodeName
        let process: UInt64
        var dueAt: ContinuousClock.Instant
        var rules = SeatRules()
        /// The head that it has written last; nil while it follows.
        var written: Head?
        /// Under way.
        var claim: (old: Head, new: Head)?
        var position = Position.start
        var followed = Position.start
        var lackingKeys = 0
        var currentAt: ContinuousClock.Instant?
        var clock: Int64 = 0
        var isDamaged = false
        var hindrance: String? = "it has just started."

        var note: NodeNote {
            NodeNote(
                name: name, process: process, url: "\(name)", version: "1", clock: clock, position: position.rawValue, hindrance: hindrance)
        }
    }

    private static let chaosSteps = 300, ticksMax = 20
    private static let tickSeconds = 0.1

    private(set) var tally: [Occurrence: Int] = [:]
    /// The first one; nil if everything was right.
    private(set) var complaint: String?
    private let engine = MemorySharedLog()
    private let presence = MemoryPresence()
    private var random: SeededRandom
    private var nodes: [Node] = []
    private var now = ContinuousClock.now
    private var processes: UInt64 = 0
    private var winners: [UInt64: UInt64] = [:]
    private var seen: [PresenceView] = []
    private var lies = true

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func run() {
        _ = try? engine.claim(replacing: nil, as: Head(term: 1, writer: .a, process: 0, position: .start, root: .ofNothing))
        let names = ["a", "b", "c", "d", "e"].compactMap { NodeName($0) }
        nodes = names.prefix(random.int(2...5)).map { started($0) }
        for _ in 0..<Self.chaosSteps {
            now = now.advanced(by: .milliseconds(random.int(0...200)))
            disturb()
            beat(random.int(0...nodes.count - 1))
        }
        lies = false
        for index in nodes.indices { (nodes[index].clock, nodes[index].isDamaged) = (0, false) }
        wish(for: nil)
        expect("a node writes") { $0.writer != nil }
        for index in nodes.indices.shuffled(using: &random) {
            wish(for: nodes[index].name)
            expect("the wish for \(nodes[index].name) is fulfilled") { $0.writer == index }
        }
    }

    /// The only node that writes, if all agree and none is about to claim.
    private var writer: Int? {
        let writing = nodes.indices.filter { nodes[$0].written != nil || nodes[$0].claim != nil }
        guard writing.count == 1, presence.view.writer == nodes[writing[0]].name else { return nil }
        return nodes[writing[0]].written == engine.heads.last ? writing[0] : nil
    }

    /// Lets the nodes beat in time until something holds, and then expects that nothing changes.
    private mutating func expect(_ what: String, _ holds: (Self) -> Bool) {
        var ticks = 0
        while !holds(self), ticks < Self.ticksMax {
            tick()
            ticks += 1
        }
        guard holds(self) else { return complain("\(what): not after \(ticks) ticks; \(presence.view)") }
        let term = engine.heads.last?.term
        for _ in 0..<Self.ticksMax { tick() }
        if !holds(self) || engine.heads.last?.term != term { complain("\(what): not for long") }
    }

    private mutating func tick() {
        now = now.advanced(by: .seconds(Self.tickSeconds))
        for index in nodes.indices where nodes[index].dueAt <= now {
            beat(index)
            nodes[index].dueAt = now.advanced(by: .seconds(nodes[index].rules.isNearClaim ? Self.tickSeconds : Limits.beatSeconds))
        }
    }

    private mutating func complain(_ text: String) { complaint = complaint ?? text }

    private mutating func count(_ occurrence: Occurrence) { tally[occurrence, default: 0] += 1 }

    private func wish(for name: NodeName?) { try? presence.node(.a, process: 0).wish(for: name) }
}

extension SeatSimulation {
    private mutating func started(_ name: NodeName) -> Node {
        processes += 1
        return Node(name: name, process: processes, dueAt: now)
    }

    /// Its leases end, and it follows as another process.
    private mutating func restart(_ index: Int) {
        let old = nodes[index]
        presence.expire(old.name)
        nodes[index] = started(old.name)
        (nodes[index].position, nodes[index].followed, nodes[index].lackingKeys) = (old.position, old.followed, old.lackingKeys)
        nodes[index].clock = old.clock
    }

    private mutating func disturb() {
        let index = random.int(0...nodes.count - 1)
        switch random.int(1...100) {
        case 1...2: restart(index)
        case 3...8: presence.expire(nodes[index].name)
        case 9...12: wish(for: random.oneIn(2) ? nil : nodes[index].name)
        case 13...15: nodes[index].clock = nodes[index].clock == 0 ? 86_400_000_000 : 0
        case 16...17: nodes[index].isDamaged.toggle()
        default: break
        }
    }

    private mutating func beat(_ index: Int) {
        if let claim = nodes[index].claim { return settle(claim, index) }
        let link = presence.node(nodes[index].name, process: nodes[index].process)
        let isLost = lies && random.oneIn(8)
        var note = nodes[index].note
        // A note that was under way for long.
        let old = random.pick(seen + [PresenceView()]).nodes[note.name]
        if lies, random.oneIn(6), let old, old.process == note.process { note = old }
        let answer = isLost && random.oneIn(2) ? nil : try? link.beat(note, writes: nodes[index].written != nil)
        guard !isLost, let fresh = answer else {
            nodes[index].rules.reset()
            return count(.unanswered)
        }
        seen = seen.suffix(20) + [fresh]
        var view = lies && random.oneIn(4) ? random.pick(seen) : fresh
        if lies, random.oneIn(8) { view.writer = nil }
        if nodes[index].written == nil, view.writer == note.name {
            try? link.resign()
            count(.withdrew)
        }
        act(index, view)
    }

    private mutating func act(_ index: Int, _ view: PresenceView) {
        let isAlone = nodes[index].written != nil && view.writer == nodes[index].name
        let head = isAlone ? nil : engine.heads.last
        if let head, nodes[index].written == nil { copy(through: head.position, index) }
        var state = SeatRules.Node(note: nodes[index].note, term: nodes[index].written?.term, head: head, followed: nodes[index].followed)
        state.isDamaged = nodes[index].isDamaged
        if state.term == nil {
            state.lackingKeys = nodes[index].lackingKeys
            state.secondsBehind = nodes[index].currentAt.map { (now - $0) / .seconds(1) }
            state.note.hindrance = SeatRules.hindrance(of: state, in: view)
            nodes[index].hindrance = state.note.hindrance
            if view.writer == nil, state.lackingKeys > 0 { count(.lackedKeys) }
        }
        switch nodes[index].rules.next(view, state, now: now) {
        case .follow: break
        case .claim: claim(index)
        case .write: if !lies || random.oneIn(2) { append(index) }
        case .handOver:
            nodes[index].written = nil
            try? presence.node(state.note.name, process: state.note.process).resign()
            count(.handedOver)
        case .end:
            restart(index)
            count(.ended)
        }
    }

    /// Events come in part, and some without their keys, which come later.
    private mutating func copy(through position: Position, _ index: Int) {
        var node = nodes[index]
        while node.position < position, !lies || !random.oneIn(10) {
            node.position = node.position.next
            if lies, random.oneIn(20) { node.lackingKeys += 1 }
        }
        while node.followed < node.position, !lies || !random.oneIn(10) { node.followed = node.followed.next }
        if node.lackingKeys > 0, !lies || random.oneIn(4) { node.lackingKeys = lies ? node.lackingKeys - 1 : 0 }
        if node.followed == position { node.currentAt = now }
        nodes[index] = node
    }

    private mutating func claim(_ index: Int) {
        let node = nodes[index]
        guard let old = engine.heads.last, (node.position, node.followed) == (old.position, old.position), node.lackingKeys == 0 else {
            return complain("\(node.name) claims at \(node.position), \(node.followed) with \(node.lackingKeys) keys lacking")
        }
        let new = Head(term: old.term + 1, writer: node.name, process: node.process, position: old.position, root: old.root)
        nodes[index].claim = (old, new)
        // Otherwise other nodes act before it arrives.
        if !lies || random.oneIn(2) { settle((old, new), index) }
    }

    private mutating func settle(_ claim: (old: Head, new: Head), _ index: Int) {
        nodes[index].claim = nil
        guard (try? engine.claim(replacing: claim.old, as: claim.new)) == .durable else { return count(.lost) }
        count(.won)
        if winners.updateValue(claim.new.process, forKey: claim.new.term) != nil { complain("term \(claim.new.term) has two writers") }
        (nodes[index].written, nodes[index].hindrance) = (claim.new, nil)
        _ = try? presence.node(nodes[index].name, process: nodes[index].process).beat(nodes[index].note, writes: true)
    }

    private mutating func append(_ index: Int) {
        guard let old = nodes[index].written else { return }
        let new = Head(term: old.term, writer: old.writer, process: old.process, position: old.position.next, root: old.root)
        // A claim in the same term is an append without its entry.
        guard (try? engine.claim(replacing: old, as: new)) == .durable else {
            restart(index)
            return count(.superseded)
        }
        (nodes[index].written, nodes[index].position, nodes[index].followed) = (new, new.position, new.position)
    }
}
