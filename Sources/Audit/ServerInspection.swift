internal import BackgroundWork
internal import Dispatch
public import EventLog
internal import Foundation
internal import LMDB
public import LoyaltyCodec
internal import Synchronization

/// The search for damage in the log of a server, before the start and while it runs.
///
/// A damaged page can end the process as soon as the storage engine follows it. So the pages of a log that is read in less than a second
/// are searched before each start, and those of a larger log only if the process before has ended before it had searched them itself. So
/// a damaged log ends at most two processes.
public enum ServerInspection {
    /// The size of a file whose pages are read in about 0.4 seconds.
    private static let quickBytes = 512 << 20
    /// The size of a file above which only the pages of events and hashes are searched: holding a commit for the time of a whole search
    /// would let the file grow.
    private static let heldBytesMax = 4 << 30

    /// Searches the log's pages before it is opened. Does nothing without a log.
    ///
    /// - Throws: ``AuditError/Code/damaged``, with the page.
    public static func beforeStart(of data: DataFolder) throws(AuditError) {
        guard let inspection = try? LogInspection(of: data.log) else { return }
        defer { inspection.letGo() }
        let isUninspected = FileManager.default.fileExists(atPath: data.uninspected)
        // Without the note, for example on a full disk, the next start would not know.
        if inspection.byteCount <= quickBytes || isUninspected || !begin(in: data) { try inspection.requireWholePages() }
    }

    /// Notes that the log's pages are not searched, or known to be damaged, so that the next start searches them.
    @discardableResult
    public static func begin(in data: DataFolder) -> Bool {
        FileManager.default.createFile(atPath: data.uninspected, contents: nil)
    }

    /// Whether searches of the calling thread should end early, because the task that waits for it was cancelled.
    public static var isStopping: Bool { FileWalk.isStopping() }

    /// Notes that the log's pages were searched, or that the server ends in good order.
    public static func end(in data: DataFolder) { try? FileManager.default.removeItem(atPath: data.uninspected) }

    /// Does work on a thread of the lowest priority. If the task is cancelled, searches of files end early.
    public static func atLowPriority(_ work: @escaping @Sendable () -> Void) async {
        let isOver = Flag()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                AwaitedThread.start("inspector", in: DispatchGroup()) {
                    LowPriority.begin()
                    SearchStop.$current.withValue(SearchStop { isOver.isSet.load(ordering: .relaxed) }, operation: work)
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

    /// Searches the pages and the events of a log that this process has open, with plain reads.
    ///
    /// - Parameter inPlaceOnly: whether to check only that the file was not removed or replaced, which takes no time.
    public static func search(_ log: EventLog, inPlaceOnly: Bool = false) -> Finding {
        let found = finding(in: log, inPlaceOnly)
        guard case .damaged = found else { return found }
        // A head page that was read in the middle of a commit looks damaged, but not twice.
        return finding(in: log, inPlaceOnly)
    }

    /// The result of a search.
    public enum Finding: Sendable {
        case whole
        /// Every event and its hashes are whole. The other pages of so large a log are not searched.
        case eventsWhole
        case removed(AuditError)
        case damaged(AuditError)
        /// Not everything was read, so that nothing is known.
        case unknown
    }

    private static func finding(in log: EventLog, _ inPlaceOnly: Bool) -> Finding {
        let inspection: LogInspection
        do throws(AuditError) { inspection = try LogInspection(of: log) } catch {
            return error.code == .damaged ? .removed(error) : .unknown
        }
        do throws(AuditError) {
            // Without a hold on the commit, a write meanwhile would look like damage.
            if inPlaceOnly || !inspection.isHeld { return .unknown }
            let isLarge = inspection.byteCount > heldBytesMax
            if !isLarge { try inspection.requireWholePages() }
            try inspection.requireRecords()
            return FileWalk.isStopping() ? .unknown : isLarge ? .eventsWhole : .whole
        } catch {
            return error.code == .damaged ? .damaged(error) : .unknown
        }
    }
}
