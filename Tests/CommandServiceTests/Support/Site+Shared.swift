import Composition
import LoyaltyCodec
import Merkle
import SharedLogs
import Testing

@testable import EventLog

extension Site {
    /// Becomes the writer of the shared log as a node does that starts: takes over what its own log lacks, then claims.
    func claim(_ engine: MemorySharedLog) throws -> SharedCommit {
        let commit = SharedCommit(engine)
        // The service itself must find a folder without a log, and make it.
        if engine.entries.isEmpty {
            try commit.claim(as: .a, at: .start, root: .ofNothing)
        } else {
            let data = DataFolder(folder.path)
            try Self.withLog(data.log, index: data.index, adopting: engine) { log in
                try commit.claim(as: .a, at: log.head, root: log.root())
            }
        }
        return commit
    }

    /// Expects that the shared log has each event of the open service once, and nothing else; does nothing on one machine.
    func expectSameShared() throws {
        guard let engine else { return }
        engine.deliverLate()
        try expectSame(engine, as: service.log)
    }

    fileprivate static func withLog(
        _ path: String, index: String, adopting engine: MemorySharedLog, _ body: (EventLog) throws -> Void
    ) throws {
        let log = try EventLog(
            directory: path, index: index, schema: LoyaltySchema.schema, access: .readWrite, created: Timestamp(microseconds: 0))
        try log.adoptAll(of: engine)
        try body(log)
        try log.close()
    }
}

extension EventLog {
    /// Adopts every entry that this log lacks. It must have no appender.
    func adoptAll(of engine: MemorySharedLog) throws {
        let appender = try appender()
        for bytes in try engine.entries(after: head, bytes: .max) {
            try appender.adopt([Entry(bytes, key: .forTests)])
        }
    }
}

/// Expects that each head was stored once, and that a new node which adopts every entry gets the events of `log`.
func expectSame(_ engine: MemorySharedLog, as log: EventLog) throws {
    #expect(Set(engine.heads.map(\.bytes)).count == engine.heads.count)
    let folder = try TemporaryFolder()
    try Site.withLog(folder.path + "/log", index: folder.path + "/index", adopting: engine) { other in
        let (own, others) = (try log.root(), try other.root())
        #expect(own == others && log.head == other.head)
    }
}
