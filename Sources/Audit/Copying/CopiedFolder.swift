internal import EventLog
internal import Foundation
internal import LMDB

/// A folder that is put together under another name, flushed, and then renamed: there is all of it or nothing.
struct CopiedFolder {
    /// What it will be called.
    let path: String
    /// What it is called until it is complete.
    let partial: String

    /// Begins one; what an attempt that was cut short has left under the other name is removed.
    ///
    /// - Throws: ``AuditError/Code/occupied`` when there is anything in the folder already.
    init(_ path: String) throws(AuditError) {
        self.path = path
        partial = path + ".partial"
        guard Self.isFree(path) else {
            throw AuditError(.occupied, "\(path) is there already and not empty.", remedy: "Name a new or empty folder.")
        }
        do {
            if FileManager.default.fileExists(atPath: partial) { try FileManager.default.removeItem(atPath: partial) }
            try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: true)
        } catch { throw AuditError(.occupied, "\(error).", remedy: "Check the folder's owner and permissions.") }
    }

    private static func isFree(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? false
    }

    /// Copies an environment as of its last commit, compactly, while others use it.
    func copy(environment: String, as name: String) throws(AuditError) {
        do throws(LMDBError) {
            let source = try Environment(directory: environment, access: .readOnly)
            try source.copy(to: name.isEmpty ? partial : partial + "/" + name)
        } catch { throw AuditError(any: EventLogError(error)) }
    }

    /// Writes a small file.
    func write(_ bytes: [UInt8], as name: String) throws(AuditError) {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: partial + "/" + name))
            try DurableNames.flush(partial + "/" + name)
        } catch { throw AuditError(any: error) }
    }

    /// Gives it its name.
    func complete() throws(AuditError) {
        do throws(LMDBError) {
            try DurableNames.flush(partial)
            // A crash before this leaves the folder under its other name, which the next attempt removes.
            try DurableNames.move(partial, to: path)
        } catch { throw AuditError(any: EventLogError(error)) }
    }

    /// Takes back what there is of it.
    func abandon() { try? FileManager.default.removeItem(atPath: partial) }

    /// Refuses when the disk that `path` is on has less than so many bytes left.
    static func requireRoom(_ bytes: Int, at path: String) throws(AuditError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue, free < bytes else { return }
        let detail = "\(folder) has \(free) bytes left, and \(bytes) may be needed."
        throw AuditError(.space, detail, remedy: "Free space, or name another disk.")
    }
}
