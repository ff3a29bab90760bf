internal import Audit
internal import EventLog
internal import LoyaltyCodec
internal import Synchronization

/// Compares the stored index with the log: it has each indexed tag of each event, and nothing else.
///
/// Parts of the index that a server holds only in memory are not compared. An index that the next start would rebuild counts as none.
final class IndexCheck: Sendable {
    private let index: IndexFile?
    private let findings: FindingList
    private let sums = Mutex<[PostingSum]>([])

    /// Opens the folder's index, before the log, so that it is not ahead of the log.
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

    /// The postings of the log to add up for the comparison: their kinds, and the last position. Nil if there is no index.
    var wanted: (through: UInt64, kinds: [Bool])? { index.map { ($0.covered.rawValue, $0.kinds) } }

    /// Reads the whole index; may run on any thread, once.
    func walk() {
        guard let index else { return }
        let sums = index.sums { findings.add(Finding(.index, file: Self.file, "\($0).")) }
        self.sums.withLock { $0 = sums }
    }

    /// Compares with the sums of the log's events, when both are known.
    ///
    /// - Parameter isWhole: whether every event of the log could be read.
    /// - Returns: the position that the index reaches; nil if there is none.
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

    /// Closes the file.
    func letGo() { index?.letGo() }
}
