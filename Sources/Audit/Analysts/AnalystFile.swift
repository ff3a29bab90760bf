internal import Foundation

/// One table's file while it is being written: gathered, so that a row costs no system call.
final class AnalystFile {
    private static let bufferBytes = 1 << 18

    private let text: AnalystText
    private let path: String
    private let file: FileHandle
    private var buffer: [UInt8] = []
    private(set) var rows = 0
    private(set) var bytes = 0

    /// - Throws: ``AuditError/Code/output``.
    init(_ table: AnalystTable, _ format: AnalystFormat, in folder: String) throws(AuditError) {
        text = AnalystText(format, table.columns)
        path = "\(folder)/\(table.name).\(format.rawValue)"
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path) else {
            throw AuditError(.output, "\(path) cannot be written.", remedy: "Check the folder's owner and permissions.")
        }
        self.file = file
        text.head(into: &buffer)
    }

    /// Writes one row, with a value for every column.
    ///
    /// - Throws: ``AuditError/Code/output``.
    func write(_ values: [AnalystValue]) throws(AuditError) {
        text.line(values, into: &buffer)
        rows += 1
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Writes what is left; the file is on disk afterwards.
    ///
    /// - Throws: ``AuditError/Code/output``.
    func finish() throws(AuditError) {
        try flush()
        do {
            try file.synchronize()
            try file.close()
        } catch { throw failed(error) }
    }

    private func flush() throws(AuditError) {
        do { try file.write(contentsOf: buffer) } catch { throw failed(error) }
        bytes += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    private func failed(_ error: any Error) -> AuditError {
        AuditError(
            .output, "\(path) cannot be written: \(error.localizedDescription)",
            remedy: "Free space on that disk or name another one; nothing is left of what was written.")
    }
}
