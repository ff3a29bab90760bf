import Audit
import Foundation
import Histories
import Testing

/// An output path inside the data folder is refused.
@Suite struct OutputPlaceTests {
    @Test("An output path in the data folder is refused, also through a link, and one elsewhere is not")
    func outputPlace() throws {
        let log = try VerifiedLog(VerifiedLog.history("places", 20).facts)
        let (folder, path) = (try AuditedFolder(log.data.path), log.data.path)
        let link = path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let own = ["", "/", "/log/data.mdb", "/derived/copy", "/x/../master.key"].map { path + $0 }
        let inside = own + [link, link + "/new/file"]
        for output in inside {
            let error = #expect(throws: AuditError.self, "\(output)") { try folder.requireOutside(nil, "-", output) }
            #expect(error?.code == .output)
        }
        for output in [path + "-copy", path + "/../elsewhere", "relative.csv", "/tmp"] {
            #expect(throws: Never.self, "\(output)") { try folder.requireOutside(output) }
        }
    }
}
