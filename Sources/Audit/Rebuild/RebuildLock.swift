internal import EventLog
internal import Foundation
internal import LMDB
package import LoyaltyCodec

/// The exclusive right to rebuild models of one data folder. One process has it at a time, until its last reference is released.
///
/// Each model has a lock of its own, which a server takes too. This lock is for tools alone: two tools at once would divide the models
/// between them, do half the work twice, and both fail.
package final class RebuildLock: Sendable {
    private let lock: FileLock

    /// - Throws: ``AuditError/Code/occupied`` at once if another rebuild runs, which it names; ``AuditError/Code/output``.
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
