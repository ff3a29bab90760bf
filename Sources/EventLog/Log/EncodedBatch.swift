internal import LMDB
internal import Merkle

/// Events that were decided together, as the bytes that a commit will store: dense positions, one record each.
///
/// This is all that a replicated log would have to publish: the first position is the sequence that it expects, the records are
/// what it carries. The records stand in one buffer that is used again for the next batch.
public struct EncodedBatch: Sendable {
    /// The position of the first record; what the next one will get while there is none.
    public private(set) var first: Position
    private var buffer: [UInt8] = []
    /// The end of each record in the buffer.
    private var ends: [Int] = []
    /// The end of each record's tree nodes; empty until ``hash(onto:)``.
    private var hashBuffer: [UInt8] = []
    private var hashEnds: [Int] = []

    /// A batch without events, which holds no position.
    static let none = EncodedBatch(first: Position.max)

    init(first: Position) { self.first = first }

    /// An empty batch with as much memory as another one needed.
    init(first: Position, like other: EncodedBatch) {
        self.first = first
        buffer.reserveCapacity(other.buffer.count)
        ends.reserveCapacity(other.ends.count)
    }

    /// How many records there are.
    public var count: Int { ends.count }
    /// Whether there is nothing to commit.
    public var isEmpty: Bool { ends.isEmpty }
    /// The position of the last record; the one before ``first`` when there is none.
    public var last: Position { Position(first.rawValue - 1 + UInt64(ends.count)) }
    /// Bytes of all records together.
    public var byteCount: Int { buffer.count }

    /// The bytes of a record, counted from 0; traps when there are not so many.
    @_lifetime(borrow self)
    public func record(_ index: Int) -> Span<UInt8> {
        buffer.span.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index])
    }

    /// The bytes of the record at a position, nil when it is not one of the batch.
    @_lifetime(borrow self)
    func record(at position: UInt64) -> Span<UInt8>? {
        guard position >= first.rawValue, position - first.rawValue < UInt64(ends.count) else { return nil }
        return record(Int(position - first.rawValue))
    }

    /// The tree's hashes that a record completes; traps before ``hash(onto:)``.
    @_lifetime(borrow self)
    func hashes(_ index: Int) -> Span<UInt8> {
        hashBuffer.span.extracting((index == 0 ? 0 : hashEnds[index - 1])..<hashEnds[index])
    }

    /// Appends every record to a tree, and keeps what the tree has to store with it. Once, when nothing more is added.
    mutating func hash(onto edge: inout TreeEdge) {
        precondition(hashEnds.isEmpty && edge.size + 1 == first.rawValue, "the tree has \(edge.size) leaves, the batch begins at \(first)")
        var entries: [TreeEntry] = []
        hashBuffer.reserveCapacity(count * (NodeHash.byteCount + 1))
        hashEnds.reserveCapacity(count)
        for index in 0..<count {
            entries.removeAll(keepingCapacity: true)
            edge.append(record(index), completing: &entries)
            for entry in entries { entry.hash.append(to: &hashBuffer) }
            hashEnds.append(hashBuffer.count)
        }
    }

    /// Encodes an event as the next record.
    ///
    /// - Throws: as ``RecordEncoder``, and when the batch would outgrow ``LogLimits/batchBytesMax``; the batch is as it was then.
    mutating func append(_ event: NewEvent) throws(EventLogError) {
        let before = buffer.count
        try RecordEncoder.append(event, to: &buffer)
        guard buffer.count <= LogLimits.batchBytesMax else {
            buffer.removeLast(buffer.count - before)
            throw EventLogError(.recordTooLarge, "a batch of more than \(LogLimits.batchBytesMax) bytes")
        }
        ends.append(buffer.count)
    }

    /// Drops the records beyond the first `count`.
    mutating func truncate(to count: Int) {
        ends.removeLast(ends.count - count)
        buffer.removeLast(buffer.count - (ends.last ?? 0))
    }

    /// Appends the records of the batch that follows this one.
    mutating func append(contentsOf next: EncodedBatch) {
        precondition(next.first == last.next, "a batch that begins at \(next.first) does not follow \(last)")
        let before = buffer.count
        buffer.append(contentsOf: next.buffer)
        for end in next.ends { ends.append(before + end) }
        let hashesBefore = hashBuffer.count
        hashBuffer.append(contentsOf: next.hashBuffer)
        for end in next.hashEnds { hashEnds.append(hashesBefore + end) }
    }

    /// Empties the batch, for events from a position on, and keeps the memory.
    mutating func restart(at position: Position) {
        first = position
        ends.removeAll(keepingCapacity: true)
        buffer.removeAll(keepingCapacity: true)
        hashEnds.removeAll(keepingCapacity: true)
        hashBuffer.removeAll(keepingCapacity: true)
    }
}

/// The step that makes a batch durable: the one place where a replicated log would come in.
///
/// Today that is the local commit alone. With a replicated log an implementation publishes the batch, expecting ``EncodedBatch/first``
/// to be the next sequence, and commits locally after that.
public protocol BatchDurability: Sendable {
    /// Makes every record of a batch survive the loss of power, and readable here.
    ///
    /// MUST call `commitLocally` with this batch, once, and MUST return only when the batch is durable wherever it has to be.
    /// A throw means that the outcome is unknown: the appender accepts nothing more, and the next start finds out. Called on the
    /// writer's thread, one batch at a time, in the order of positions; it may block, and all writing waits for it.
    ///
    /// - Parameters:
    ///   - batch: what was staged; never empty.
    ///   - commitLocally: one LMDB transaction and one flush; throws with nothing or everything stored.
    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError)
}

/// Durability on one machine: a batch is durable when the local commit has returned.
public struct LocalCommit: BatchDurability {
    /// The default of ``EventLog/Options``.
    public init() {}

    /// Commits locally and nothing else.
    public func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        try commitLocally(batch)
    }
}
