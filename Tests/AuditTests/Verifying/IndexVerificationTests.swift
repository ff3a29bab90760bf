import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import Seeds
import Testing

/// Verification of the index against the log.
@Suite struct IndexVerificationTests {
    /// Returns the newest run (file) of the index. If the log was closed only once, it is the only run.
    private func index(of log: VerifiedLog) throws -> URL {
        let folder = log.data.path + "/derived/index"
        let name = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("run-") }.max()
        return URL(fileURLWithPath: folder + "/" + (try #require(name)))
    }

    @Test("The index of a closed log is compared up to the log's end", arguments: [1, 300, 20_000])
    func comparedToEnd(count: Int) throws {
        let report = try VerifiedLog(try VerifiedLog.whole("whole index", count)).report()
        #expect(report.isClean && report.indexed == Position(UInt64(count)))
    }

    @Test("Several runs of an index are compared as one index")
    func severalRuns() throws {
        let facts = VerifiedLog.history("runs", 12_000).facts
        let log = try VerifiedLog(facts.prefix(3_000))
        for first in stride(from: 3_000, to: facts.count, by: 3_000) {
            let open = try log.data.log()
            try open.append(facts[first..<min(first + 3_000, facts.count)], with: try open.appender())
            try open.close()
        }
        let report = try log.report()
        #expect(report.isClean && report.indexed == Position(UInt64(facts.count)))
    }

    @Test("A log without an index is clean, and no index is compared")
    func noIndex() throws {
        let log = try VerifiedLog(VerifiedLog.history("no index", 100).facts)
        try FileManager.default.removeItem(atPath: log.data.derived)
        let report = try log.report()
        #expect(report.isClean && report.indexed == nil)
    }

    @Test("An index of other events is found, with the first range that differs")
    func otherEvents() throws {
        let facts = VerifiedLog.history("others", 30_000).facts
        let log = try VerifiedLog(facts)
        var others = facts
        others.swapAt(20_000, 20_001)
        let other = try VerifiedLog(others.enumerated().map { $0.element.at(UInt64($0.offset) + 1) })
        try FileManager.default.removeItem(atPath: log.data.derived)
        try FileManager.default.copyItem(atPath: other.data.derived, toPath: log.data.derived)
        let report = try log.report()
        #expect(report.findings.map(\.kind) == [.index])
        #expect(report.findings.first?.position == Position(2 * PostingSum.positions + 1), "position 20,000 is in the third range")
        #expect(report.findings.first?.remedy.contains("derived") == true)
    }

    @Test("An index that is ahead of the log is found")
    func aheadOfLog() throws {
        let log = try VerifiedLog(try VerifiedLog.whole("ahead", 500))
        let longer = try VerifiedLog(VerifiedLog.history("further ahead", 900).facts.prefix(900))
        try FileManager.default.removeItem(atPath: log.data.derived)
        try FileManager.default.copyItem(atPath: longer.data.derived, toPath: log.data.derived)
        let report = try log.report()
        #expect(report.findings.map(\.kind) == [.index] && report.findings.first?.what.contains("900") == true)
    }

    /// Its runs can be trusted, because they are flushed before a manifest names them.
    @Test("An index that was open at a reboot is still compared with the log")
    func otherBoot() throws {
        let log = try VerifiedLog(VerifiedLog.history("boot", 100).facts)
        try Data("open in boot of another day\n".utf8).write(to: URL(fileURLWithPath: log.data.derived + "/index/state"))
        #expect(try log.report().indexed != nil)
    }

    @Test("A missing run or an altered manifest of the index is found", arguments: ["run", "manifest"])
    func missingOrAltered(_ what: String) throws {
        let log = try VerifiedLog(VerifiedLog.history("missing", 300).facts)
        if what == "run" {
            try FileManager.default.removeItem(at: index(of: log))
        } else {
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: log.data.derived + "/index/manifest"))
        }
        let report = try log.report()
        #expect(!report.findings.isEmpty && report.findings.allSatisfy { $0.kind == .index })
    }

    @Test("A change of any byte that is read to find a tag in the index is found")
    func tagByte() throws {
        let facts = VerifiedLog.history("tag", 2_000).facts
        let log = try VerifiedLog(facts)
        let card = try #require(facts.lazy.compactMap { if case .cardStamped(let event) = $0.event { event.card } else { nil } }.first)
        let file = try Data(contentsOf: index(of: log))
        let needle = Data((0..<16).map { UInt8(truncatingIfNeeded: card.value >> (8 * UInt128($0))) })
        let place = try #require(file.range(of: needle)).lowerBound
        for offset in place - 3..<place + 16 {
            var damaged = file
            damaged[offset] ^= 4
            try damaged.write(to: index(of: log))
            let report = try log.report()
            #expect(report.findings.contains { $0.kind == .index }, "byte \(offset - place) from the card's id")
        }
        try file.write(to: index(of: log))
        #expect(try log.report().isClean)
    }

    @Test("A changed byte anywhere in the index is a finding or harmless, and never crashes the verification")
    func anyByte() throws {
        let log = try VerifiedLog(VerifiedLog.history("anywhere", 2_000).facts)
        let file = try Data(contentsOf: index(of: log))
        var random = SeededRandom.announced("anywhere in the index")
        var found = 0
        for _ in 0..<200 {
            var damaged = file
            damaged[Int.random(in: 0..<file.count, using: &random)] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try damaged.write(to: index(of: log))
            let report = try log.report()
            #expect(report.findings.allSatisfy { $0.kind == .index })
            if !report.isClean { found += 1 }
        }
        #expect(found > 50, "most of the file is checked")
    }
}
