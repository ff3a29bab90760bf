internal import EventLog
internal import Foundation
internal import LMDB

/// A folder that is put together under another name, flushed, and then renamed: there is all of it or nothing.
package struct CopiedFolder {
    /// The permissions of the copies.
    package enum Readers {
        /// The service's account and its group, as the service makes a log.
        case group
        /// The service's account alone, as it makes a data folder; files are the group's if they let it in.
        case owner
        /// The service's account alone, files too: for keys.
        case ownerOnly
        /// As the umask allows, for copies that are made for others.
        case umask

        var folderMode: [FileAttributeKey: Any]? {
            self == .umask ? nil : [.posixPermissions: self == .group ? 0o750 : 0o700]
        }

        var fileMode: [FileAttributeKey: Any] {
            self == .umask ? [:] : [.posixPermissions: self == .ownerOnly ? 0o600 : 0o640]
        }
    }

    /// The final path.
    let path: String
    /// The path until the copy is complete.
    package let partial: String
    private let readers: Readers

    /// Begins one; what an attempt that was cut short has left under the other name is removed.
    ///
    /// - Throws: ``AuditError/Code/occupied`` when there is anything in the folder already.
    package init(_ path: String, for readers: Readers = .umask) throws(AuditError) {
        let path = PartialName.plain(path)
        (self.path, self.readers) = (path, readers)
        partial = PartialName.of(path)
        guard Self.isFree(path) else {
            throw AuditError(.occupied, "\(path) is there already and not empty.", remedy: "Name a new or empty folder.")
        }
        do {
            if FileManager.default.fileExists(atPath: partial) { try FileManager.default.removeItem(atPath: partial) }
            let above = (partial as NSString).deletingLastPathComponent
            if !above.isEmpty { try DurableNames.makeFolder(above, mode: 0o755) }
            try FileManager.default.createDirectory(
                atPath: partial, withIntermediateDirectories: false, attributes: readers.folderMode)
        } catch { throw AuditError(writing: "the folder \(path)", error) }
    }

    private static func isFree(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? false
    }

    /// Copies an environment as of its last commit, compactly, while others use it.
    package func copy(environment: String, as name: String) throws(AuditError) {
        do throws(LMDBError) {
            let source = try Environment(directory: environment, access: .readOnly)
            try source.copy(to: name.isEmpty ? partial : partial + "/" + name)
        } catch { throw AuditError(any: EventLogError(error)) }
        try restrict(name.isEmpty ? "data.mdb" : name + "/data.mdb")
    }

    /// Copies a log up to its last position as of now, record by record, while a server writes.
    package func copy(log: String, as name: String) throws(AuditError) {
        do throws(EventLogError) {
            let source = try LogFile(directory: log)
            defer { source.letGo() }
            try source.requireOurs()
            try source.copy(to: partial + "/" + name)
        } catch { throw AuditError(any: error) }
        try restrict(name + "/data.mdb")
    }

    /// The storage engine, and Foundation, leave it to the umask who may read a file.
    package func restrict(_ name: String) throws(AuditError) {
        let path = partial + "/" + name
        do { try FileManager.default.setAttributes(readers.fileMode, ofItemAtPath: path) } catch {
            throw AuditError(any: error)
        }
    }

    /// Writes a small file.
    package func write(_ bytes: [UInt8], as name: String) throws(AuditError) {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: partial + "/" + name))
            try restrict(name)
            try DurableNames.flush(partial + "/" + name)
        } catch { throw AuditError(any: error) }
    }

    /// Gives it its name.
    package func complete() throws(AuditError) {
        do throws(LMDBError) {
            try DurableNames.flush(partial)
            // A crash before this leaves the folder under its other name, which the next attempt removes.
            try DurableNames.move(partial, to: path)
        } catch { throw AuditError(any: EventLogError(error)) }
    }

    /// Takes back what there is of it.
    package func abandon() { try? FileManager.default.removeItem(atPath: partial) }

    /// Takes it back although it has its name already: it was not there, or empty, when this was begun.
    package func revoke() {
        abandon()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Refuses when the disk that `path` is on has less than so many bytes left.
    package static func requireRoom(_ bytes: Int, at path: String) throws(AuditError) {
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while folder != "/", !FileManager.default.fileExists(atPath: folder) { folder = (folder as NSString).deletingLastPathComponent }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue, free < bytes else { return }
        let detail = "\(folder) has \(free) bytes left, and \(bytes) may be needed."
        throw AuditError(.space, detail, remedy: "Free space, or name another disk.")
    }
}
