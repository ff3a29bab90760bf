import LMDB
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
        _ events: [NewEvent], after log: EventLog, before: NodeHash? = nil, root: NodeHash? = nil
    ) throws -> Entry {
        var batch = EncodedBatch(first: log.head.next)
        for event in events { try batch.append(event) }
        var edge = try log.tree.edge(at: log.head.rawValue)
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

    @Test("All entries of an adoption are visible together, and none if one of them is refused")
    func allOrNone() throws {
        _ = try writer(events: 4)
        let follower = try Node(.b, engine)
        let wrong: [[Int]] = [[0, 0], [0, 2], [0, 1, 3], [1, 0]]
        for numbers in wrong {
            #expect(code { try follower.appender.adopt(numbers.map { try stored($0) }) } == .logMismatch, "\(numbers)")
            #expect(follower.appender.head == .start && follower.log.head == .start)
            #expect(try follower.appender.lastPosition(of: card(0)) == nil)
        }
        try follower.appender.adopt([])
        try follower.appender.adopt([stored(0), stored(1), stored(2)])
        #expect(follower.appender.head == Position(6) && follower.log.head == Position(6))
        #expect(try follower.log.positions(matching: .tags(card(2))) == [5, 6].map { Position($0) })
        try follower.catchUp()
        #expect(follower.log.head == Position(8))
    }

    @Test("After a crash behind the commit of adopted entries, the next opening has them and their tags")
    func crashBehindTheCommit() throws {
        let node = try writer(events: 3)
        let sandbox = try Sandbox()
        do {
            let follower = try Node(.b, engine, in: sandbox)
            try follower.appender.adopt([stored(0)])
            var (batch, edge) = (try stored(1).batch, try follower.log.tree.edge(at: 2))
            batch.hash(onto: &edge, withRoot: true)
            try follower.log.storage.commit(batch)
        }
        let follower = try Node(.b, engine, in: sandbox)
        #expect(follower.log.head == Position(4))
        #expect(try follower.log.positions(matching: .tags(card(1))) == [3, 4].map { Position($0) })
        try follower.catchUp()
        #expect(try follower.records == node.records)
    }

    @Test("An entry for which the log has no room changes nothing, and the appender adopts a smaller one")
    func fullLog() throws {
        var options = EventLog.Options.tiny(flush: 5)
        options.map.bytes = 1 << 18
        let log = try Sandbox().open(options: options)
        do {
            let appender = try log.appender()
            let large = (0..<30).map { _ in event(.noted, card(9), payload: [UInt8](repeating: 7, count: 15_000)) }
            let entry = try sealed(large, after: log)
            for _ in 0..<2 {
                let error = #expect(throws: EventLogError.self) { try appender.adopt([entry]) }
                #expect(error?.storage?.code == .mapFull && error?.isOutOfSpace == true)
                #expect(appender.head == .start && log.head == .start)
                #expect(try appender.lastPosition(of: card(9)) == nil)
            }
            try appender.adopt([sealed([event(.opened, card(1))], after: log)])
        }
        let appender = try log.appender()
        #expect(try appender.stage(event(.stamped, card(1))) == Position(2))
        try appender.commit()
        #expect(try log.positions(matching: .tags(card(1))) == [1, 2].map { Position($0) })
    }

    @Test("An entry that begins later or earlier than the next position is refused")
    func gapsAndRepeats() throws {
        _ = try writer(events: 3)
        let follower = try Node(.b, engine)
        #expect(code { try follower.appender.adopt([stored(1)]) } == .logMismatch)
        try follower.appender.adopt([stored(0)])
        #expect(code { try follower.appender.adopt([stored(0)]) } == .logMismatch)
        try follower.catchUp()
        #expect(follower.log.head == Position(6))
    }

    @Test("An entry of another history is refused, although it is sealed")
    func otherHistory() throws {
        let follower = try Node(.b, engine)
        let event = event(.opened, card(1))
        let wrong = NodeHash.ofNothing, other = try #require(NodeHash([UInt8](repeating: 7, count: 32)))
        #expect(code { try follower.appender.adopt([sealed([event], after: follower.log, before: other)]) } == .logMismatch)
        #expect(code { try follower.appender.adopt([sealed([event], after: follower.log, root: wrong)]) } == .logMismatch)
        #expect(follower.appender.head == .start && follower.log.head == .start)
        try follower.appender.adopt([sealed([event], after: follower.log)])
        #expect(follower.log.head == Position(1))
    }

    @Test("An entry with a type or a kind that this program does not know is refused by name")
    func unknownEvents() throws {
        let schema = Schema(types: [.opened: "Opened"], tagKinds: [.card: TagKindRule(name: "card")])
        let follower = try Node(.b, engine, schema: schema)
        for events in [[event(.opened, card(1)), event(.closed, card(1))], [event(.opened, shop(1))]] {
            #expect(code { try follower.appender.adopt([sealed(events, after: follower.log)]) } == .schemaConflict)
        }
        #expect(follower.appender.head == .start && follower.log.head == .start)
        try follower.appender.adopt([sealed([event(.opened, card(1))], after: follower.log)])
    }
}
