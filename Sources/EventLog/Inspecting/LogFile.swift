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
    private let place: Mutex<Place>

    /// Both nil where the folder cannot be opened, and after it was let go.
    private struct Place {
        var environment: Environment?
        var hold: SnapshotHold?
    }

    /// Opens the file of a log's folder.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/missing``, ``EventLogError/Code-swift.struct/notALog`` when it is no file of the
    ///   storage engine at all, ``EventLogError/Code-swift.struct/storage``.
    public convenience init(directory: String) throws(EventLogError) {
        do throws(LMDBError) {
            let file = try PageFile(in: directory)
            // It reads the head pages only, so that no damage beyond them can do harm. Nothing is read through its map.
            let environment = try? Environment(directory: directory, access: .readOnly)
            try self.init(file, environment)
        } catch { throw EventLogError(opening: error) }
    }

    /// The last commit, held if there is an environment to hold it through.
    private init(_ file: PageFile, _ environment: Environment?) throws(LMDBError) {
        let hold = environment.flatMap { try? SnapshotHold($0) }
        self.file = file
        if let hold, let head = file.head(of: hold.number) { commit = head } else { commit = try file.newestHead() }
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            (events, tree, damage) = (tables["events"], tables["tree"], nil)
        } catch { (events, tree, damage) = (nil, nil, error) }
        place = Mutex(Place(environment: environment, hold: hold))
    }

    /// The same file as of its last commit by now. A long walk over positions takes one after the other, each for a stretch: stored
    /// records never change, and a commit that is held for long lets the file grow beside a server.
    ///
    /// - Returns: this object where nothing is held, or after ``letGo()``.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    public func renewed() throws(EventLogError) -> LogFile {
        guard let environment = place.withLock({ $0.environment }) else { return self }
        do throws(LMDBError) { return try LogFile(file, environment) } catch { throw EventLogError(error) }
    }

    /// Bytes of address space that the log's writer has reserved for it; nil where the folder cannot be opened.
    var reservedBytes: Int? { place.withLock { $0.environment?.statistics.mapBytes } }

    /// Whether a server may go on writing without disturbing the look.
    public var isHeld: Bool { place.withLock { $0.hold != nil } }

    /// Lets the commit's pages go, for one that is looked at further only through ``renewed()``.
    public func letCommitGo() { place.withLock { $0.hold = nil } }

    /// Lets the commit's pages go, and the folder, which this process can then open in another way. What is read after it may be
    /// of another commit. Releasing the last reference does it too, but a thread that has ended may keep one for a moment.
    public func letGo() { place.withLock { $0 = Place() } }

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
