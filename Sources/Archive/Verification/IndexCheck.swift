internal import Audit
internal import EventLog
internal import LoyaltyCodec
internal import Synchronization

/// Compares the stored tag index with the log. The index must contain, for every event, exactly the tags whose kinds are indexed.
///
/// Parts of the index that a server holds only in memory are not compared. A folder without a manifest, such as an index in the LMDB format
/// of older versions, is treated as missing, because the server rebuilds it at its next start.
final class IndexCheck: Sendable {
    private let index: IndexFile?
    private let findings: FindingList
    private let sums = Mutex<[PostingSum]>([])

    /// Opens the folder's index before the log is opened, so that the index has no events that the opened log lacks.
    init(_ folder: AuditedFolder, _ findings: FindingList) {
        self.findings = findings
        do throws(EventLogError) {
            index = try IndexFile.open(directory: DataFolder(folder.path).index)
        } catch {
            index = nil
            findings.add(Finding(.index, file: Self.file, "it cannot be read: \(error.detail)."))
        }
    }

    private static let file = "derived/index"

    /// The last position that the index covers, and for each kind of tag whether the index has it; nil if there is no index. The sums over
    /// the log's tags must be computed for these positions and kinds.
    var wanted: (through: UInt64, kinds: [Bool])? { index.map { ($0.covered.rawValue, $0.kinds) } }

    /// Reads the whole index, and computes the sums over its tags. Call this once, on any thread.
    func walk() {
        guard let index else { return }
        let sums = index.sums { findings.add(Finding(.index, file: Self.file, "\($0).")) }
        self.sums.withLock { $0 = sums }
    }

    /// Compares the sums over the index's tags with the sums over the tags of the log's events, after both were computed.
    ///
    /// - Parameter isWhole: whether every event of the log could be read.
    /// - Returns: the last position that the index covers; nil if there is no index.
    func compare(with log: [PostingSum], head: Position, isWhole: Bool) -> Position? {
        guard let index else { return nil }
        guard index.covered <= head else {
            findings.add(Finding(.index, file: Self.file, "it goes to position \(index.covered), and the log to \(head)."))
            return index.covered
        }
        guard isWhole else { return index.covered }
        let mine = sums.withLock(\.self)
        for number in mine.indices where number >= log.count || mine[number] != log[number] {
            findings.add(Self.difference(number, mine[number], number < log.count ? log[number] : PostingSum(), through: index.covered))
        }
        return index.covered
    }

    private static func difference(_ number: Int, _ index: PostingSum, _ log: PostingSum, through last: Position) -> Finding {
        let first = UInt64(number) * PostingSum.positions + 1
        let end = min(last.rawValue, first + PostingSum.positions - 1)
        let what = index.count == log.count ? "the same number, but others" : "\(index.count) of \(log.count)"
        return Finding(.index, position: Position(first), file: file, "of the tags of events \(first) to \(end) it holds \(what).")
    }

    /// Closes the file of the index.
    func letGo() { index?.letGo() }
}
