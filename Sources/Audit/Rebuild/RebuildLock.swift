internal import EventLog
internal import Foundation
internal import LMDB
package import LoyaltyCodec

/// The right to rebuild models of one data folder: one process at a time, until the last reference goes.
///
/// Each model has a lock of its own, which a server takes too. This one is for tools alone: two of them would share out the models, do
/// half the work twice, and both fail.
package final class RebuildLock: Sendable {
    private let lock: FileLock

    /// - Throws: ``AuditError/Code/occupied`` at once where another rebuild is at work, naming it; ``AuditError/Code/output``.
    package init(_ data: DataFolder) throws(AuditError) {
        do {
            try DurableNames.makeFolder(data.models)
        } catch {
            throw AuditError(
                .output, "cannot make \(data.models): \(FileFault(error)).", remedy: "Check the folder's owner and the disk's free space.")
        }
        do throws(LMDBError) {
            lock = try FileLock(data.derived + "/rebuilding")
        } catch {
            guard error.code == .locked else {
                throw AuditError(.output, "\(error.path) cannot be locked: \(error).", remedy: "Check the folder's owner and permissions.")
            }
            throw AuditError(
                .occupied, "another rebuild is at work in \(data.path) (\(error.text)).", remedy: "Wait for its end, or end it first.")
        }
    }
}
