internal import BackgroundWork
internal import Dispatch
public import EventLog
internal import Foundation
internal import LMDB
public import LoyaltyCodec
internal import Synchronization

/// Searches a server's log for damage, before the start and while it runs.
///
/// A damaged page can end the process when the storage engine follows it. A small log is searched before each start, a larger one only if
/// the previous process ended before its own search did. So a damaged log ends at most two processes.
public enum ServerInspection {
    /// Read in about 0.4 seconds.
    private static let quickBytes = 512 << 20
    /// In a larger file, only events and hashes are searched, because holding a commit for a whole search would let the file grow.
    private static let heldBytesMax = 4 << 30

    public static func beforeStart(of data: DataFolder) throws(AuditError) {
        guard let inspection = try? LogInspection(of: data.log) else { return }
        defer { inspection.letGo() }
        let isUninspected = FileManager.default.fileExists(atPath: data.uninspected)
        // Without the note, for example on a full disk, the next start would not know.
        if inspection.byteCount <= quickBytes || isUninspected || !begin(in: data) { try inspection.requireWholePages() }
    }

    /// Notes that the log's pages are not searched or are damaged, so that the next start searches them.
    @discardableResult
    public static func begin(in data: DataFolder) -> Bool { FileManager.default.createFile(atPath: data.uninspected, contents: nil) }

    public static func end(in data: DataFolder) { try? FileManager.default.removeItem(atPath: data.uninspected) }

    public static var isStopping: Bool { SearchStop.isWanted }

    /// A cancelled task ends searches early.
    public static func atLowPriority(_ work: @escaping @Sendable () -> Void) async {
        let isOver = Flag()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                AwaitedThread.start("inspector", in: DispatchGroup()) {
                    LowPriority.begin()
                    SearchStop.when({ isOver.isSet.load(ordering: .relaxed) }, work)
                    continuation.resume()
                }
            }
        } onCancel: {
            isOver.isSet.store(true, ordering: .relaxed)
        }
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// The result of a search.
    public enum Finding: Sendable {
        case whole
        /// The other pages of so large a log are not searched.
        case eventsWhole
        case damaged(AuditError)
        /// Not everything could be read.
        case unknown
    }

    public static func lockDamage(of log: EventLog) -> AuditError? {
        do throws(EventLogError) { try log.requireLockFile() } catch {
            if error.storage?.code == .lockDamaged { return AuditError(.damaged, error.detail, remedy: restartRemedy) }
        }
        return nil
    }

    public static func displacement(of log: EventLog, in data: DataFolder) -> AuditError? {
        do throws(EventLogError) { try log.requireInPlace() } catch {
            guard error.code == .damaged else { return nil }
            let file = RemovedFile(data.log + "/data.mdb", openAs: log.openFile)
            return AuditError(.damaged, error.detail, remedy: "Writing has stopped. \(file.ownRemedy)")
        }
        return nil
    }

    private static let restartRemedy = "Restart the service, which makes lock.mdb anew. Nothing was written since, and nothing is lost."

    public static func search(_ log: EventLog) -> Finding {
        let found = finding(in: log)
        guard case .damaged = found else { return found }
        // A false alarm would stop the shop, so a second search must agree.
        return finding(in: log)
    }

    private static func finding(in log: EventLog) -> Finding {
        do throws(AuditError) {
            let inspection = try LogInspection(of: log)
            // Without a hold on the commit, a write meanwhile would look like damage.
            guard inspection.isHeld else {
                // The storage engine holds no commit behind a damaged head page.
                try inspection.requireHeads()
                return .unknown
            }
            let isLarge = inspection.byteCount > heldBytesMax
            if !isLarge { try inspection.requireWholePages() }
            try inspection.requireRecords()
            return SearchStop.isWanted ? .unknown : isLarge ? .eventsWhole : .whole
        } catch {
            return error.code == .damaged ? .damaged(error) : .unknown
        }
    }
}
