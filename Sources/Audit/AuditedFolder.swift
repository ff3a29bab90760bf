public import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// A data folder that has a log, for tools that work on it while the service may run.
public struct AuditedFolder: Sendable {
    public let path: String

    /// - Throws: ``AuditError/Code/missing`` if the folder has no log, ``AuditError/Code/logLost`` if a server's folder has lost it. A tool
    ///   must not create one.
    public init(_ path: String) throws(AuditError) {
        self.path = path
        guard FileManager.default.fileExists(atPath: DataFolder(path).log + "/data.mdb") else {
            if Self.isClosed(DataFolder(path).log) {
                throw AuditError(
                    .missing, "\(path) may not be read by this user, or lies in a folder that this user may not enter.",
                    remedy: "Run this as root or as the user that the server runs as.")
            }
            // A backup may lack its log as well, and has neither of these.
            let isServed = [DataFolder(path).keys, DataFolder(path).derived].contains { FileManager.default.fileExists(atPath: $0) }
            if isServed, let lost = RemovedFile.lostLog(of: DataFolder(path)) { throw AuditError(any: lost) }
            throw AuditError(
                .missing, "\(path) is no GreenTea data folder: there is no log in it.",
                remedy: "Name the folder that the server was started with, or a backup. If \(path) is a full backup, its log/data.mdb is "
                    + "gone: put that file back from another copy of the backup, or restore another backup.")
        }
    }

    private static func isClosed(_ path: String) -> Bool {
        do { _ = try FileManager.default.contentsOfDirectory(atPath: path) } catch { return FileFault(system: error) == .forbidden }
        return false
    }

    public var models: String { DataFolder(path).models }

    /// Temporary models, which are built only for a comparison.
    package var scratch: String { DataFolder(path).derived + "/audit" }

    /// Opens the log. A server may have it open meanwhile, but not if `access` is for writing.
    ///
    /// - Parameter extent: how much of the file is checked first. Reading an unchecked damaged page may end the process with a signal.
    /// - Throws: ``AuditError/Code/damaged``; ``AuditError/Code/log``, also if a server prevents writing.
    public func log(_ access: EventLog.Access, inspecting extent: LogInspection.Extent = .whole) throws(AuditError) -> EventLog {
        if access == .readOnly, extent != .nothing { try requireWholePages(extent) }
        do throws(EventLogError) {
            var options = EventLog.Options()
            options.endsOnDamage = true
            return try EventLog(
                directory: DataFolder(path).log, index: DataFolder(path).index, schema: LoyaltySchema.schema, access: access,
                created: Timestamp(microseconds: 0), options: options)
        } catch {
            guard error.storage?.code == .locked else { throw AuditError(any: error) }
            throw AuditError(.log, "a server holds \(path): \(error.detail)", remedy: "Stop it first, then try again.")
        }
    }

    /// Checks the log's file with ``LogInspection``. Returns whether the pages were read and are whole.
    ///
    /// - Throws: ``AuditError/Code/damaged``, with the page; ``AuditError/Code/log`` for another program's file.
    @discardableResult
    public func requireWholePages(_ extent: LogInspection.Extent = .whole) throws(AuditError) -> Bool {
        let inspection = try LogInspection(of: DataFolder(path).log)
        defer { inspection.letGo() }
        return try inspection.requireWholePages(extent)
    }

    /// Checks the pages, and compares each record with its hash in the tree.
    ///
    /// - Throws: ``AuditError/Code/damaged``, with the page or the position; ``AuditError/Code/log``.
    public func requireWholeLog() throws(AuditError) {
        let inspection = try LogInspection(of: DataFolder(path).log)
        defer { inspection.letGo() }
        try inspection.requireWholePages()
        try inspection.requireRecords()
    }
}

extension AuditedFolder {
    /// Requires that output files are outside the data folder, where they could replace the log or the keys.
    ///
    /// - Parameter outputs: nil and `-` (standard output) are ignored.
    /// - Throws: ``AuditError/Code/output``.
    public func requireOutside(_ outputs: String?...) throws(AuditError) {
        let own = Self.resolved(path)
        for case let output? in outputs where output != "-" {
            let place = Self.resolved(output)
            guard place == own || place.hasPrefix(own + "/") else { continue }
            throw AuditError(
                .output, "\(output) lies in the data folder \(path), where only the server writes.", remedy: "Name a place outside of it.")
        }
    }

    /// The absolute path, with symbolic links resolved in the part of it that exists.
    package static func resolved(_ path: String) -> String {
        var url = URL(fileURLWithPath: path).standardizedFileURL
        var missing: [String] = []
        while !FileManager.default.fileExists(atPath: url.path), url.path != "/" {
            missing.append(url.lastPathComponent)
            url.deleteLastPathComponent()
        }
        let there = url.resolvingSymlinksInPath().path
        return missing.reversed().reduce(there) { $0 == "/" ? "/" + $1 : $0 + "/" + $1 }
    }
}
