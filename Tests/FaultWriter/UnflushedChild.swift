import EventLog
import Faults
import LMDB

/// Simulates a log that never flushes, which is one of the seeded bugs. It stores the events in the table of a log, but in an environment
/// that leaves its commits in the page cache.
struct UnflushedChild {
    private let folders: LogFolders
    private let commits: Int
    private let seed: UInt64

    init(_ arguments: Arguments) throws {
        folders = LogFolders(in: try arguments.text("folder"))
        commits = try arguments.int("commits")
        seed = try arguments.seed("seed")
    }

    func run() throws {
        // Creates a valid empty log. After that, the events are stored without the log's code.
        try folders.open().close()
        var options = Environment.Options()
        options.durability = .none
        options.mapSizeMax = 1 << 30
        let environment = try Environment(directory: folders.log, access: .readWrite, options: options)
        let events = try environment.table("events", .integer)
        var history = FaultHistory(seed: seed), head = Position.start
        let voice = try Voice(in: folders.folder)
        for _ in 0..<commits {
            try append(history.nextBatch(), &head, environment, events, voice)
            try voice.say(head)
        }
    }

    private func append(
        _ batch: [NewEvent], _ head: inout Position, _ environment: Environment, _ events: Table, _ voice: Voice
    ) throws {
        var write = try environment.write()
        for event in batch {
            var record: [UInt8] = []
            try RecordEncoder.append(event, to: &record)
            voice.add(record.span)
            head = head.next
            try write.append(events, head.rawValue, record.span)
        }
        try write.commit()
    }
}
