internal import Foundation
internal import LMDB
internal import Synchronization

/// A tag index's files read with plain reads, for comparing what they hold with what the log holds.
///
/// It shows the index as of one manifest, and may be used beside a server: what the server holds in memory only is not in it, and
/// ``covered`` says how far it goes. Runs that are merged meanwhile stay readable. Open it before the log, so that it is not ahead of it.
public final class IndexFile: Sendable {
    /// Every event up to here should be in the index, and none beyond.
    public let covered: Position
    /// The kinds of tag that are indexed, by number.
    public let kinds: [Bool]
    /// When the log that it was made of was created.
    public let created: Timestamp

    private let directory: String
    private let runs: Mutex<[RunFile]>

    private init(_ directory: String, _ list: RunList) {
        let coverage = list.manifest.coverage
        (covered, created) = (Position(coverage.position), coverage.created)
        kinds = (0..<256).map { coverage.kinds.contains(UInt8($0)) }
        runs = Mutex(list.runs)
        self.directory = directory
    }

    /// Opens the files of an index's folder.
    ///
    /// - Returns: nil where there is no index: no manifest, or one of an older format.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` when the manifest is not what was written.
    public static func open(directory: String) throws(EventLogError) -> IndexFile? {
        if let store = RunStore.look(directory, .plain) { return IndexFile(directory, store.list) }
        guard FileManager.default.fileExists(atPath: directory + "/" + RunManifest.name) else { return nil }
        throw .brokenIndex("the manifest")
    }

    /// Lets the files go.
    public func letGo() { runs.withLock { $0 = [] } }

    /// Adds up all postings, and looks whether a look-up would come upon each: order, filters and directories.
    ///
    /// - Parameter report: gets what is wrong, on the caller's thread; a run is looked at up to the first.
    /// - Returns: a sum for each ``PostingSum/positions``, from position 1 on.
    public func sums(_ report: (String) -> Void) -> [PostingSum] {
        var sums = [PostingSum](repeating: PostingSum(), count: covered == .start ? 0 : PostingSum.index(of: covered.rawValue) + 1)
        for file in runs.withLock(\.self) {
            do throws(LMDBError) {
                guard let blocks = file.file else { throw .damagedContent("its file is missing, or another one", in: directory) }
                var walk = RunWalk(file.run, blocks)
                try walk.add(to: &sums)
            } catch { report("run \(file.run.number): \(error.text)") }
        }
        return sums
    }
}
