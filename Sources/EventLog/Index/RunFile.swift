internal import LMDB
internal import Synchronization

/// The layout of a run's file, in bytes. Numbers are little-endian.
///
/// The file is a ``LMDB/BlockFile``, so that each of these has a checksum of its own. Its first row are *blocks* (entries), its second
/// row *parts* (a filter and a directory):
///
///     own key  run << 32 | number of the block, or run << 32 | 1 << 31 | number of the part
///     block    own key (8), entries, offset of each entry (2 each), number of entries (2)
///     entry    kind (1), type (2), value (16), then varints: count << 1 | isPiece; total, only of a piece and 0 unless it is the
///              list's first; first position, counted from the run's; and unless count is 1: last - first, the count - 1 differences
///     part     own key (8), blocks begun before (4), lines (4), directory entries (4), zeroes to 64, lines of 64, directory
///     directory entry   kind (1), type (2), value (16), first position (8): the first entry of a block
enum IndexLayout {
    /// Bytes of a block: four pages, which a look-up reads, and checks once, as a whole.
    static let blockBytesMax = 4 * 4_096
    static let blockHeadBytes = 8
    static let typeAt = 1
    static let valueAt = 3
    /// Kind, type and value: what an entry begins with.
    static let keyBytes = 19
    /// The most bytes of position differences in one entry. Longer lists continue in further entries, so that one page of a query over a
    /// frequent tag decodes only a few of them.
    static let pieceBytesMax = 256
    /// An entry's key, and four varints of ten bytes.
    static let entryHeadBytesMax = keyBytes + 40
    static let begunAt = 8
    static let linesAt = 12
    static let directoryCountAt = 16
    /// The first line: it begins a line of the processor's cache, since a part begins a page.
    static let filterAt = 64
    static let lineBytes = 64
    static let directoryEntryBytes = keyBytes + 8
    /// Entries that get a share of a line: 16 bits for each, of which 8 are set.
    static let entriesPerLine = 32
    /// Tags that a part is meant for: its filter then fills four pages.
    static let tagsPerPart = 7_000
    /// Entries that a filter is made for: a part with more, which only chosen values bring about, has none.
    static let filterEntriesMax = 65_536
    /// Marks the key of a part.
    static let partBit: UInt64 = 1 << 31
}

/// A run with its file open: look-ups hold a reference, and the file's content lives until the last one goes, whatever its name does.
///
/// A run is trusted if manifest, checksums and the root of the log's tree agree, whatever happened to the machine. Each block is compared
/// with its CRC-32C before its first use (1.8 µs for 16 KiB; SHA-256 takes 10 to 12), by a plain read, so that a bad sector is an error and
/// not a signal. A look-up that meets damage scans the run's part of the log, and the flusher rebuilds the run.
final class RunFile: Sendable {
    let run: Run
    /// Nil where the file is missing, is not the one that the manifest names, or could not be opened.
    let file: BlockFile?
    /// Why a file could not be opened that may be whole: too many are open, memory is short, the disk does not answer.
    let openingFailure: LMDBError?
    private let damage: Atomic<Bool>

    /// Opens a run that a manifest names. One that is missing, or is another file, is damaged, and nothing worse.
    convenience init(_ run: Run, in directory: String, _ access: BlockFile.Access = .mapped) {
        self.init(run) { () throws(LMDBError) in
            try BlockFile(Self.path(of: run.number, in: directory), number: UInt64(run.number), seal: run.seal, access)
        }
    }

    /// The same with another way to open the file, for tests of one that fails.
    init(_ run: Run, opening open: () throws(LMDBError) -> BlockFile) {
        self.run = run
        do throws(LMDBError) {
            let file = try open()
            self.file = file.blocks == Int(run.blocks) + Int(run.parts) ? file : nil
            openingFailure = nil
        } catch {
            file = nil
            // The file was opened and cannot be read, so it has a bad sector, and a retry does not help.
            let isDamaged = error.code == .damaged || error.code == .missing || error.call == "pread"
            openingFailure = isDamaged ? nil : error
        }
        damage = Atomic(file == nil && openingFailure == nil)
    }

    /// Whether its file could not be opened and may be whole.
    var isClosed: Bool { openingFailure != nil }

    /// The path of a run's file.
    static func path(of number: UInt32, in directory: String) -> String { "\(directory)/\(prefix)\(number)" }

    /// The number in the name of a run's file; nil for any other name.
    static func number(in name: String) -> UInt32? { name.hasPrefix(prefix) ? UInt32(name.dropFirst(prefix.count)) : nil }

    private static let prefix = "run-"

    /// Whether a reader met bytes that were never written. The flusher then replaces the run.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Notes that it cannot be trusted.
    ///
    /// - Returns: whether that is news.
    @discardableResult
    func markDamaged() -> Bool { !damage.exchange(true, ordering: .relaxed) }

    /// The file.
    ///
    /// - Throws: a broken index if it is missing.
    func blocks() throws(EventLogError) -> BlockFile {
        if let file { return file }
        throw openingFailure.map { EventLogError($0) } ?? .brokenIndex("the file of run \(run.number)")
    }
}

extension EventLogError {
    /// The index holds bytes that it never stored. It is derived: the log answers in its place.
    @inline(never)
    static func brokenIndex(_ text: String) -> EventLogError {
        EventLogError(LMDBError.damagedContent(text, in: "the tag index"))
    }
}
