import Archive
import Audit
import EventLog
import Foundation
import Histories
import LoyaltyCodec
import Merkle
import Seeds
import Testing

/// Salvaged events of a damaged log, and what they give back together with a backup.
@Suite struct SalvageTests {
    private func free() -> String { TestData().path + "/data" }

    private func salvaged(_ data: TestData) throws -> (file: String, summary: Salvage.Summary) {
        let file = TestData().path + "/salvaged"
        let output = try OutputFile(file)
        let summary = try Salvage(of: AuditedFolder(data.path)) { try output.write($0) }.run()
        try output.complete()
        return (file, summary)
    }

    private func restore(_ from: String?, _ salvaged: String, to target: String) throws -> Restore.Outcome {
        try ChainRestore(from: from, to: target, salvaged: salvaged, options: ChainFixture.options).run()
    }

    private func root(_ path: String) throws -> NodeHash { try AuditedFolder(path).log(.readOnly).root() }

    /// The pages of the log's file, and the content with one of them destroyed.
    private func damaged(_ whole: Data, page: Int, _ random: inout SeededRandom) -> Data {
        let bytes = page * VerifiedLog.pageBytes..<(page + 1) * VerifiedLog.pageBytes
        switch page % 3 {
        case 0: return Data(whole.prefix(bytes.lowerBound))
        case 1: return whole.prefix(bytes.lowerBound) + Data(count: VerifiedLog.pageBytes) + whole.dropFirst(bytes.upperBound)
        default:
            let noise = Data((0..<VerifiedLog.pageBytes).map { _ in UInt8.random(in: 0...255, using: &random) })
            return whole.prefix(bytes.lowerBound) + noise + whole.dropFirst(bytes.upperBound)
        }
    }

    @Test("A salvage of an undamaged log is complete, and can be imported like an export")
    func undamaged() throws {
        let data = try TestData.with(VerifiedLog.whole("salvage", 1_500))
        let (file, summary) = try salvaged(data)
        #expect(summary.head == 1_500 && summary.events == [1...1_500] && summary.missing.isEmpty && summary.unproved.isEmpty)
        let target = free()
        let outcome = try restore(nil, file, to: target)
        #expect(outcome.isClean, "\(outcome.report.findings)")
        #expect(try root(target) == root(data.path))
    }

    @Test("After damage to a page, a backup and the salvaged events give back everything that either has")
    func everyPage() throws {
        let (fixture, _) = try ChainFixture.chain("salvage of a chain")
        let (original, file) = (try root(fixture.data.path), URL(filePath: fixture.data.path + "/log/data.mdb"))
        let whole = try Data(contentsOf: file)
        var random = SeededRandom.announced("salvage of a chain")
        var (complete, partial) = (0, 0)
        for page in 1..<whole.count / VerifiedLog.pageBytes where page % 7 == 0 || page < 4 {
            try damaged(whole, page: page, &random).write(to: file)
            let (salvaged, summary) = try salvaged(fixture.data)
            #expect(Salvage.count(summary.events) + Salvage.count(summary.missing) == summary.head, "page \(page)")
            let target = free()
            let outcome = try restore(fixture.place + "/inc1", salvaged, to: target)
            try #require(outcome.report.isClean, "page \(page): \(outcome.report.findings)")
            if let gap = summary.missing.first(where: { $0.upperBound > 600 }) {
                let end = max(600, gap.lowerBound - 1)
                #expect(outcome.report.head.rawValue <= end && outcome.report.head.rawValue >= end - 4, "page \(page)")
                #expect(!outcome.isClean && outcome.lostEvents.first?.lowerBound == end + 1, "page \(page): \(outcome.advice)")
                partial += 1
            } else {
                #expect(outcome.isClean && summary.head == 900, "page \(page): \(outcome)")
                #expect(try root(target) == original, "page \(page)")
                #expect(outcome.losesNothing && !FileManager.default.fileExists(atPath: DataFolder(target).restoreNote))
                complete += 1
            }
        }
        #expect(complete > 3 && partial > 3, "\(complete) \(partial)")
    }

