internal import LMDB

/// Turns lists of postings, in the run's order, into its blocks and parts with bounded memory.
///
/// Its owner moves the ``finished`` values to a ``RunOutput``, and names the run in the manifest when it is on disk.
struct RunWriter: Sendable {
    /// About a megabyte of ``finished`` values, which the owner should then store.
    static let valuesAtOnce = 256

    struct Value: Sendable {
        let key: UInt64
        let bytes: [UInt8]
    }

    let number: UInt32
    let first: UInt64
    private let parts: UInt32
    private(set) var finished: [Value] = []
    private var block = BlockBuilder()
    private var part = PartBuilder()
    private var piece = PieceBuilder()
    private var blockCount: UInt32 = 0
    private var partCount: UInt32 = 0
    private var tagCount: UInt64 = 0

    /// `tags` is the maximum of distinct tags.
    init(_ number: UInt32, first: UInt64, tags: Int) {
        (self.number, self.first) = (number, first)
        parts = Run.parts(for: tags)
        block.begin(Run.key(ofBlock: 0, run: number))
    }

    /// The caller must store them.
    mutating func takeFinished() -> [Value] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// The part must begin at the run's first position; `positions` is a reusable buffer.
    @inline(__always)
    mutating func add(_ ranked: MemoryPart.RankedTag, of part: borrowing MemoryPart, _ positions: inout [UInt64]) {
        if ranked.isInOneEvent {
            beginList(ranked.tag, spread: ranked.spread, ranked.type, total: 1)
            add(ranked.position)
            return endList()
        }
        part.forEachList(of: ranked, &positions) { type, positions in
            beginList(ranked.tag, spread: ranked.spread, type, total: UInt64(positions.count))
            for position in positions { add(position) }
            endList()
        }
    }

    /// Lists must come in the order of ``PostingKey``.
    mutating func beginList(_ tag: Tag, spread: UInt64, _ type: EventType, total: UInt64) {
        if tag != piece.tag || tagCount == 0 { tagCount += 1 }
        let index = Run.part(of: spread, in: parts)
        while partCount < index { finishPart() }
        part.add(spread, type)
        piece.begin(tag, type, total: total)
    }

    /// Relative to the run's first position.
    @inline(__always)
    mutating func add(_ position: UInt64) {
        if !piece.takes(position, stepBytes: 0) { finishPiece() }
        piece.add(position)
    }

    @inline(__always)
    mutating func add(_ first: UInt64, through last: UInt64, count: UInt64, steps: Span<UInt8>) {
        if !piece.takes(first, stepBytes: steps.count) { finishPiece() }
        piece.add(first, through: last, count: count, steps: steps)
    }

    /// The list must have at least one position.
    mutating func endList() { finishPiece() }

    mutating func finish(last: UInt64, level: UInt32) -> Run {
        if !block.isEmpty { finishBlock() }
        while partCount < parts { finishPart() }
        return Run(number: number, level: level, first: first, last: last, blocks: blockCount, parts: parts, tags: tagCount)
    }

    private mutating func finishPiece() {
        if !block.fits(IndexLayout.entryHeadBytesMax + piece.steps.count) { finishBlock() }
        if block.isEmpty { part.noteBlock(piece) }
        block.append(piece)
        piece.next()
    }

    private mutating func finishBlock() {
        finished.append(Value(key: Run.key(ofBlock: blockCount, run: number), bytes: block.finish()))
        blockCount += 1
        block.begin(Run.key(ofBlock: blockCount, run: number))
    }

    private mutating func finishPart() {
        let key = Run.key(ofPart: partCount, run: number)
        finished.append(Value(key: key, bytes: part.finish(key)))
        partCount += 1
    }
}

struct RunOutput: Sendable {
    private var file: BlockFileWriter

    /// - Throws: ``EventLogError`` `.storage`.
    init(_ path: String) throws(EventLogError) {
        do { file = try BlockFileWriter(path) } catch { throw EventLogError(error) }
    }

    /// Blocks must come in the order of their numbers, and so must parts.
    mutating func append(_ values: [RunWriter.Value]) throws(EventLogError) {
        do throws(LMDBError) {
            for value in values { try file.append(value.bytes, value.key & IndexLayout.partBit == 0 ? .first : .second) }
        } catch { throw EventLogError(error) }
    }

    /// Makes the content durable.
    mutating func finish(_ run: Run) throws(EventLogError) -> Run {
        var run = run
        do { run.seal = try file.finish(number: UInt64(run.number)) } catch { throw EventLogError(error) }
        return run
    }
}
