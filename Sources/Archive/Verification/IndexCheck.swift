internal import Audit
internal import EventLog
internal import LoyaltyCodec
internal import Synchronization

/// Compares the stored tag index with the log, which must have exactly the same tags of the indexed kinds.
///
/// The parts in a server's memory are not compared. A folder without a manifest, as in older versions, counts as missing, because the
/// server rebuilds it.
final class IndexCheck: Sendable {
    private let index: IndexFile?
    private let findings: FindingList
    private let sums = Mutex<[PostingSum]>([])

    /// The index is opened before the log, so that it has no events that the log lacks.
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

    /// The positions and kinds for which the log's sums must be computed; nil without an index.
    var wanted: (through: UInt64, kinds: [Bool])? { index.map { ($0.covered.rawValue, $0.kinds) } }

    /// Reads the whole index. Call this once, on any thread.
    func walk() {
        guard let index else { return }
        let sums = index.sums { findings.add(Finding(.index, file: Self.file, "\($0).")) }
        self.sums.withLock { $0 = sums }
    }

    /// Compares the sums after both were computed. Returns the last position that the index covers.
    ///
    /// - Parameter isWhole: whether every event of the log could be read.
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
