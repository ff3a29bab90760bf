internal import Foundation
internal import Synchronization

extension EventLog {
    /// Creates an empty log in its own folder, which is removed when the log is closed or released. For tests and experiments.
    ///
    /// It works like any other log, with the same files, flushes and errors. A killed process leaves the folder behind.
    ///
    /// - Parameters:
    ///   - schema: the names of the application's numbers.
    ///   - created: the time that the log stores as its creation time.
    ///   - parent: the folder in which to create the log's folder; nil for the system's temporary directory. A folder in memory, such as
    ///     `/dev/shm`, makes flushes fast.
    ///   - options: limits, and the step that makes a batch durable.
    /// - Throws: ``EventLogError/Code-swift.struct/io`` if the folder cannot be created, and the errors of
    ///   ``init(directory:index:schema:access:created:options:)`` for a new log.
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
    /// Removes the folder of a temporary log; does nothing for other logs. Open files stay readable until they are released.
    func removeTemporaryFolder() {
        if let temporaryFolder { try? FileManager.default.removeItem(atPath: temporaryFolder) }
    }
}

/// Unique folder names without random numbers, made of the process id and a counter. A name is skipped if an earlier process has left a
/// folder of this name behind.
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
