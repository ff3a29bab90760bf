internal import Foundation
internal import Synchronization

extension EventLog {
    /// A new, empty log in a folder of its own, which is removed when the log is closed or released: for tests and trials.
    ///
    /// It is the same log as any other, with the same files, flushes and errors. A process that is killed leaves the folder behind.
    ///
    /// - Parameters:
    ///   - schema: the names of the application's numbers.
    ///   - created: the present moment, which the log only stores.
    ///   - parent: the folder to make it in; nil for the system's temporary directory. A folder in memory, such as `/dev/shm`, makes
    ///     flushes quick.
    ///   - options: limits, and the step that makes a batch durable.
    /// - Throws: ``EventLogError/Code-swift.struct/io`` when the folder cannot be made, and what
    ///   ``init(directory:index:schema:access:created:options:)`` throws for a new log.
    public static func temporary(
        schema: Schema, created: Timestamp = Timestamp(microseconds: 0), in parent: String? = nil, options: Options = .init()
    ) throws(EventLogError) -> EventLog {
        let folder = try TemporaryName.makeFolder(in: parent ?? FileManager.default.temporaryDirectory.path)
        var options = options
        options.temporaryFolder = folder
        do throws(EventLogError) {
            return try EventLog(
                directory: folder + "/log", index: folder + "/index", schema: schema, access: .readWrite, created: created,
                options: options)
        } catch {
            options.removeTemporaryFolder()
            throw error
        }
    }
}

extension EventLog.Options {
    /// Removes the folder of a temporary log, and nothing of any other. Files in use stay readable until they are released.
    func removeTemporaryFolder() {
        if let temporaryFolder { try? FileManager.default.removeItem(atPath: temporaryFolder) }
    }
}

/// Unique names of folders without random numbers: each has the process id and a count. A name that an earlier process has left behind is
/// skipped.
private enum TemporaryName {
    private static let lastNumber = Atomic<UInt64>(0)

    static func makeFolder(in parent: String) throws(EventLogError) -> String {
        while true {
            let number = lastNumber.add(1, ordering: .relaxed).newValue
            let folder = "\(parent)/eventlog-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                return folder
            } catch {
                if (error as? CocoaError)?.code == .fileWriteFileExists { continue }
                throw EventLogError(.io, "\(folder): \(FileFault(error)).")
            }
        }
    }
}
