internal import LMDB
internal import Merkle

/// An immutable, sorted piece of the index: every indexed tag of the events from one position through another.
///
/// Lists are ordered by ``Tag/spread``, tag and type. The space of spreads is cut into equal parts, so that the part of a tag is
/// computed; it holds a filter, which nearly always tells without a further look that a tag is not in the run, and the directory of
/// the blocks that begin in it.
struct Run: Hashable, Sendable {
    /// The number of its file, never given twice.
    let number: UInt32
    /// How often its postings were merged: 0 for what was flushed.
    var level: UInt32
    /// The first and last position that it covers.
    let first, last: UInt64
    /// How many blocks there are.
    let blocks: UInt32
    /// How many parts there are, at least 1.
    let parts: UInt32
    /// How many different tags there are.
    let tags: UInt64
    /// The seal of its file.
    var seal = BlockFile.Seal(bytes: 0, checksum: 0)

    /// The place of its first entry, if there is one.
    var firstPlace: RunPlace? { blocks > 0 ? RunPlace(block: 0, entry: 0) : nil }

    /// How many positions it covers.
    var count: UInt64 { last - first + 1 }

    /// The part in which a spread lies.
    @inline(__always)
    func part(of spread: UInt64) -> UInt32 { Self.part(of: spread, in: parts) }

    @inline(__always)
    static func part(of spread: UInt64, in parts: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: spread.multipliedFullWidth(by: UInt64(parts)).high)
    }

    /// How many parts a run with so many tags should have.
    static func parts(for tags: Int) -> UInt32 {
        let wanted = UInt32(clamping: (tags + IndexLayout.tagsPerPart - 1) / IndexLayout.tagsPerPart)
        return min(max(wanted, 1), UInt32(IndexLayout.partBit - 1))
    }

    @inline(__always)
    static func key(ofBlock block: UInt32, run: UInt32) -> UInt64 { UInt64(run) << 32 | UInt64(block) }

    @inline(__always)
    static func key(ofPart part: UInt32, run: UInt32) -> UInt64 { UInt64(run) << 32 | IndexLayout.partBit | UInt64(part) }
}

/// The positions that an index covers, and the log that it belongs to.
struct IndexCoverage: Hashable, Sendable {
    /// Every event up to here is in the index, and none beyond.
    var position: UInt64 = 0
    /// The root of the log's tree there: tells a log that was restored and went on differently, wherever it did.
    var root: [UInt8] = [UInt8](repeating: 0, count: NodeHash.byteCount)
    /// When the log was created.
    var created = Timestamp(microseconds: 0)
    /// The kinds that were indexed.
    var kinds: [UInt8] = []
}

/// The file `manifest`: which runs make up the index, the oldest first, and what they cover of which log.
///
/// It is replaced as a whole and durably (``LMDB/DurableFile``), after every file that it names is on disk. So an index is valid whenever
/// it says so, its checksums do and the log's tree agrees: a process or a machine that stops at any moment costs what was not yet in a
/// run, which is read again from the log.
///
/// ```
/// "greentea-index 3", u32 next number, u32 runs, u64 position, root (32), i64 creation of the log, u32 kinds, kinds,
/// of each run: u32 number, u32 level, u64 first, u64 last, u32 blocks, u32 parts, u64 tags, u64 bytes, u32 checksum
/// u32 CRC-32C of all before it
/// ```
struct RunManifest: Hashable, Sendable {
    /// The name of the file.
    static let name = "manifest"
    /// Ends in the number of the index's format: anything else is not read, but made again.
    private static let magic = Array("greentea-index 3".utf8)
    private static let headBytes = magic.count + 4 + 4 + 8 + NodeHash.byteCount + 8 + 4
    private static let runBytes = 52

    var coverage = IndexCoverage()
    /// The oldest first; levels never ascend.
    var runs: [Run] = []
    /// The number of the next run's file.
    var nextNumber: UInt32 = 1

    /// An index without runs.
    init() {}

