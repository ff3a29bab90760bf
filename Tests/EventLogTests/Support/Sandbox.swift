import EventLog
import Foundation
import Testing

/// A folder for a log and its index within the test's ``TemporaryFolder``.
struct Sandbox: Sendable {
    let path: String
    var log: String { path + "/log" }
    var index: String { path + "/derived/index" }

    /// Uses an existing sandbox that another process has created.
    init(path: String) { self.path = path }

    init() throws {
        path = try #require(TemporaryFolder.current, "the suite is not .temporaryFolder") + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path + "/derived", withIntermediateDirectories: true)
    }

    func open(
        _ access: EventLog.Access = .readWrite, schema: Schema = .forTests, created: Int64 = 1_700_000_000_000_000,
        options: EventLog.Options = .init()
    ) throws(EventLogError) -> EventLog {
        try EventLog(
            directory: log, index: index, schema: schema, access: access, created: Timestamp(microseconds: created), options: options)
    }

    /// Opens the log, appends one batch, and closes the log.
    func append(_ events: [NewEvent], options: EventLog.Options = .init()) throws {
        let log = try open(options: options)
        let appender = try log.appender()
        try appender.stage(events)
        try appender.commit()
        try log.close()
    }

    func deleteIndex() throws { try FileManager.default.removeItem(atPath: index) }

    /// Copies a folder of the sandbox over another one, as a backup or a restore does.
    func copy(_ source: String, over target: String) throws {
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.copyItem(atPath: source, toPath: target)
    }
}
