import EventLog
import Foundation
import LMDB
import Patience
import Seeds
import Testing

/// A process that reads concurrently, and a process that is killed while it writes. Both are this test binary, started again for one test.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct OtherProcessTests {
    @Test("A reader in another process sees the commits of the writer")
    func aReaderInAnotherProcessSeesWhatIsCommittedWhileItIsWritten() async throws {
        let sandbox = try Sandbox()
        let log = try sandbox.open()
        try fill(log)
        let process = try ChildProcess.start("childReads", ["GREENTEA_CHILD_READS": sandbox.path])
        await process.ended()
        let said = try String(contentsOfFile: sandbox.path + "/said", encoding: .utf8)
        #expect(said == "head 3 card 1,3 second locked")
        #expect(log.head == Position(3))
    }

    private func fill(_ log: EventLog) throws {
        let appender = try log.appender()
        try appender.stage([event(.opened, card(1)), event(.opened, card(2)), event(.closed, card(1))])
        try appender.commit()
        try appender.stage(event(.noted, card(1)))
    }

    @Test(.enabled(if: ChildProcess.environment["GREENTEA_CHILD_READS"] != nil)) func childReads() throws {
        let path = try #require(ChildProcess.environment["GREENTEA_CHILD_READS"])
        let sandbox = Sandbox(path: path)
        var said = ""
        do {
            let log = try sandbox.open(.readOnly)
            let found = try log.positions(matching: .tags(card(1))).map(\.description).joined(separator: ",")
            said = "head \(log.head) card \(found)"
        }
        let error = #expect(throws: EventLogError.self) { try sandbox.open() }
        said += " second \(error?.storage?.code.description ?? "nothing")"
        try said.write(toFile: path + "/said", atomically: true, encoding: .utf8)
    }

    @Test("A killed writer leaves a whole log that takes new events")
    func whatAKilledWriterLeavesIsWholeAndGoesOn() async throws {
        let generator = SeededRandom.announced("whatAKilledWriterLeavesIsWholeAndGoesOn"), seed = generator.seed
        var random = generator
        let sandbox = try Sandbox()
        var last: UInt64 = 0
        for _ in 0..<3 {
            let process = try ChildProcess.start("childWrites", ["GREENTEA_CHILD_WRITES": sandbox.path])
            try await eventually("the child has written") { told(sandbox) >= last + 20 || !process.isRunning }
            try await Task.sleep(for: .milliseconds(random.int(0...30)))
            kill(process.processIdentifier, SIGKILL)
            await process.ended()
            last = try expectWhole(sandbox, "seed \(seed)")
        }
    }

    /// The last position that the writer has reported as durable.
    private func told(_ sandbox: Sandbox) -> UInt64 {
        (try? String(contentsOfFile: sandbox.path + "/told", encoding: .utf8)).flatMap { UInt64($0) } ?? 0
    }

    private func expectWhole(_ sandbox: Sandbox, _ comment: Comment) throws -> UInt64 {
        let log = try sandbox.open(options: .tiny(flush: 16))
        let head = log.head.rawValue
        #expect(head >= told(sandbox), comment)
        #expect(head % 3 == 0, "batches have three events, and none is halved")
        for value in UInt64(0)..<5 {
            let expected = (1...head).filter { $0 % 5 == value }
            #expect(try log.positions(matching: .tags(card(UInt128(value)))).map(\.rawValue) == expected, comment)
        }
        return head
    }

    @Test(.enabled(if: ChildProcess.environment["GREENTEA_CHILD_WRITES"] != nil)) func childWrites() throws {
        let sandbox = Sandbox(path: try #require(ChildProcess.environment["GREENTEA_CHILD_WRITES"]))
        let appender = try sandbox.open(options: .tiny(flush: 16)).appender()
        // The number of events is limited, so that the writer does not fill the disk if the parent dies or is slow.
        let enough = appender.head.rawValue + 600
        while appender.head.rawValue < enough {
            for _ in 0..<3 { try appender.stage(event(.stamped, card(UInt128(appender.head.next.rawValue % 5)))) }
            let head = try appender.commit()
            try "\(head)".write(toFile: sandbox.path + "/told", atomically: true, encoding: .utf8)
        }
        Thread.sleep(forTimeInterval: 20)
    }
}
