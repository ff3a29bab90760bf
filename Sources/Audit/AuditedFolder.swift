public import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// What lies where in a data folder, for tools that come from outside.
public struct AuditedFolder: Sendable {
    /// `DATA`, as it was given.
    public let path: String

    /// - Throws: ``AuditError/Code/missing`` where there is no log: a tool must not make one.
    public init(_ path: String) throws(AuditError) {
        self.path = path
        guard FileManager.default.fileExists(atPath: DataFolder(path).log + "/data.mdb") else {
            throw AuditError(
                .missing, "\(path) is no GreenTea data folder: there is no log in it.",
                remedy: "Name the folder that the server was started with (--data).")
        }
    }

    /// Where the read models are.
    public var models: String { DataFolder(path).models }

    /// Where what is built only to be looked at may lie for a while.
    var scratch: String { DataFolder(path).derived + "/audit" }

    /// Opens the log, for reading beside a server or for writing in its place.
    ///
    /// - Throws: ``AuditError/Code/log``; for writing also when a server holds the folder, which the text names.
    public func log(_ access: EventLog.Access) throws(AuditError) -> EventLog {
        do throws(EventLogError) {
            return try EventLog(
                directory: DataFolder(path).log, index: DataFolder(path).index, schema: LoyaltySchema.schema, access: access,
                created: Timestamp(microseconds: 0))
        } catch {
            if error.storage?.code == .locked {
                throw AuditError(
                    .log, "a server holds \(path): \(error.detail)", remedy: "Stop it first, then try again.")
            }
            throw AuditError(any: error)
        }
    }
}
