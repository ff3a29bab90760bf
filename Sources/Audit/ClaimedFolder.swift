internal import Foundation
internal import LMDB

/// A folder for unfinished work of one process at a time. The next process removes what a killed one left.
package struct ClaimedFolder {
    package let path: String
    /// Nil if the file system cannot lock folders.
    private let lock: FolderLock?

    /// - Parameter mode: the permissions of the new folder; nil leaves them to the umask.
    /// - Throws: ``AuditError/Code/occupied`` while another process has the folder locked; ``AuditError/Code/output``.
    package init(_ path: String, mode: Int?) throws(AuditError) {
        self.path = path
        try Self.clear(path)
        do {
            let above = (path as NSString).deletingLastPathComponent
            if !above.isEmpty { try DurableNames.makeFolder(above, mode: 0o755) }
            let attributes = mode.map { [FileAttributeKey.posixPermissions: $0] }
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: attributes)
            lock = try FolderLock(path)
        } catch { throw Self.explained(error, path) }
    }

    package static func clear(_ path: String) throws(AuditError) {
        guard let kind = kind(of: path) else { return }
        do {
            let lock = kind == .typeDirectory ? try FolderLock(path) : nil
            defer { withExtendedLifetime(lock) {} }
            try FileManager.default.removeItem(atPath: path)
        } catch { throw explained(error, path) }
    }

    /// Whether a folder exists and no process has it locked.
    package static func isAbandoned(_ path: String) -> Bool {
        guard kind(of: path) == .typeDirectory else { return false }
        do throws(LMDBError) {
            _ = try FolderLock(path)
            return true
        } catch { return error.code != .locked }
    }

    /// Runs `work` under the lock. Without `withExtendedLifetime`, the optimizer could release the lock early.
    func holding<Value>(_ work: () throws(AuditError) -> Value) throws(AuditError) -> Value {
        defer { withExtendedLifetime(lock) {} }
        return try work()
    }

    /// Removes the folder.
    package func remove() {
        defer { withExtendedLifetime(lock) {} }
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func kind(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    private static func explained(_ error: any Error, _ path: String) -> AuditError {
        guard let error = error as? LMDBError, error.code == .locked else { return AuditError(writing: "the folder \(path)", error) }
        return AuditError(.occupied, "another process is at work in \(path).", remedy: "Wait for its end, then try again.")
    }
}
