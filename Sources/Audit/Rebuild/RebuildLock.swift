internal import EventLog
internal import Foundation
internal import LMDB
package import LoyaltyCodec

/// The exclusive right to rebuild models of one data folder. Only one process at a time has this right. The process keeps the right until
/// the last reference to this object is released.
///
/// Each model also has its own lock, which both servers and tools use. The lock of this type is for tools only. Without it, two tools could
/// each take the locks of some models, and both would fail after doing part of the work.
package final class RebuildLock: Sendable {
    private let lock: FileLock

    /// - Throws: ``AuditError/Code/occupied`` at once if another rebuild runs, and the error's text says which process it is;
    ///   ``AuditError/Code/output``.
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
