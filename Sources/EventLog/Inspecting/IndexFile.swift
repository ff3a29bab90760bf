internal import Foundation
internal import LMDB
internal import Synchronization

/// A tag index's file read past the storage engine, for comparing what it finds with what the log holds.
///
/// It shows the index as of one commit, and may be used beside a server: what the server holds in memory only is not in it, and
/// ``covered`` says how far it goes. Open it before the log, so that it is not ahead of it.
public final class IndexFile: Sendable {
    /// Every event up to here should be in the index, and none beyond.
    public let covered: Position
    /// The kinds of tag that are indexed, by number.
    public let kinds: [Bool]
    /// When the log that it was made of was created.
    public let created: Timestamp

    private let file: PageFile
    private let table: TreeRoot
    private let runs: [Run]
    private let hold: Mutex<SnapshotHold?>

    private init(
        _ file: PageFile, _ table: TreeRoot, _ runs: [Run], _ meta: IndexMeta, _ hold: consuming sending SnapshotHold?
    ) {
        (self.file, self.table, self.runs) = (file, table, runs)
        (covered, created) = (Position(meta.position), meta.created)
        kinds = (0..<256).map { meta.kinds.contains(UInt8($0)) }
        self.hold = Mutex(hold)
    }

    /// Opens the file of an index's folder.
    ///
    /// - Returns: nil where there is none that the next opening of the log would use: no file, one that another start of the machine
    ///   left open, or one of another format.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` when what it says of itself cannot be read.
    public static func open(directory: String) throws(EventLogError) -> IndexFile? {
        guard FileManager.default.fileExists(atPath: directory + "/data.mdb"), StateFile(in: directory).isTrusted else { return nil }
        do throws(LMDBError) {
            let file = try PageFile(in: directory)
            let hold = SnapshotHold.folder(directory)
            let head = if let hold, let head = file.head(of: hold.number) { head } else { try file.newestHead() }
            let tables = try file.tables(of: head)
            guard let table = tables["runs"], let meta = tables["meta"], let coverage = try coverage(in: meta, of: file) else { return nil }
            return IndexFile(file, table, try manifest(in: table, of: file), coverage, hold)
        } catch { throw EventLogError(error) }
    }

    /// Lets the commit's pages go, and the folder, which this process can then open in another way.
    public func letGo() { hold.withLock { $0 = nil } }

    /// Adds up all postings, and looks whether a look-up would come upon each: order, filters and directories.
    ///
    /// - Parameter report: gets what is wrong, on the caller's thread; a run is looked at up to the first.
    /// - Returns: a sum for each ``PostingSum/positions``, from position 1 on.
    public func sums(_ report: (String) -> Void) -> [PostingSum] {
        var sums = [PostingSum](repeating: PostingSum(), count: covered == .start ? 0 : PostingSum.index(of: covered.rawValue) + 1)
        var next: UInt64 = 1
        for run in runs {
            guard run.first == next, run.last >= next, run.last <= covered.rawValue, run.parts > 0 else {
                report("its list of runs does not cover positions 1 to \(covered)")
                return sums
            }
            next = run.last + 1
            var walk = RunWalk(run, table, file)
            do throws(LMDBError) { try walk.add(to: &sums) } catch { report("run \(run.number): \(error.text)") }
        }
        if next != covered.rawValue + 1 { report("its runs end at position \(next - 1), and not at \(covered)") }
        return sums
    }

    private static func coverage(in meta: TreeRoot, of file: PageFile) throws(LMDBError) -> IndexMeta? {
        var cursor = FileCursor(meta, in: file)
        var value: [UInt8] = []
        while try cursor.next() {
            guard cursor.keyBytes == IndexMeta.key else { continue }
            try cursor.value(into: &value)
            return IndexMeta(value.span)
        }
        return nil
    }

    private static func manifest(in table: TreeRoot, of file: PageFile) throws(LMDBError) -> [Run] {
        var cursor = FileCursor(table, in: file)
        var value: [UInt8] = []
        guard try cursor.seek(IndexLayout.manifestKey) else { return [] }
        try cursor.value(into: &value)
        guard let manifest = RunManifest(value.span) else { throw .damagedContent("the list of runs", in: "the tag index") }
        return manifest.runs
    }
}
