import Merkle
import SharedLogs
import Testing

@testable import EventLog

/// A follower takes over only entries that continue its log.
@Suite(.temporaryFolder) struct AdoptionTests {
    private let engine = MemorySharedLog()

    private func writer(events: Int) throws -> Node {
        let node = try Node(.a, engine)
        try node.claim()
        for number in 0..<events { try node.append(event(.opened, card(UInt128(number))), event(.stamped, card(UInt128(number)))) }
        return node
    }

    private func stored(_ number: Int) throws -> Entry { try Entry(engine.entries[number].bytes, key: .forTests) }

    /// An entry of these records, sealed with the right key, and with wrong roots if they are given.
    private func sealed(
        _ events: [NewEvent], after node: Node, before: NodeHash? = nil, root: NodeHash? = nil
    ) throws -> Entry {
        var batch = EncodedBatch(first: node.log.head.next)
        for event in events { try batch.append(event) }
        var edge = try node.log.tree.edge(at: node.log.head.rawValue)
        let ownBefore = edge.root
        batch.hash(onto: &edge, withRoot: true)
        var bytes = Entry(batch, term: 1, before: before ?? ownBefore, key: .forTests).bytes
        if let root {
            bytes.replaceSubrange(56..<88, with: root.bytes)
            bytes.replaceSubrange((bytes.count - 32)..., with: EntryKey.forTests.code(of: bytes.dropLast(32)))
        }
        return try Entry(bytes, key: .forTests)
    }

    @Test("A log that adopts every entry has the same bytes, answers and root, also after it was opened again")
    func sameBytes() throws {
        let node = try writer(events: 20)
        let sandbox = try Sandbox()
        do {
            let follower = try Node(.b, engine, in: sandbox)
            try follower.catchUp()
            #expect(try follower.records == node.records)
            #expect(try follower.log.root() == node.log.root())
            #expect(try follower.appender.positions(matching: .tags(card(7))) == node.log.positions(matching: .tags(card(7))))
        }
        let again = try Node(.b, engine, in: sandbox)
        #expect(try again.records == node.records)
        try again.catchUp()
        try again.claim()
        try again.append(event(.closed, card(7)))
        #expect(again.log.head == Position(41))
        expectUnbrokenChain(engine)
    }

    @Test("An adopted event can be read by the appender at once, and by others once it is stored")
    func staging() throws {
        _ = try writer(events: 2)
        let follower = try Node(.b, engine)
        let batches = [try follower.appender.adopt(stored(0)), try follower.appender.adopt(stored(1))]
        #expect(follower.appender.head == Position(4) && follower.log.head == .start)
        #expect(try follower.appender.lastPosition(of: card(1)) == Position(4))
        for batch in batches { try follower.appender.store(batch) }
        #expect(follower.log.head == Position(4))
    }

    @Test("An entry that begins later or earlier than the next position is refused")
    func gapsAndRepeats() throws {
        _ = try writer(events: 3)
        let follower = try Node(.b, engine)
        #expect(code { _ = try follower.appender.adopt(stored(1)) } == .logMismatch)
        try follower.appender.store(follower.appender.adopt(stored(0)))
        #expect(code { _ = try follower.appender.adopt(stored(0)) } == .logMismatch)
        try follower.catchUp()
        #expect(follower.log.head == Position(6))
    }

    @Test("An entry of another history is refused, although it is sealed")
    func otherHistory() throws {
        let follower = try Node(.b, engine)
        let event = event(.opened, card(1))
        let wrong = NodeHash.ofNothing, other = try #require(NodeHash([UInt8](repeating: 7, count: 32)))
        #expect(code { _ = try follower.appender.adopt(sealed([event], after: follower, before: other)) } == .logMismatch)
        #expect(code { _ = try follower.appender.adopt(sealed([event], after: follower, root: wrong)) } == .logMismatch)
        #expect(follower.appender.head == .start, "nothing is staged")
        try follower.appender.store(follower.appender.adopt(sealed([event], after: follower)))
        #expect(follower.log.head == Position(1))
    }

    @Test("An entry with a type or a kind that this program does not know is refused by name")
    func unknownEvents() throws {
        let schema = Schema(types: [.opened: "Opened"], tagKinds: [.card: TagKindRule(name: "card")])
        let follower = try Node(.b, engine, schema: schema)
        for events in [[event(.opened, card(1)), event(.closed, card(1))], [event(.opened, shop(1))]] {
            #expect(code { _ = try follower.appender.adopt(sealed(events, after: follower)) } == .schemaConflict)
        }
        #expect(follower.appender.head == .start, "nothing is staged")
        try follower.appender.store(follower.appender.adopt(sealed([event(.opened, card(1))], after: follower)))
    }
}
