internal import LMDB
internal import Merkle

/// An immutable, sorted piece of the index: every indexed tag of the events in a range of positions.
///
/// Lists are ordered by the tag's hash (``Tag/spread``), tag and type. The hashes are divided into equal parts, so that a tag's part can be
/// computed. A part has a filter and a directory of the blocks that begin in it.
struct Run: Hashable, Sendable {
    /// The number of the file, never reused.
    let number: UInt32
    /// How often the postings were merged.
    var level: UInt32
    let first, last: UInt64
    let blocks: UInt32
    /// At least 1.
    let parts: UInt32
    /// Distinct tags.
    let tags: UInt64
    var seal = BlockFile.Seal(bytes: 0, checksum: 0)

    var count: UInt64 { last - first + 1 }

    /// The part for a tag's hash.
    @inline(__always)
    func part(of spread: UInt64) -> UInt32 { Self.part(of: spread, in: parts) }

    @inline(__always)
    static func part(of spread: UInt64, in parts: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: spread.multipliedFullWidth(by: UInt64(parts)).high)
    }

    /// The recommended number of parts.
    static func parts(for tags: Int) -> UInt32 {
        let wanted = UInt32(clamping: (tags + IndexLayout.tagsPerPart - 1) / IndexLayout.tagsPerPart)
        return min(max(wanted, 1), UInt32(IndexLayout.partBit - 1))
    }

    @inline(__always)
    static func key(ofBlock block: UInt32, run: UInt32) -> UInt64 { UInt64(run) << 32 | UInt64(block) }

    @inline(__always)
    static func key(ofPart part: UInt32, run: UInt32) -> UInt64 { UInt64(run) << 32 | IndexLayout.partBit | UInt64(part) }
}

struct IndexCoverage: Hashable, Sendable {
    /// The index contains every event up to here, and no later one.
    var position: UInt64 = 0
    /// A log that was restored and then got other events has another root.
    var root: [UInt8] = [UInt8](repeating: 0, count: NodeHash.byteCount)
    var created = Timestamp(microseconds: 0)
    /// The indexed kinds, ascending.
    var kinds: [UInt8] = []
}

/// The file `manifest`: the runs of the index, from the oldest to the newest, and the part of the log that they cover.
///
/// It is replaced as a whole and durably, after every file that it names is on disk. The index is valid if all checksums match and the
/// log's tree agrees. After a crash it lacks only the events without a run, which the next opening reads from the log.
///
/// ```
/// "greentea-index 4", u32 next number, u32 runs, u64 position, root (32), i64 creation of the log, u32 kinds, kinds,
/// of each run: u32 number, u32 level, u64 first, u64 last, u32 blocks, u32 parts, u64 tags, u64 bytes, u32 checksum
/// u32 CRC-32C of all before it
/// ```
struct RunManifest: Hashable, Sendable {
    static let name = "manifest"
    /// Ends in the format's version. An index of any other format is rebuilt.
    private static let magic = Array("greentea-index 4".utf8)
    private static let headBytes = magic.count + 4 + 4 + 8 + NodeHash.byteCount + 8 + 4
    private static let runBytes = 52

    var coverage = IndexCoverage()
    /// From the oldest to the newest, with levels that never rise.
    var runs: [Run] = []
    var nextNumber: UInt32 = 1

    init() {}

    init(_ coverage: IndexCoverage, _ runs: [Run], nextNumber: UInt32) {
        (self.coverage, self.runs, self.nextNumber) = (coverage, runs, nextNumber)
    }

    /// Nil unless the bytes are one manifest, with consecutive runs up to the covered position.
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

    /// Nil if there is no readable manifest.
    init?(in directory: String) {
        let path = directory + "/" + Self.name
        var bytes: [UInt8] = []
        guard let file = try? PlainFile(path), (try? file.read(file.count, at: 0, into: &bytes)) != nil else { return nil }
        self.init(bytes)
    }

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
