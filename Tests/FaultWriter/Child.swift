import EventLog
import Faults
import Foundation
import Seeds

/// Appends a history to a log and acknowledges each batch, closing and opening the log now and then.
final class Child {
    /// A clean close and an opening after one commit in so many: the index is complete on disk then, and trusted.
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
    /// - Throws: whatever stopped the log.
    func run() throws -> Int32 {
        var left = commits
        while left > 0 {
            let count = min(left, random.int(1...2 * Self.commitsPerSession))
            if try !runSession(count) { return 4 }
            left -= count
        }
        return 0
    }

    /// - Returns: false when the appender went on after a failure.
    private func runSession(_ count: Int) throws -> Bool {
        // An index of no use, which the opening throws away: the way of another schema, and of a log restored from a backup.
        if random.oneIn(3) { try? FileManager.default.removeItem(atPath: folders.index + "/manifest") }
        // Small, so that the index is flushed in the middle of everything else.
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

    /// With a digest of what the log has, not of what was meant: a reader's view.
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
