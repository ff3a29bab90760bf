import EventLog
import Faults
import LMDB

/// The seeded mistake of a log that does not flush: the same tables, in an environment that keeps its commits in the page cache.
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
        // A log as it should be, but empty, whose events are then stored past it.
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