    /// Destroys the page with a position's record, and all older copies of the record.
    private func destroy(_ position: UInt64, in data: TestData) throws {
        let file = URL(filePath: data.path + "/log/data.mdb")
        var record: [UInt8] = []
        do {
            let log = try data.log(.readOnly)
            defer { try? log.close() }
            _ = try log.scan(after: Position(position - 1), through: Position(position)) { _, found in
                record = (0..<found.bytes.count).map { found.bytes[$0] }
                return true
            }
        }
        var content = try Data(contentsOf: file)
        while let place = content.range(of: Data(record)) {
            let start = place.lowerBound / VerifiedLog.pageBytes * VerifiedLog.pageBytes
            content.replaceSubrange(start..<start + VerifiedLog.pageBytes, with: Data(count: VerifiedLog.pageBytes))
        }
        try content.write(to: file)
    }

    @Test("Without a backup, the log ends before the first gap, and the plan says so beforehand")
    func withoutBackup() throws {
        let data = try TestData.with(VerifiedLog.whole("without a backup", 900))
        try destroy(500, in: data)
        let (file, summary) = try salvaged(data)
        let gap = try #require(summary.missing.first)
        #expect(summary.missing.count == 1 && gap.contains(500))
        let plan = SalvagePlan(after: summary, of: try AuditedFolder(data.path), in: file, backups: nil)
        #expect(plan.restoresTo == gap.lowerBound - 1 && plan.lost == [gap] && plan.left == [gap.upperBound + 1...900])
        let next = "mv \(data.path)/log \(data.path)/log.damaged && greentea-audit restore --salvaged \(file) --data \(data.path)"
        #expect(plan.next == next && plan.signed == nil)
        let outcome = try restore(nil, file, to: free())
        #expect(outcome.lostEvents == [gap] && !outcome.isClean && outcome.report.isClean)
        #expect(outcome.report.head.rawValue <= plan.restoresTo && outcome.report.head.rawValue >= plan.restoresTo - 4)
        #expect(outcome.advice.contains { $0.hasPrefix("left  \(gap.upperBound + 1)-900 ") }, "\(outcome.advice)")
    }

    @Test("A whole log is not restored; if its checkpoint is damaged, the newest backup's takes its place")
    func wholeLog() throws {
        let fixture = try ChainFixture("salvage of a whole log")
        try PublishedSample(of: fixture.data).grow(by: 0)
        try fixture.renewFull()
        func plan() throws -> SalvagePlan {
            let (file, summary) = try salvaged(fixture.data)
            return SalvagePlan(after: summary, of: try AuditedFolder(fixture.data.path), in: file, backups: fixture.place)
        }
        #expect(try plan().isWhole && plan().next == nil)
        try Data(count: 200).write(to: URL(filePath: fixture.data.path + "/checkpoint"))
        let damaged = try plan()
        #expect(damaged.next == "cp -a \(try #require(damaged.backup))/checkpoint* \(fixture.data.path)/", "\(damaged)")
    }

    @Test("Of an emptied log file nothing is left, and the remedy is a restore, which works", arguments: [0, 100])
    func emptied(bytes: Int) throws {
        let (fixture, _) = try ChainFixture.chain("salvage of nothing \(bytes)")
        let data = fixture.data.path
        try Data(count: bytes).write(to: URL(filePath: data + "/log/data.mdb"))
        let error = #expect(throws: AuditError.self) { try salvaged(fixture.data) }
        let remedy = try #require(error).remedy
        #expect(remedy.contains("mv \(data) \(data).damaged && greentea-audit restore --from BACKUPS/LAST --data \(data);"), "\(remedy)")
    }

