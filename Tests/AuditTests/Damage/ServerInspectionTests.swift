import EventLog
import Foundation
import Histories
import LoyaltyCodec
import Seeds
import Testing

@testable import Audit

/// The search of a log that this process has open.
@Suite struct ServerInspectionTests {
    /// A log that is changed while it is open; nothing is read through it afterwards.
    private func search(_ change: (_ file: String) throws -> Void) throws -> (found: ServerInspection.Finding, removal: AuditError?) {
        let data = try TestData.with(VerifiedLog.whole("server inspection", 500))
        let log = try data.log()
        defer { try? log.close() }
        try change(data.path + "/log/data.mdb")
        return (ServerInspection.search(log), ServerInspection.displacement(of: log, in: DataFolder(data.path)))
    }

    @Test("An intact log is whole and in its place")
    func intact() throws {
        let (found, removal) = try search { _ in }
        guard case .whole = found else { throw Unmet(found) }
        #expect(removal == nil)
    }

    @Test("A damaged head, both heads, or any other page is damage", arguments: [[0], [1], [0, 1], [5]])
    func damaged(pages: [Int]) throws {
        let (found, removal) = try search { file in
            let handle = try FileHandle(forUpdating: URL(filePath: file))
            for page in pages {
                try handle.seek(toOffset: UInt64(page * 4_096))
                try handle.write(contentsOf: Data(count: 4_096))
            }
            try handle.close()
        }
        guard case .damaged = found else { throw Unmet(found) }
        #expect(removal == nil)
    }

    @Test("A removed log is named, with the file that is still open")
    func removed() throws {
        let (_, removal) = try search { try FileManager.default.removeItem(atPath: $0) }
        #expect(removal?.detail.contains("/proc/") == true)
        #expect(removal?.remedy.contains(" && cp /proc/\(ProcessInfo.processInfo.processIdentifier)/fd/") == true, "\(removal as Any)")
    }

    private struct Unmet: Error {
        let found: ServerInspection.Finding

        init(_ found: ServerInspection.Finding) { self.found = found }
    }
}
