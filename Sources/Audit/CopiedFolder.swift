package import EventLog
internal import Foundation
internal import LMDB

/// A folder of copied files that is assembled under a temporary name, flushed and renamed, so that the final name is always complete.
package struct CopiedFolder {
    /// The permissions of the copied files and their folder.
    package enum Readers {
        /// The service's account may write, and its group may read, as in a log's folder.
        case group
        /// Only the service's account may open the folder, as for a data folder. So the group cannot reach files that it could read.
        case owner
        /// For copies of keys.
        case ownerOnly
        /// The umask decides; for copies that other accounts will read.
        case umask

        var folderMode: Int? { self == .umask ? nil : self == .group ? 0o750 : 0o700 }

        var fileMode: [FileAttributeKey: Any] { self == .umask ? [:] : [.posixPermissions: self == .ownerOnly ? 0o600 : 0o640] }
    }

    let path: String
    private let work: ClaimedFolder
    private let readers: Readers

    /// The path until the copy is complete.
    package var partial: String { work.path }

    /// - Throws: ``AuditError/Code/occupied`` if the folder is not empty, or while another process makes the same copy;
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

    private static let attemptsMax = 10

    /// Copies the last commit of an LMDB environment in compact form.
    ///
    /// When a service destroys a key, it replaces the keys' file and zeroes the old one. A copy of the old file may lack keys, so the copy
    /// is repeated with the new file.
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

    private static func failure(copying environment: String, to target: String) -> AuditError? {
        do throws(LMDBError) {
            let source = try Environment(directory: environment, access: .readOnly)
            try source.copy(to: target)
            return nil
        } catch { return AuditError(any: EventLogError(error)) }
    }

    private static func fileNumber(in environment: String) -> UInt64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: environment + "/data.mdb")
        return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }

    package func copy(log: String, as name: String, through end: Position? = nil) throws(AuditError) {
        do throws(EventLogError) {
            let source = try LogFile(directory: log)
            defer { source.letGo() }
            try source.requireOurs()
            try source.copy(to: partial + "/" + name, through: end)
        } catch { throw AuditError(any: error) }
        try restrict(name + "/data.mdb")
    }

    /// The storage engine and Foundation leave permissions to the umask.
    package func restrict(_ name: String) throws(AuditError) {
        let path = partial + "/" + name
        do { try FileManager.default.setAttributes(readers.fileMode, ofItemAtPath: path) } catch { throw AuditError(any: error) }
    }

    /// Writes a small file.
    package func write(_ bytes: [UInt8], as name: String) throws(AuditError) {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: partial + "/" + name))
            try restrict(name)
            try DurableNames.flush(partial + "/" + name)
        } catch { throw AuditError(any: error) }
    }

    /// Flushes the copy, and gives it its final name.
    package func complete() throws(AuditError) {
        try work.holding { () throws(AuditError) in
            do throws(LMDBError) {
                try DurableNames.flush(partial)
                // After a crash before this call, the next attempt removes the folder.
                try DurableNames.move(partial, to: path)
            } catch { throw AuditError(any: EventLogError(error)) }
        }
    }

    /// Removes the incomplete copy.
    package func abandon() { work.remove() }

    /// No earlier files are lost, because the folder was missing or empty before.
    package func revoke() { try? FileManager.default.removeItem(atPath: path) }

    /// Requires free space on the disk of a path.
    package static func requireRoom(_ bytes: Int, at path: String) throws(AuditError) {
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while folder != "/", !FileManager.default.fileExists(atPath: folder) { folder = (folder as NSString).deletingLastPathComponent }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue, free < bytes else { return }
        let detail = "\(folder) has \(free) bytes left, and \(bytes) may be needed."
        throw AuditError(.space, detail, remedy: "Free space, or name another disk.")
    }
}