    @Test("Salvaged events of another log are refused, and so is a changed file")
    func refused() throws {
        let (fixture, _) = try ChainFixture.chain("salvage refused")
        let other = try salvaged(try TestData.with(VerifiedLog.whole("another log", 900))).file
        let target = free()
        #expect(auditCode { _ = try restore(fixture.place + "/inc1", other, to: target) } == .input)
        let own = try salvaged(fixture.data).file
        var bytes = try Data(contentsOf: URL(filePath: own))
        let record = try #require(bytes.range(of: Data(#""record":""#.utf8), options: .backwards))
        bytes[record.upperBound + 60] = bytes[record.upperBound + 60] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        try bytes.write(to: URL(filePath: own))
        #expect(auditCode { _ = try restore(fixture.place + "/inc1", own, to: target) } == .input)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("A log that would be shorter than the signed checkpoint is refused until the checkpoint is moved away")
    func olderThanItsCheckpoint() throws {
        let data = try TestData.with(VerifiedLog.whole("salvage and checkpoint", 900))
        try PublishedSample(of: data).grow(by: 0)
        try destroy(500, in: data)
        let (file, summary) = try salvaged(data)
        let plan = SalvagePlan(after: summary, of: try AuditedFolder(data.path), in: file, backups: nil)
        #expect(plan.signed == 900 && plan.next?.hasPrefix("mv \(data.path)/checkpoint \(data.path)/checkpoint.damaged && ") == true)
        try FileManager.default.moveItem(atPath: data.path + "/log", toPath: data.path + "/log.damaged")
        #expect(auditCode { _ = try restore(nil, file, to: data.path) } == .backwards)
        try FileManager.default.moveItem(atPath: data.path + "/checkpoint", toPath: data.path + "/checkpoint.damaged")
        #expect(try restore(nil, file, to: data.path).report.isClean)
    }

    @Test("A backup that lacks a picture gives its events all the same, and the plan names the picture")
    func withoutPicture() throws {
        let fixture = try ChainFixture("salvage without a picture")
        let picture = try fixture.put("a picture")
        try PublishedSample(of: fixture.data).grow(by: 0)
        try fixture.renewFull()
        try FileManager.default.removeItem(atPath: "\(fixture.place)/full/blobs/\(picture.prefix(2))/\(picture)")
        try destroy(100, in: fixture.data)
        let (file, summary) = try salvaged(fixture.data)
        let plan = SalvagePlan(after: summary, of: try fixture.folder, in: file, backups: fixture.place)
        #expect(plan.backup == fixture.place + "/full" && plan.restoresTo == 300 && plan.lost.isEmpty, "\(plan)")
        #expect(plan.lacking?.contains(picture) == true, "\(plan)")
        let outcome = try restore(plan.backup, file, to: free())
        #expect(outcome.report.isClean && outcome.report.head.rawValue >= 296 && outcome.lostPictures == [picture], "\(outcome)")
    }

    @Test("A restore that loses no event neither warns of erasures nor leaves a note, and one that may lose some does both")
    func nothingLost() throws {
        let (fixture, _) = try ChainFixture.chain("nothing lost")
        func expect(_ target: String, isLossless: Bool) throws {
            let outcome = try fixture.restore("inc2", to: target)
            #expect(outcome.report.isClean && outcome.losesNothing == isLossless, "\(outcome)")
            #expect(outcome.advice.contains { $0.hasPrefix("erasures  ") } != isLossless, "\(outcome.advice)")
            #expect(FileManager.default.fileExists(atPath: DataFolder(target).restoreNote) != isLossless)
        }
        try expect(fixture.data.path, isLossless: true)
        let fresh = free()
        // The second restore finds a log that has all events, but the first has perhaps lost some.
        for _ in 0..<2 { try expect(fresh, isLossless: false) }
    }

    @Test("A salvage is refused while a server has the log open")
    func open() throws {
        let data = try TestData.with(VerifiedLog.whole("salvage of an open log", 60))
        let log = try data.log()
        #expect(auditCode { _ = try salvaged(data) } == .occupied)
        try log.close()
    }
}
