import EventLog
import SharedLogs
import Testing

@testable import CommandService
@testable import Composition

/// When a node takes the writer's place and gives it up, without threads and clocks.
struct SeatRulesTests {
    private static let start = ContinuousClock.now
    private static let head = Position(9)

    private static func named(_ text: String) -> NodeName { NodeName(text) ?? .a }

    private static func note(_ name: String, process: UInt64 = 1, clockSeconds: Int64 = 0, position: UInt64 = 9) -> NodeNote {
        NodeNote(
            name: named(name), process: process, url: "https://\(name)", version: "1", clock: clockSeconds * 1_000_000, position: position)
    }

    private static func view(_ notes: NodeNote..., writer: String? = nil, wished: String? = nil) -> PresenceView {
        let nodes = Dictionary(uniqueKeysWithValues: notes.map { ($0.name, $0) })
        return PresenceView(writer: writer.map(named), wished: wished.map(named), nodes: nodes)
    }

    private static func shared(_ position: Position = head, term: UInt64 = 4) -> Head {
        Head(term: term, writer: .a, process: 1, position: position, root: .ofNothing)
    }

    /// A node that can take over.
    private static func node(_ name: String, _ change: (inout SeatRules.Node) -> Void = { _ in }) -> SeatRules.Node {
        var node = SeatRules.Node(note: note(name), head: shared(), followed: head, secondsBehind: 0)
        change(&node)
        return node
    }

    private func action(
        _ rules: inout SeatRules, _ view: PresenceView, _ node: SeatRules.Node, afterSeconds seconds: Double = 0
    ) -> SeatRules.Action {
        rules.next(view, node, now: Self.start.advanced(by: .seconds(seconds)))
    }

    @Test("Without a writer, each node waits a tenth of a second for every one that comes before it")
    func ranks() {
        let view = Self.view(Self.note("a"), Self.note("b"), Self.note("c"))
        for (name, seconds) in [("a", 0.0), ("b", 0.1), ("c", 0.2)] {
            var rules = SeatRules()
            if seconds > 0 {
                #expect(action(&rules, view, Self.node(name)) == .follow)
                #expect(rules.isNearClaim)
                #expect(action(&rules, view, Self.node(name), afterSeconds: seconds - 0.01) == .follow)
            }
            #expect(action(&rules, view, Self.node(name), afterSeconds: seconds + 0.01) == .claim, "\(name)")
        }
    }

    @Test("A node that cannot write is not waited for, and a writer that appears ends the wait")
    func waits() {
        var hindered = Self.note("a")
        hindered.hindrance = "its clock"
        let vacant = Self.view(hindered, Self.note("b"), Self.note("c"))
        var rules = SeatRules()
        #expect(action(&rules, vacant, Self.node("b")) == .claim)
        rules = SeatRules()
        #expect(action(&rules, vacant, Self.node("c")) == .follow)
        let written = Self.view(hindered, Self.note("b"), Self.note("c"), writer: "b")
        #expect(action(&rules, written, Self.node("c"), afterSeconds: 1) == .follow)
        #expect(!rules.isNearClaim)
        #expect(action(&rules, vacant, Self.node("c"), afterSeconds: 2) == .follow)
        #expect(action(&rules, vacant, Self.node("c"), afterSeconds: 2.2) == .claim)
    }

