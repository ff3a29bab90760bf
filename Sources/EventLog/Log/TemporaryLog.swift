internal import Foundation
internal import Synchronization

extension EventLog {
    /// Creates an empty log in its own folder, removed when the log is closed or released, for tests and experiments. A killed process
    /// leaves it.
    ///
    /// - Parameters:
    ///   - schema: the names of the application's numbers.
    ///   - created: the log's creation time.
    ///   - parent: the folder for the log's folder; nil for the system's temporary directory. In memory (`/dev/shm`), flushes are fast.
    ///   - options: limits, and the step that makes a batch durable.
    /// - Throws: ``EventLogError`` `.io` if the folder cannot be created, and the errors of
    ///   ``init(directory:index:schema:access:created:options:)``.
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
    /// Only for a temporary log. Open files stay readable until they are released.
    func removeTemporaryFolder() { if let temporaryFolder { try? FileManager.default.removeItem(atPath: temporaryFolder) } }
}

/// Process id and counter, without random numbers. A name that an earlier process left behind is skipped.
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
