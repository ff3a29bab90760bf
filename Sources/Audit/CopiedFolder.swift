package import EventLog
internal import Foundation
internal import LMDB

/// A folder of copied files that is assembled under a temporary name, flushed, and then renamed. So a folder with the final name is always
/// complete.
package struct CopiedFolder {
    /// The permissions of the copied files and their folder.
    package enum Readers {
        /// The service's account may write, and its group may read, as in the folder of a log that the service creates.
        case group
        /// Only the service's account may open the folder, as for a data folder that the service creates. The files' own permissions let
        /// the group read them, but the group cannot reach files in a folder that it cannot open.
        case owner
        /// Only the service's account may open the folder and read the files. This is for copies of keys.
        case ownerOnly
        /// The umask determines the permissions. This is for copies that other accounts will read.
        case umask

        var folderMode: Int? { self == .umask ? nil : self == .group ? 0o750 : 0o700 }

        var fileMode: [FileAttributeKey: Any] {
            self == .umask ? [:] : [.posixPermissions: self == .ownerOnly ? 0o600 : 0o640]
        }
    }

    /// The path of the folder when the copy is complete.
    let path: String
    /// The folder in which the copy is assembled until it is complete.
    private let work: ClaimedFolder
    private let readers: Readers

    /// The path under which the copy is assembled until it is complete.
    package var partial: String { work.path }

    /// Begins a copy. Files that an interrupted attempt left under the temporary name are removed.
    ///
    /// - Throws: ``AuditError/Code/occupied`` if the folder is not empty, or while another process is making a copy with the same name;
    ///   ``AuditError/Code/output``.
    package init(_ path: String, for readers: Readers = .umask) throws(AuditError) {
        let path = PartialName.plain(path)
        (self.path, self.readers) = (path, readers)
        guard Self.isFree(path) else {
            throw AuditError(.occupied, "\(path) is there already and not empty.", remedy: "Name a new or empty folder.")
        }
        work = try ClaimedFolder(PartialName.of(path), mode: readers.folderMode)
    }

    private static func isFree(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? false
    }

    /// The maximum number of attempts to copy an environment whose file is replaced meanwhile.
    private static let attemptsMax = 10

    /// Copies the last commit of an LMDB environment in compact form. Other processes may use the environment meanwhile.
    ///
    /// When a service destroys a key, it replaces the file of the keys, and then fills the old file with zeros. A copy of the old file may
    /// lack keys, so the new file is copied instead.
    ///
    /// - Parameter copied: called after each attempt, before the check whether the file was replaced meanwhile; for tests.
    package func copy(environment: String, as name: String, copied: () -> Void = {}) throws(AuditError) {
        let target = name.isEmpty ? partial : partial + "/" + name
        var attempts = 1
        while true {
            let number = Self.fileNumber(in: environment)
            let failure = Self.failure(copying: environment, to: target)
            copied()
            if Self.fileNumber(in: environment) == number {
                if let failure { throw failure }
                break
            }
            guard attempts < Self.attemptsMax else {
                throw AuditError(.output, "\(environment) was replaced during each of \(attempts) copies.", remedy: "Try again.")
            }
            attempts += 1
            try? FileManager.default.removeItem(atPath: target + "/data.mdb")
        }
        try restrict(name.isEmpty ? "data.mdb" : name + "/data.mdb")
    }

    /// Copies an environment. Returns the error if that fails.
    private static func failure(copying environment: String, to target: String) -> AuditError? {
        do throws(LMDBError) {
            let source = try Environment(directory: environment, access: .readOnly)
            try source.copy(to: target)
            return nil
        } catch { return AuditError(any: EventLogError(error)) }
    }

    /// The number that the file system gave to an environment's file; nil if there is no such file.
    private static func fileNumber(in environment: String) -> UInt64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: environment + "/data.mdb")
        return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }

    /// Copies a log up to a position, or up to its last position at this moment, record by record, while a server may write.
    package func copy(log: String, as name: String, through end: Position? = nil) throws(AuditError) {
        do throws(EventLogError) {
            let source = try LogFile(directory: log)
            defer { source.letGo() }
            try source.requireOurs()
            try source.copy(to: partial + "/" + name, through: end)
        } catch { throw AuditError(any: error) }
        try restrict(name + "/data.mdb")
    }

    /// Sets a file's permissions, because the storage engine and Foundation let the umask determine them.
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

    /// Flushes the copy, and renames it to its final name.
    package func complete() throws(AuditError) {
        try work.holding { () throws(AuditError) in
            do throws(LMDBError) {
                try DurableNames.flush(partial)
                // After a crash before this call, the folder still has its temporary name, and the next attempt removes it.
                try DurableNames.move(partial, to: path)
            } catch { throw AuditError(any: EventLogError(error)) }
        }
    }

    /// Removes the incomplete copy.
    package func abandon() { work.remove() }

    /// Removes the copy after ``complete()`` has given it its final name. No earlier files are lost, because the folder with that name was
    /// missing or empty before.
    package func revoke() { try? FileManager.default.removeItem(atPath: path) }

    /// Requires that the disk on which `path` is has at least `bytes` of free space.
    package static func requireRoom(_ bytes: Int, at path: String) throws(AuditError) {
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while folder != "/", !FileManager.default.fileExists(atPath: folder) { folder = (folder as NSString).deletingLastPathComponent }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue, free < bytes else { return }
        let detail = "\(folder) has \(free) bytes left, and \(bytes) may be needed."
        throw AuditError(.space, detail, remedy: "Free space, or name another disk.")
    }
}
