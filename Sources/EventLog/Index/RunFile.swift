internal import LMDB
internal import Synchronization

/// The layout of a run's file, in bytes. Numbers are little-endian.
///
/// The file is a ``LMDB/BlockFile``, so that each block and each part has its own checksum. Its first row has the *blocks* (entries), its
/// second row the *parts* (a filter and a directory each):
///
///     own key  run << 32 | number of the block, or run << 32 | 1 << 31 | number of the part
///     block    own key (8), entries, offset of each entry (2 each), number of entries (2)
///     entry    kind (1), type (2), value (16), then varints: count << 1 | isPiece; if isPiece, the list's total (0 unless this is
///              its first piece); first position, relative to the run's; unless count is 1: last - first, then count - 1 differences
///     part     own key (8), number of blocks that begin in earlier parts (4), number of lines (4), number of directory entries (4),
///              zeroes up to byte 64, lines, directory
///     line     a filter's bits (60), CRC-32C of them (4)
///     directory entry   kind (1), type (2), value (16), first position (8): the first entry of a block
enum IndexLayout {
    /// A page. Each look-up verifies the blocks that it reads, which takes half a microsecond a block.
    static let blockBytesMax = 4_096
    static let blockHeadBytes = 8
    static let typeAt = 1
    static let valueAt = 3
    static let keyBytes = 19
    /// Longer lists continue in further entries, so that a page of a query for a frequent tag decodes only a few.
    static let pieceBytesMax = 256
    static let entryHeadBytesMax = keyBytes + 40
    static let begunAt = 8
    static let linesAt = 12
    static let directoryCountAt = 16
    /// Parts begin at page boundaries, so that each line is one cache line.
    static let filterAt = 64
    static let lineBytes = 64
    static let lineBitBytes = 60
    static let directoryEntryBytes = keyBytes + 8
    /// Lists per filter line of 480 bits, of which each list sets at most 8.
    static let entriesPerLine = 32
    static let tagsPerPart = 7_000
    /// A part with more lists, which only clients that choose tag values can cause, has no filter.
    static let filterEntriesMax = 65_536
    static let partBit: UInt64 = 1 << 31
}

/// A run with its open file, readable as long as a look-up holds a reference, even if it is removed.
///
/// A run is trusted if manifest, checksums and the root of the log's tree agree. A plain read verifies each block before its first use, so
/// that a bad sector causes an error and not a signal.
///
/// Damage may also come later, when the system reads a page again, and a list that is missed breaks a rule. So a look-up believes the "no"
/// of a filter only if the line has its checksum, and verifies each block that it reads. It does not believe a directory: the blocks prove
/// the place that it names.
final class RunFile: Sendable {
    let run: Run
    /// Nil if missing, wrong, or not openable.
    let file: BlockFile?
    /// The error for a file that may be intact: lack of descriptors or memory, or no answer from the disk.
    let openingFailure: LMDBError?
    private let damage: Atomic<Bool>

    /// A missing or wrong file marks the run as damaged and causes no error.
    convenience init(_ run: Run, in directory: String, _ access: BlockFile.Access = .mapped) {
        self.init(run) { () throws(LMDBError) in
            try BlockFile(Self.path(of: run.number, in: directory), number: UInt64(run.number), seal: run.seal, access)
        }
    }

    /// For tests of failures.
    init(_ run: Run, opening open: () throws(LMDBError) -> BlockFile) {
        self.run = run
        do throws(LMDBError) {
            let file = try open()
            self.file = file.blocks == Int(run.blocks) + Int(run.parts) ? file : nil
            openingFailure = nil
        } catch {
            file = nil
            // An opened file that cannot be read has a bad sector; a retry does not help.
            let isDamaged = error.code == .damaged || error.code == .missing || error.call == "pread"
            openingFailure = isDamaged ? nil : error
        }
        damage = Atomic(file == nil && openingFailure == nil)
    }

    /// Not openable, but perhaps intact.
    var isClosed: Bool { openingFailure != nil }

    static func path(of number: UInt32, in directory: String) -> String { "\(directory)/\(prefix)\(number)" }

    static func number(in name: String) -> UInt32? { name.hasPrefix(prefix) ? UInt32(name.dropFirst(prefix.count)) : nil }

    private static let prefix = "run-"

    /// The flusher replaces the run.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Returns whether the run was not marked before.
    @discardableResult
    func markDamaged() -> Bool { !damage.exchange(true, ordering: .relaxed) }

    /// Reads the whole file.
    var hasDamagedBlock: Bool {
        guard let file else { return false }
        var bytes: [UInt8] = []
        for block in 0..<file.blocks where !SearchStop.isWanted {
            do throws(LMDBError) { try file.read(block, into: &bytes) } catch {
                // An unreadable block says nothing about the others.
                if error.code == .damaged { return true }
            }
        }
        return false
    }

    func blocks() throws(EventLogError) -> BlockFile {
        if let file { return file }
        throw openingFailure.map { EventLogError(derived: $0) } ?? .brokenIndex("the file of run \(run.number)")
    }
}

extension EventLogError {
    /// The index is derived data, so a scan of the log can answer instead.
    @inline(never)
    static func brokenIndex(_ text: String) -> EventLogError { EventLogError(derived: LMDBError.damagedContent(text, in: "the tag index")) }
}
