import Archive
import Audit
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import Seeds
import Testing

/// Every tool inspects a file before the storage engine opens it. A damaged file that reached the engine would kill this process with a
/// signal.
@Suite struct LogInspectionTests {
    private func content(_ kind: String, _ random: inout SeededRandom) -> Data {
        switch kind {
        case "zeros": Data(count: VerifiedLog.pageBytes)
        case "ones": Data(repeating: 0xff, count: VerifiedLog.pageBytes)
        default: Data((0..<VerifiedLog.pageBytes).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }

    @Test("An overwritten page of the log is named and prevents a backup, unless it is not in use", arguments: ["zeros", "ones", "random"])
    func overwrittenPage(kind: String) throws {
        var random = SeededRandom.announced("overwritten \(kind)")
        let log = try VerifiedLog(VerifiedLog.history("overwritten", 900).facts)
        let whole = try Data(contentsOf: log.file)
        var refused = 0
        for page in 2..<log.pages {
            try log.overwrite(page: page, with: content(kind, &random))
            do { _ = try AuditedFolder(log.data.path).log(.readOnly).root() } catch let error as AuditError {
                #expect(error.code == .damaged && error.detail.contains("page \(page)"), "page \(page): \(error)")
                #expect(error.remedy.contains("The log is damaged"))
                let copy = TestData().path + "/copy"
                #expect(auditCode { _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run() } == .damaged)
                #expect(!FileManager.default.fileExists(atPath: copy))
                refused += 1
            }
            try whole.write(to: log.file)
        }
        #expect(refused > 20, "\(refused) of \(log.pages) pages")
    }

    @Test("An intact log is opened with every extent of inspection")
    func everyExtent() throws {
        let log = try VerifiedLog(VerifiedLog.history("quick", 60).facts)
        for extent in [LogInspection.Extent.whole, .ifQuick, .nothing] {
            #expect(try AuditedFolder(log.data.path).log(.readOnly, inspecting: extent).head > .start)
        }
    }

    @Test("An empty file is reported as a damaged log")
    func emptyFile() throws {
        let log = try VerifiedLog(VerifiedLog.history("empty", 60).facts)
        try Data().write(to: log.file)
        let folder = try AuditedFolder(log.data.path)
        let options = Verification.Options(now: VerifiedLog.now)
        for work in [{ _ = try Verification(folder, options: options).run() }, { try folder.requireWholePages() }] {
            let error = #expect(throws: AuditError.self) { try work() }
            #expect(error?.code == .damaged, "\(String(describing: error))")
            #expect(error?.description.contains("The log is damaged") == true, "\(String(describing: error))")
        }
    }

    @Test("Another program's file is not backed up")
    func otherProgram() throws {
        let data = TestData()
        do {
            let other = try Environment(directory: data.path + "/log", access: .readWrite)
            _ = try other.table("recipes", .bytes)
        }
        let copy = TestData().path + "/copy"
        let error = #expect(throws: AuditError.self) { try Backup(of: AuditedFolder(data.path), to: copy).run() }
        #expect(error?.description.contains("not one of ours") == true, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: copy) && !FileManager.default.fileExists(atPath: copy + ".partial"))
    }

    @Test("A given checkpoint that does not exist or is none is reported as missing, not as damage")
    func givenCheckpoint() throws {
        let log = try VerifiedLog(VerifiedLog.history("no file", 60).facts)
        #expect(auditCode { _ = try log.report { $0.checkpoint = "/nonexistent/checkpoint" } } == .missing)
        // A path with a file that is not a checkpoint is reported in the same way as a missing one.
        #expect(auditCode { _ = try log.report { $0.checkpoint = log.data.path + "/log/data.mdb" } } == .missing)
    }

    @Test("An error of the storage states its remedy once")
    func oneRemedy() throws {
        let log = try VerifiedLog(VerifiedLog.history("once", 60).facts)
        let open = try log.data.log()
        let error = #expect(throws: AuditError.self) { try AuditedFolder(log.data.path).log(.readWrite) }
        let text = try #require(error?.description)
        #expect(text.components(separatedBy: try #require(error?.remedy)).count == 2, "\(text)")
        try open.close()
    }

    @Test("A finding ends with one full stop")
    func fullStop() {
        #expect(Finding(.page, "it is torn..").what == "it is torn.")
        #expect(Finding(.page, "it is torn.").what == "it is torn.")
    }
}