    @Test(
        "A node does not claim before it has every event, and has done what they ask for",
        arguments: [(Position(8), Position(8)), (Position(9), Position(8)), (Position(8), Position(9)), (Position(10), Position(10))])
    func caughtUp(position: Position, followed: Position) {
        var rules = SeatRules()
        let node = Self.node("a") { node in (node.note.position, node.followed) = (position.rawValue, followed) }
        for seconds in [0.0, 10] { #expect(action(&rules, Self.view(Self.note("a")), node, afterSeconds: seconds) == .follow) }
        #expect(action(&rules, Self.view(Self.note("a")), Self.node("a"), afterSeconds: 11) == .claim)
    }

    @Test("A writer hands over to the node that is wished for, which claims at once while the others wait")
    func wishes() {
        let notes = (Self.note("a"), Self.note("b"), Self.note("c"))
        let (writing, vacant) = (
            Self.view(notes.0, notes.1, notes.2, writer: "a", wished: "c"), Self.view(notes.0, notes.1, notes.2, wished: "c")
        )
        var rules = SeatRules()
        #expect(action(&rules, writing, Self.node("a") { $0.term = 4 }) == .handOver)
        #expect(action(&rules, writing, Self.node("c"), afterSeconds: 9) == .follow)
        #expect(rules.isNearClaim)
        #expect(action(&rules, vacant, Self.node("c")) == .claim)
        for name in ["a", "b"] {
            rules = SeatRules()
            for seconds in [0.0, 9] { #expect(action(&rules, vacant, Self.node(name), afterSeconds: seconds) == .follow) }
        }
    }

    @Test("A writer whose log is damaged hands over if another node can write")
    func damaged() {
        var hindered = Self.note("b")
        hindered.hindrance = "its clock"
        let writing = Self.node("a") { ($0.term, $0.isDamaged) = (4, true) }
        var rules = SeatRules()
        #expect(action(&rules, Self.view(Self.note("a"), hindered, writer: "a"), writing) == .write)
        #expect(action(&rules, Self.view(Self.note("a"), hindered, Self.note("c"), writer: "a"), writing) == .handOver)
    }

    @Test("A wish for the writer itself, for a node that is gone, and for one that cannot write changes nothing")
    func idleWishes() {
        var hindered = Self.note("c")
        hindered.hindrance = "its clock"
        for view in [
            Self.view(Self.note("a"), writer: "a", wished: "a"), Self.view(Self.note("a"), writer: "a", wished: "b"),
            Self.view(Self.note("a"), hindered, writer: "a", wished: "c"), Self.view(Self.note("a"), writer: "a"),
        ] {
            var rules = SeatRules()
            #expect(action(&rules, view, Self.node("a") { $0.term = 4 }) == .write)
        }
    }

    @Test("A writer ends if the shared log has a later term, and not because another node is named")
    func superseded() {
        var rules = SeatRules()
        let view = Self.view(Self.note("a"), Self.note("b"), writer: "b")
        #expect(action(&rules, view, Self.node("a") { $0.term = 4 }) == .write)
        #expect(action(&rules, view, Self.node("a") { ($0.term, $0.head) = (4, Self.shared(term: 5)) }) == .end)
    }

    @Test("Each reason why a node cannot write is named, and keeps it from claiming")
    func hindrances() {
        let other = Self.note("b")
        let day: Int64 = 86_400
        let cases: [(String, PresenceView, (inout SeatRules.Node) -> Void)] = [
            ("another process has the name a", Self.view(Self.note("a", process: 2), other), { _ in }),
            ("greentea cluster init", Self.view(Self.note("a"), other), { $0.head = nil }),
            ("b has 10 events", Self.view(Self.note("a"), Self.note("b", position: 10)), { _ in }),
            ("greentea cluster reseed", Self.view(Self.note("a"), other), { $0.head = Self.shared(Position(8)) }),
            ("stopped", Self.view(Self.note("a"), other), { $0.failure = "stopped" }),
            ("does not have all events", Self.view(Self.note("a"), other), { $0.secondsBehind = nil }),
            ("does not have all events", Self.view(Self.note("a"), other), { $0.secondsBehind = 3.5 }),
            ("yet: no answer", Self.view(Self.note("a"), other), { ($0.secondsBehind, $0.obstacle) = (nil, "no answer") }),
            ("keys of 2", Self.view(Self.note("a"), other), { $0.lackingKeys = 2 }),
            ("86400 seconds ahead", Self.view(Self.note("a"), other), { $0.note.clock = day * 1_000_000 }),
            ("behind", Self.view(Self.note("a"), Self.note("b", clockSeconds: day), Self.note("c", clockSeconds: day)), { _ in }),
            ("damaged", Self.view(Self.note("a"), other), { $0.isDamaged = true }),
            ("stop b, whose disk", Self.view(Self.note("a"), Self.note("b", position: 10)), { _ in }),
            ("an old disk was started", Self.view(Self.note("a"), other), { $0.newest = Position(10) }),
            ("ended at position 10", Self.view(Self.note("a"), other), { $0.newest = Position(10) }),
        ]
        for (text, view, change) in cases {
            var node = Self.node("a", change)
            node.note.hindrance = SeatRules.hindrance(of: node, in: view)
            #expect(node.note.hindrance?.contains(text) == true, "\(text): \(node.note.hindrance ?? "none")")
            var rules = SeatRules()
            for seconds in [0.0, 10] { #expect(action(&rules, view, node, afterSeconds: seconds) == .follow, "\(text)") }
        }
        #expect(SeatRules.hindrance(of: Self.node("a"), in: Self.view(Self.note("a"), other)) == nil)
    }

    @Test("After each silence of the shared log, a claim waits for what the other nodes tell then")
    func settling() {
        var rules = SeatRules()
        rules.settleSeconds = 1
        let vacant = Self.view(Self.note("a"))
        for start in [0.0, 10] {
            #expect(action(&rules, vacant, Self.node("a"), afterSeconds: start) == .follow)
            #expect(action(&rules, vacant, Self.node("a"), afterSeconds: start + 0.9) == .follow)
            #expect(action(&rules, vacant, Self.node("a"), afterSeconds: start + 1) == .claim)
            rules.reset()
        }
        let written = Self.view(Self.note("a"), Self.note("b"), writer: "b")
        #expect(action(&rules, written, Self.node("a"), afterSeconds: 20) == .follow)
        #expect(action(&rules, vacant, Self.node("a"), afterSeconds: 30) == .claim, "a writer that is lost later is replaced at once")
    }

    @Test("Nobody claims while something foreign stands in place of the writer's name, and a writer goes on")
    func foreign() {
        var (rules, view) = (SeatRules(), Self.view(Self.note("a")))
        view.foreign = [1]
        for seconds in [0.0, 10] { #expect(action(&rules, view, Self.node("a"), afterSeconds: seconds) == .follow) }
        #expect(action(&rules, view, Self.node("a") { $0.term = 4 }) == .write)
    }

    @Test("Of two nodes that disagree about the time, the earlier one can write; of three, the two that agree")
    func clocks() {
        let (now, ahead) = (Self.note("b"), Self.note("c", clockSeconds: 3_600))
        #expect(SeatRules.hindrance(of: Self.node("a"), in: Self.view(Self.note("a"), ahead)) == nil)
        #expect(SeatRules.hindrance(of: Self.node("a"), in: Self.view(Self.note("a"), now, ahead)) == nil)
        let early = Self.node("a") { $0.note.clock = -3_600_000_000 }
        #expect(SeatRules.hindrance(of: early, in: Self.view(Self.note("a"), now, Self.note("c"))) != nil)
    }
}
