public import LMDB
internal import Synchronization

/// A log's file read past the storage engine, page by page, for looking at one that may be damaged.
///
/// It shows the log as of one commit. It needs no schema and no index, and may be used beside a server: where the folder can be
/// opened, a reader slot keeps the commit's pages from being used again.
///
/// ## Limitations
/// Where the folder cannot be opened (another reader in this process has it open, or it lies on a file system that cannot be
/// written to), nothing is held: ``isHeld`` is false, and the file must be at rest.
public final class LogFile: Sendable {
    /// The pages.
    public let file: PageFile
    /// The commit that is looked at.
    public let commit: HeadPage
    /// Position → record; nil where the table cannot be found.
    public let events: TreeRoot?
    /// Position → hashes; nil in a log that is older than trees, and where the table cannot be found.
    public let tree: TreeRoot?
    /// Why the tables could not be found; nil when they could.
    public let damage: LMDBError?
    private let hold: Mutex<SnapshotHold?>

    /// Opens the file of a log's folder.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/missing``, ``EventLogError/Code-swift.struct/notALog`` when it is no file of the
    ///   storage engine at all, ``EventLogError/Code-swift.struct/storage``.
    public init(directory: String) throws(EventLogError) {
        do throws(LMDBError) {
            file = try PageFile(in: directory)
            let held = SnapshotHold.folder(directory)
            hold = Mutex(held)
            if let held, let head = file.head(of: held.number) { commit = head } else { commit = try file.newestHead() }
        } catch { throw EventLogError(opening: error) }
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            (events, tree, damage) = (tables["events"], tables["tree"], nil)
        } catch { (events, tree, damage) = (nil, nil, error) }
    }

    /// Whether a server may go on writing without disturbing the look.
    public var isHeld: Bool { hold.withLock { $0 != nil } }

    /// Lets the commit's pages go, and the folder, which this process can then open in another way. What is read after it may be
    /// of another commit. Releasing the last reference does it too, but a thread that has ended may keep one for a moment.
    public func letGo() { hold.withLock { $0 = nil } }

    /// The last position, by the number of events.
    public var head: Position { Position(events?.entries ?? 0) }

    /// Whether a writer has gone on while nothing held the commit's pages, so that a look at them says nothing.
    public var isOvertaken: Bool { !isHeld && (try? file.newestHead().transaction) != commit.transaction }

    /// What is wrong with the head pages, and with every page that this commit uses.
    public func checkPages(_ report: @escaping (PageFinding) -> Void) {
        file.headFindings().forEach(report)
        FileWalk(file, head: commit, appended: ["events", "tree"], report: report).run()
    }
}
