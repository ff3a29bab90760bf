public import EventLog
import Foundation
public import Loyalty
import LoyaltyCodec

/// A data folder of one test below the temporary folder.
///
/// All these folders are removed only when the process ends. If a folder were removed earlier, a new folder could get its inode number. It
/// would then be mistaken for the removed folder, whose environment may still be open.
public final class TestData: Sendable {
    /// The path of the data folder, called `DATA` in the documentation.
    public let path: String

    /// The folder of this process, which contains one folder for each test.
    private static let root: String = {
        atexit { TestData.removeAll() }
        return NSTemporaryDirectory() + "greentea-tests-\(ProcessInfo.processInfo.processIdentifier)"
    }()

    private static func removeAll() {
        try? FileManager.default.removeItem(atPath: root)
    }

    public init() {
        path = Self.root + "/" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    public var models: String { path + "/derived/models" }
    public var derived: String { path + "/derived" }

    public func log(_ access: EventLog.Access = .readWrite) throws -> EventLog {
        try EventLog(
            directory: path + "/log", index: path + "/derived/index", schema: LoyaltySchema.schema, access: access,
            created: Timestamp(microseconds: 1_700_000_000_000_000))
    }

    /// Copies the folder.
    public func copy() throws -> TestData {
        let other = TestData()
        try FileManager.default.removeItem(atPath: other.path)
        try FileManager.default.copyItem(atPath: path, toPath: other.path)
        return other
    }

    /// Creates a data folder with a log of these facts. The log is closed.
    public static func with(_ facts: some Collection<Fact>) throws -> TestData {
        let data = TestData()
        let log = try data.log()
        try log.append(facts, with: try log.appender())
        try log.close()
        return data
    }
}

extension EventLog {
    /// Stores facts in batches of 1,000. The positions of the facts must follow the last position of the log.
    public func append(_ facts: some Collection<Fact>, with appender: Appender) throws {
        for (index, fact) in facts.enumerated() {
            _ = try appender.stage(try LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: nil))
            if index % 1_000 == 999 { try appender.commit() }
        }
        try appender.commit()
    }
}
