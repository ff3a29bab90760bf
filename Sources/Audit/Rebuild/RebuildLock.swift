internal import EventLog
internal import Foundation
internal import LMDB
package import LoyaltyCodec

/// The exclusive right of one process to rebuild models of a data folder, until this object is released.
///
/// Without it, two tools could each lock some models, and both fail after a part of the work.
package final class RebuildLock: Sendable {
    private let lock: FileLock

    /// - Throws: ``AuditError/Code/occupied`` at once if another rebuild runs, with its process; ``AuditError/Code/output``.
    package init(_ data: DataFolder) throws(AuditError) {
        do throws(LMDBError) {
            try DurableNames.makeFolder(data.models)
        } catch {
            throw AuditError(.output, "cannot make \(data.models): \(error.statement)", remedy: error.remedy)
        }
        do throws(LMDBError) {
            lock = try FileLock(data.derived + "/rebuilding")
        } catch {
            guard error.code == .locked else {
                throw AuditError(.output, "\(error.path) cannot be locked: \(error.statement)", remedy: error.remedy)
            }
            throw AuditError(
                .occupied, "another rebuild is at work in \(data.path) (\(error.text)).", remedy: "Wait for its end, or end it first.")
        }
    }
}
