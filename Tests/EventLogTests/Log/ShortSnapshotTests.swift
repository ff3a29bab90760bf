import Foundation
import LMDB
import Merkle
import Testing

@testable import EventLog

/// A long walk over the records uses several snapshots, and holds none of them for long. The tests commit during a walk, so each new
/// snapshot shows a newer commit, by which the tests tell the snapshots apart.
@Suite(.temporaryFolder) struct ShortSnapshotTests {
    private let records = 3 * LogLimits.snapshotRecordsMax + 17

    /// Creates a log with all ``records`` in one batch, and returns it with its appender.
    private func log(_ sandbox: Sandbox) throws -> (EventLog, Appender) {
        let log = try sandbox.open()
        let appender = try log.appender()
        for number in 0..<records { try appender.stage(event(.stamped, card(UInt128(number % 7)))) }
        try appender.commit()
        return (log, appender)
    }

    /// The number of the commit that the oldest live snapshot shows.
    private func oldest(_ log: EventLog) -> Int? { log.storage.environment.readers.map(\.transaction).min() }

    @Test("A walk continues in a new snapshot after a bounded number of records", arguments: [false, true])
    func walk(backwards: Bool) throws {
        let (log, appender) = try log(try Sandbox())
        var (seen, snapshots): ([UInt64], [Int: UInt64]) = ([], [:])
        func look(_ position: Position) throws {
            seen.append(position.rawValue)
            let held = try #require(oldest(log))
            snapshots[held, default: 0] += 1
            // One event is committed for each record of the walk, so the number of records that the walk reads in each snapshot can be
            // counted.
            try appender.stage(event(.stamped, card(1)))
            try appender.commit()
        }
        if backwards {
            try log.storage.scanBackwards(from: 1, through: records) { (position, _) throws(EventLogError) in
                do { try look(position) } catch { throw EventLogError(any: error) }
                return true
            }
            #expect(seen == (1...records).reversed())
        } else {
            try log.scan(through: Position(records)) { position, _ in
                try look(position)
                return true
            }
            #expect(seen == Array(1...records))
        }
        #expect(snapshots.count == 4)
        #expect(snapshots.values.max() == LogLimits.snapshotRecordsMax)
        #expect(oldest(log) == nil)
    }

    @Test("A walk that ends early or fails releases its snapshot") func earlyEnd() throws {
        let (log, _) = try log(try Sandbox())
        var count = 0
        try log.scan { _, _ in
            count += 1
            return count < 1_500
        }
        #expect(count == 1_500)
        #expect(throws: CancellationError.self) { try log.scan { _, _ in throw CancellationError() } }
        #expect(oldest(log) == nil)
    }

    @Test("A snapshot that stays is reported at the second check, and then once an hour") func reports() {
        var looks = SnapshotLooks()
        func look(_ snapshots: (process: Int32, commit: Int, behind: Int)...) -> [Int32] {
            looks.look(at: snapshots.map { .init(process: $0.process, commit: $0.commit, commitsBehind: $0.behind) }).map(\.process)
        }
        #expect(look((7, 100, 5), (8, 105, 0)) == [], "every snapshot may be new at the first check")
        #expect(look((7, 100, 9), (8, 105, 4), (9, 109, 0)) == [7], "process 8 showed the last commit at the first check")
        #expect(look((7, 100, 12), (8, 110, 2), (9, 109, 3)) == [], "process 7 was reported already, process 8 has another snapshot")
        for _ in 0..<58 { #expect(look((7, 100, 20)) == []) }
        #expect(look((7, 100, 20)) == [7], "a snapshot is reported again after an hour")
        #expect(look() == [] && look((7, 100, 20)) == [], "a released snapshot is forgotten")
    }

    /// Tests the walk of a backup. A backup cannot know whether another process writes to the file, so the walk assumes that one does.
    @Test("A copy of a log holds no commit for longer than a bounded number of records") func copy() throws {
        let sandbox = try Sandbox()
        try log(sandbox).0.close()
        let source = try LogFile(directory: sandbox.log)
        var commits: [ObjectIdentifier] = [], held: [Bool] = []
        var kept: [LogFile] = []
        try source.copy(to: sandbox.path + "/copy") { log in
            kept.append(log)
            held.append(log.isHeld && !source.isHeld)
            commits.append(ObjectIdentifier(log))
        }
        #expect(held == [true, true, true, true])
        #expect(Set(commits).count == 4)
        kept = []
        source.letGo()
        let copy = try LogFile(directory: sandbox.path + "/copy")
        #expect(copy.head == Position(records))
        #expect(try copy.root(at: records) == source.root(at: records))
        #expect(copy.nameProblems(by: .forTests) == [])
    }
}
