import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import Testing

/// Restores of a chain up to a position or a time.
@Suite struct CutRestoreTests {
    private func free() -> String { TestData().path + "/data" }

    private func restore(_ fixture: ChainFixture, until bound: ReplayBound, to target: String) throws -> Restore.Outcome {
        try ChainRestore(from: fixture.place + "/inc2", to: target, until: bound, options: ChainFixture.options).run()
    }

    /// A full backup of 30 events and two increments of 30 each.
    private func chain() throws -> (ChainFixture, times: [Int64]) {
        let fixture = try ChainFixture("cut", events: 90)
        for (number, end) in [(1, 60), (2, 90)] {
            try fixture.grow(to: end)
            _ = try fixture.increment("inc\(number)", onto: number == 1 ? "full" : "inc1")
        }
        var times: [Int64] = []
        let log = try fixture.data.log(.readOnly)
        try log.scan { _, record in
            times.append(record.time.microseconds)
            return true
        }
        try log.close()
        return (fixture, times)
    }

    @Test("A chain is restored to each of its positions, also within the full backup, and never ends within a command")
    func positions() throws {
        let (fixture, _) = try chain()
        var exact = 0
        for position in 1...90 as ClosedRange<UInt64> {
            let target = free()
            let outcome = try restore(fixture, until: .position(Position(position)), to: target)
            let head = outcome.report.head
            try #require(outcome.isClean && head.rawValue <= position, "\(position): \(outcome)")
            if head.rawValue == position {
                exact += 1
            } else {
                #expect(
                    outcome.advice.contains { $0.hasPrefix("cut  ") && $0.contains("of a command") || $0.contains("belong to a command") })
            }
            let root = try AuditedFolder(target).log(.readOnly).root()
            #expect(try root == fixture.folder.log(.readOnly).root(through: head), "\(position)")
        }
        #expect(exact > 45, "\(exact)")
        #expect(try restore(fixture, until: .position(Position(90)), to: free()).report.head == Position(90))
    }

    @Test("A time stands for the last event before the first later one")
    func times() throws {
        let (fixture, times) = try chain()
        for index in stride(from: 0, to: 89, by: 7) {
            let expected = times.firstIndex { $0 > times[index] } ?? 90
            for time in [times[index], (expected < 90 ? times[expected] : .max) - 1] {
                let outcome = try restore(fixture, until: .time(Timestamp(microseconds: time)), to: free())
                #expect(outcome.isClean && outcome.report.head.rawValue <= UInt64(expected))
                #expect(outcome.report.head.rawValue + 4 >= UInt64(expected), "\(outcome.report.head), not \(expected)")
            }
        }
    }

    @Test("A bound behind the last event leaves nothing out, and no line says that it did")
    func nothingCut() throws {
        let (fixture, times) = try chain()
        for bound in [ReplayBound.time(Timestamp(microseconds: .max)), .time(Timestamp(microseconds: times[89])), .position(Position(90))] {
            let outcome = try restore(fixture, until: bound, to: free())
            #expect(outcome.isClean && outcome.report.head == Position(90))
            #expect(!outcome.advice.contains { $0.hasPrefix("cut  ") }, "\(outcome.advice)")
        }
    }

    @Test("A position or time that the chain does not have is refused, and the error names the possible ones")
    func impossible() throws {
        let (fixture, times) = try chain()
        let target = free()
        for bound in [ReplayBound.position(.start), .position(Position(91)), .time(Timestamp(microseconds: times[0] - 1))] {
            let error = #expect(throws: AuditError.self) { try restore(fixture, until: bound, to: target) }
            #expect(error?.code == .input && error?.remedy.contains("from 1 to 90") == true, "\(String(describing: error))")
        }
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(ReplayBound(text: "2026-11-21") == nil && ReplayBound(text: "2026-11-21T09:00:00") == nil)
    }

    @Test("A cut log is refused over a log or a checkpoint that has more events")
    func backwards() throws {
        let (fixture, _) = try chain()
        #expect(auditCode { _ = try restore(fixture, until: .position(Position(50)), to: fixture.data.path) } == .backwards)
    }

    @Test("A damaged backup behind the cut does not prevent the restore")
    func damagedBehind() throws {
        let (fixture, _) = try chain()
        let events = URL(filePath: fixture.place + "/inc2/events")
        var bytes = try Data(contentsOf: events)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: events)
        #expect(try restore(fixture, until: .position(Position(60)), to: free()).isClean)
        #expect(auditCode { _ = try restore(fixture, until: .position(Position(90)), to: free()) } == .damaged)
    }
}
