import Audit
import Foundation

/// Results, as lines on standard output. One that cannot be written is an error: who asked must not take silence for an answer. A closed
/// pipe ends the process by its signal, quietly, as it does others that are piped into `head`.
enum StandardOutput {
    /// Lines that are written at once.
    private static let batchLines = 1_024

    /// What stands in for a standard stream that is closed: else the next file to be opened would take its number, and the results.
    private static let standIns: [FileHandle?] = {
        var handles: [FileHandle?] = []
        while handles.count < 3, (0...2).contains(where: { fcntl($0, F_GETFD) < 0 }) {
            handles.append(FileHandle(forReadingAtPath: "/dev/null"))
        }
        return handles
    }()

    /// To be called before anything is opened.
    static func keepItsPlace() { _ = standIns }

    /// - Throws: ``AuditError/Code/output``.
    static func write(_ lines: [String]) throws(AuditError) {
        var rest = lines[...]
        while !rest.isEmpty {
            try write(Array((rest.prefix(batchLines).joined(separator: "\n") + "\n").utf8))
            rest = rest.dropFirst(batchLines)
        }
    }

    /// One line, of a few.
    static func write(_ line: String) throws(AuditError) { try write([line]) }

    /// Bytes as they are.
    static func write(_ bytes: [UInt8]) throws(AuditError) {
        do { try FileHandle.standardOutput.write(contentsOf: Data(bytes)) } catch { throw AuditError(writing: "standard output", error) }
    }
}
