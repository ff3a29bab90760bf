import EventLog
import Faults
import Foundation
import Seeds

/// Appends a history to a log and acknowledges each batch. At times it closes and reopens the log.
final class Child {
    /// The average number of commits before a clean close and a reopening. After a clean close, the index on disk is complete and trusted.
    private static let commitsPerSession = 20

    private let folders: LogFolders
    private let commits: Int
    private let bug: SeededBug
    private let voice: Voice
    private var history: FaultHistory
    private var random: SeededRandom

    init(_ arguments: Arguments, _ bug: SeededBug) throws {
        let seed = try arguments.seed("seed")
        folders = LogFolders(in: try arguments.text("folder"))
        commits = try arguments.int("commits")
        self.bug = bug
        history = FaultHistory(seed: seed)
        random = SeededRandom(seed: ~seed)
        voice = try Voice(in: folders.folder)
    }

    /// - Returns: the exit code.
    /// - Throws: the error that stopped the log.
    func run() throws -> Int32 {
        var left = commits
        while left > 0 {
            let count = min(left, random.int(1...2 * Self.commitsPerSession))
            if try !runSession(count) { return 4 }
            left -= count
        }
        return 0
    }

    /// - Returns: false if the appender continued after a failure, which it must not.
    private func runSession(_ count: Int) throws -> Bool {
        // An index without its manifest is discarded when the log is opened, like an index of another schema or one beside a restored log.
        if random.oneIn(3) { try? FileManager.default.removeItem(atPath: folders.index + "/manifest") }
        // The limit is small, so that index flushes happen between other operations.
        let log = try folders.open(flushEvents: random.int(8...64))
        let appender = try log.appender()
        let rows = try DerivedRows(in: folders.rows)
        for _ in 0..<count {
            try rows.add()
            do { try append(history.nextBatch(), to: log, appender) } catch {
                guard hasStopped(appender) else { return false }
                throw error
            }
        }
        try rows.close()
        try log.close()
        return true
    }

    private func append(_ batch: [NewEvent], to log: EventLog, _ appender: Appender) throws {
        let before = log.head
        try appender.stage(batch)
        if bug == .acknowledgesEarly { try acknowledge(from: before.next, through: appender.head, in: appender) }
        try appender.commit()
        if bug != .acknowledgesEarly { try acknowledge(from: before.next, through: log.head, in: log) }
    }

    /// Acknowledges a batch with a digest of the records that a reader finds in the log, not of the intended ones.
    private func acknowledge(from first: Position, through last: Position, in source: some EventSource) throws {
        for position in first.rawValue...last.rawValue {
            try source.withRecord(at: Position(position)) { (record) throws(EventLogError) in voice.add(record.bytes) }
        }
        try voice.say(last)
    }

    private func hasStopped(_ appender: Appender) -> Bool {
        do throws(EventLogError) { try appender.stage(NewEvent(type: EventType(1), time: Timestamp(microseconds: 3))) } catch {
            return error.code == .stopped && (try? appender.commit()) == nil
        }
        return false
    }
}
