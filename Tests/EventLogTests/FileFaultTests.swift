import EventLog
import Foundation
import Testing

/// The readable descriptions of Foundation's errors.
@Suite struct FileFaultTests {
    private func words(_ work: () throws -> Void) -> String {
        do { try work() } catch { return "\(FileFault(error))" }
        return "nothing"
    }

    @Test("An error of the file system is reported in words")
    func whatTheSystemSaidIsSaidInWords() throws {
        let files = FileManager.default
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        #expect(words { try full.write(contentsOf: Data([1])) } == "there is no room left on the disk")
        #expect(words { _ = try String(contentsOfFile: "/no/such/file", encoding: .utf8) } == "there is no such file")
        #expect(words { _ = try FileHandle(forReadingFrom: URL(filePath: "/tmp")).readToEnd() } == "it is a folder, not a file")
        let below = words { try files.createDirectory(atPath: "/dev/null/a", withIntermediateDirectories: true) }
        #expect(below == "a part of its path is a file, not a folder")
        let path = NSTemporaryDirectory() + "no-text-" + UUID().uuidString
        try Data([0xFF, 0xFE, 0xFF]).write(to: URL(filePath: path))
        defer { try? files.removeItem(atPath: path) }
        #expect(words { _ = try String(contentsOfFile: path, encoding: .utf8) } == "it is not readable text")
    }

    @Test("Another error keeps its own words")
    func otherErrorsKeepTheirWords() {
        #expect(words { throw EventLogError(.stopped, "a detail.") }.contains("a detail."))
    }
}