    /// The manifest of some runs.
    init(_ coverage: IndexCoverage, _ runs: [Run], nextNumber: UInt32) {
        (self.coverage, self.runs, self.nextNumber) = (coverage, runs, nextNumber)
    }

    /// Nil unless the bytes are just those of a manifest whose runs follow each other up to what it covers.
    init?(_ bytes: [UInt8]) {
        let view = bytes.span
        guard bytes.count >= Self.headBytes + 4, Array(bytes.prefix(Self.magic.count)) == Self.magic,
            CRC32C.checksum(of: view.extracting(first: bytes.count - 4)) == view.littleEndian32(at: bytes.count - 4)
        else { return nil }
        var at = Self.magic.count
        nextNumber = view.littleEndian32(at: at)
        let count = Int(view.littleEndian32(at: at + 4))
        coverage.position = view.littleEndian64(at: at + 8)
        at += 16
        coverage.root = Array(bytes[at..<at + NodeHash.byteCount])
        at += NodeHash.byteCount
        coverage.created = Timestamp(microseconds: Int64(bitPattern: view.littleEndian64(at: at)))
        let kinds = Int(view.littleEndian32(at: at + 8))
        guard kinds <= 256, count <= bytes.count, bytes.count == Self.headBytes + kinds + count * Self.runBytes + 4 else { return nil }
        coverage.kinds = Array(bytes[Self.headBytes..<Self.headBytes + kinds])
        runs = (0..<count).map { Self.run(view, at: Self.headBytes + kinds + $0 * Self.runBytes) }
        guard isConsistent else { return nil }
    }

    /// The manifest of an index's folder; nil if there is none that can be read.
    init?(in directory: String) {
        let path = directory + "/" + Self.name
        var bytes: [UInt8] = []
        guard let file = try? PlainFile(path), (try? file.read(file.count, at: 0, into: &bytes)) != nil else { return nil }
        self.init(bytes)
    }

    /// The file's content.
    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: nextNumber)
        bytes.append(littleEndian: UInt32(runs.count))
        bytes.append(littleEndian: coverage.position)
        bytes += coverage.root
        bytes.append(littleEndian: coverage.created.microseconds)
        bytes.append(littleEndian: UInt32(coverage.kinds.count))
        bytes += coverage.kinds
        for run in runs { Self.append(run, to: &bytes) }
        bytes.append(littleEndian: CRC32C.checksum(of: bytes.span))
        return bytes
    }

    private var isConsistent: Bool {
        var (next, level) = (UInt64(1), UInt32.max)
        for run in runs {
            guard run.number > 0, run.number < nextNumber, run.first == next, run.last >= next, run.last < .max, run.level <= level,
                run.parts > 0
            else { return false }
            (next, level) = (run.last + 1, run.level)
        }
        return coverage.position == next - 1 && coverage.root.count == NodeHash.byteCount
    }

    private static func run(_ bytes: Span<UInt8>, at offset: Int) -> Run {
        Run(
            number: bytes.littleEndian32(at: offset), level: bytes.littleEndian32(at: offset + 4),
            first: bytes.littleEndian64(at: offset + 8), last: bytes.littleEndian64(at: offset + 16),
            blocks: bytes.littleEndian32(at: offset + 24), parts: bytes.littleEndian32(at: offset + 28),
            tags: bytes.littleEndian64(at: offset + 32),
            seal: BlockFile.Seal(bytes: bytes.littleEndian64(at: offset + 40), checksum: bytes.littleEndian32(at: offset + 48)))
    }

    private static func append(_ run: Run, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: run.number)
        bytes.append(littleEndian: run.level)
        bytes.append(littleEndian: run.first)
        bytes.append(littleEndian: run.last)
        bytes.append(littleEndian: run.blocks)
        bytes.append(littleEndian: run.parts)
        bytes.append(littleEndian: run.tags)
        bytes.append(littleEndian: run.seal.bytes)
        bytes.append(littleEndian: run.seal.checksum)
    }
}
