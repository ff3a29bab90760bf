import Merkle
import SharedLogs
import Testing

@testable import EventLog

/// The code of the log's error that a closure throws; nil without one.
func code(_ act: () throws -> Void) -> EventLogError.Code? {
    do { try act() } catch { return (error as? EventLogError)?.code }
    return nil
}

/// A node of a cluster: a log, its appender, and the step that makes a batch durable in the shared log, too.
final class Node {
    let name: NodeName
    let commit: SharedCommit
    let log: EventLog
    let appender: Appender
    private let engine: MemorySharedLog

    /// - Parameter durability: wraps the step.
    init(
        _ name: NodeName, _ engine: MemorySharedLog, in sandbox: Sandbox? = nil, schema: Schema = .forTests,
        durability: (SharedCommit) -> any BatchDurability = { $0 }
    ) throws {
        (self.name, self.engine) = (name, engine)
        commit = SharedCommit(engine)
        var options = EventLog.Options.tiny(flush: 5)
        options.durability = durability(commit)
        log = try (sandbox ?? Sandbox()).open(schema: schema, options: options)
        appender = try log.appender()
    }

    /// Adopts everything that the shared log has beyond this node's log.
    func catchUp() throws {
        for bytes in try engine.entries(after: log.head, bytes: .max) { try appender.adopt([Entry(bytes, key: .forTests)]) }
    }

    func claim() throws { try commit.claim(as: name, at: log.head, root: log.root()) }

    func append(_ events: NewEvent...) throws {
        try appender.stage(events)
        try appender.commit()
    }

    /// All records, byte for byte.
    var records: [[UInt8]] {
        get throws {
            var records: [[UInt8]] = []
            try log.scan { _, record in
                records.append(record.copiedBytes)
                return true
            }
            return records
        }
    }
}

/// Expects that a new node which adopts every entry gets the log of `log`, byte for byte.
func expectSameLog(from engine: MemorySharedLog, as log: EventLog) throws {
    let other = try Node(.b, engine)
    try other.catchUp()
    #expect(other.log.head == log.head)
    #expect(try other.log.root() == log.root())
    try log.scan { position, record in
        let (own, others) = (record.copiedBytes, try other.log.withRecord(at: position) { $0.copiedBytes })
        #expect(own == others, "position \(position)")
        return true
    }
    #expect(try other.log.positions(matching: .all) == log.positions(matching: .all))
}

/// Expects that each head was stored once, and that the entries lead from the empty log to the last head.
func expectUnbrokenChain(_ engine: MemorySharedLog) {
    #expect(Set(engine.heads.map(\.bytes)).count == engine.heads.count)
    var (position, root) = (Position.start, NodeHash.ofNothing)
    for entry in engine.entries {
        #expect(entry.first == position.next && entry.before == root, "\(entry)")
        (position, root) = (entry.last, entry.after)
    }
    #expect(engine.heads.last?.position == position && engine.heads.last?.root == root)
}
