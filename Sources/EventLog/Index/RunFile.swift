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
///              zeroes up to byte 64, lines (64 each), directory
///     directory entry   kind (1), type (2), value (16), first position (8): the first entry of a block
enum IndexLayout {
    /// Maximum bytes of a block: four pages. A block is verified as a whole.
    static let blockBytesMax = 4 * 4_096
    static let blockHeadBytes = 8
    static let typeAt = 1
    static let valueAt = 3
    /// Bytes of the tag's kind, the event type and the tag's value, with which an entry begins.
    static let keyBytes = 19
    /// Maximum bytes of position differences in one entry. Longer lists continue in further entries, so that one page of a query for a
    /// frequent tag decodes only a few of them.
    static let pieceBytesMax = 256
    /// Maximum size of an entry's key and four varints of ten bytes.
    static let entryHeadBytesMax = keyBytes + 40
    static let begunAt = 8
    static let linesAt = 12
    static let directoryCountAt = 16
    /// The offset of the filter's first line. Parts begin at page boundaries, so that each line is one cache line.
    static let filterAt = 64
    static let lineBytes = 64
    static let directoryEntryBytes = keyBytes + 8
    /// The maximum average number of lists per filter line of 512 bits. Each list sets at most 8 of the bits.
    static let entriesPerLine = 32
    /// Typical number of tags in a part. With one list for each tag, the filter then takes 14,016 bytes.
    static let tagsPerPart = 7_000
    /// Maximum number of lists for which a part has a filter. A part has more lists only if clients chose the tag values for that purpose.
    /// Such a part has no filter.
    static let filterEntriesMax = 65_536
    /// The bit that is set in the key of a part and clear in the key of a block.
    static let partBit: UInt64 = 1 << 31
}

/// A run with its open file. A look-up holds a reference, and the content lives until the last reference is released, even if the file is
/// removed.
///
/// A run is trusted if manifest, checksums and the root of the log's tree agree, even after a crash of the machine. Each block is verified
/// with its CRC-32C before its first use (1.8 µs for 16 KiB; SHA-256 takes 10 to 12), by a plain read, so that a bad sector causes an error
/// instead of a signal. A look-up that finds damage scans the run's part of the log, and the flusher rebuilds the run.
final class RunFile: Sendable {
    let run: Run
    /// The open file; nil if it is missing, is not the one that the manifest names, or could not be opened.
    let file: BlockFile?
    /// The error at opening a file that may be intact: too many open files, too little memory, or no answer from the disk.
    let openingFailure: LMDBError?
    private let damage: Atomic<Bool>

    /// Opens a run that a manifest names. A missing or wrong file marks the run as damaged and causes no error.
    convenience init(_ run: Run, in directory: String, _ access: BlockFile.Access = .mapped) {
        self.init(run) { () throws(LMDBError) in
            try BlockFile(Self.path(of: run.number, in: directory), number: UInt64(run.number), seal: run.seal, access)
        }
    }

    /// Opens a run with a custom way to open the file, for tests of failures.
    init(_ run: Run, opening open: () throws(LMDBError) -> BlockFile) {
        self.run = run
        do throws(LMDBError) {
            let file = try open()
            self.file = file.blocks == Int(run.blocks) + Int(run.parts) ? file : nil
            openingFailure = nil
        } catch {
            file = nil
            // A file that was opened but cannot be read has a bad sector, and a retry does not help.
            let isDamaged = error.code == .damaged || error.code == .missing || error.call == "pread"
            openingFailure = isDamaged ? nil : error
        }
        damage = Atomic(file == nil && openingFailure == nil)
    }

    /// Whether the file could not be opened but may be intact.
    var isClosed: Bool { openingFailure != nil }

    /// The path of a run's file.
    static func path(of number: UInt32, in directory: String) -> String { "\(directory)/\(prefix)\(number)" }

    /// The number in the name of a run's file; nil for any other name.
    static func number(in name: String) -> UInt32? { name.hasPrefix(prefix) ? UInt32(name.dropFirst(prefix.count)) : nil }

    private static let prefix = "run-"

    /// Whether the file is missing or wrong, or a reader found damaged bytes in it. The flusher then replaces the run.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Marks the run as damaged.
    ///
    /// - Returns: whether it was not marked before.
    @discardableResult
    func markDamaged() -> Bool { !damage.exchange(true, ordering: .relaxed) }

    /// Whether a block of the open file is not what was written. Reads the whole file.
    var hasDamagedBlock: Bool {
        guard let file else { return false }
        var bytes: [UInt8] = []
        for block in 0..<file.blocks where !SearchStop.isWanted {
            do throws(LMDBError) { try file.read(block, into: &bytes) } catch {
                // A block that cannot be read now says nothing about the others.
                if error.code == .damaged { return true }
            }
        }
        return false
    }

    /// The open file.
    ///
    /// - Throws: the error at opening the file, or an error for a broken index if the file is missing or damaged.
    func blocks() throws(EventLogError) -> BlockFile {
        if let file { return file }
        throw openingFailure.map { EventLogError(derived: $0) } ?? .brokenIndex("the file of run \(run.number)")
    }
}

extension EventLogError {
    /// The error for an index with bytes that were never stored. The index is derived data, so a scan of the log can answer instead.
    @inline(never)
    static func brokenIndex(_ text: String) -> EventLogError {
        EventLogError(derived: LMDBError.damagedContent(text, in: "the tag index"))
    }
}
