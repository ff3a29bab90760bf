internal import LMDB
internal import Merkle

/// Events that were decided together, in the form in which a commit stores them: consecutive positions, one record each.
///
/// A replicated log would publish exactly these values: the first position as the expected sequence number, and the records as the payload.
/// All records are in one buffer.
public struct EncodedBatch: Sendable {
    /// The position of the first record. While the batch is empty, the position that the next record will get.
    public private(set) var first: Position
    private var buffer: [UInt8] = []
    /// The offset in the buffer at which each record ends.
    private var ends: [Int] = []
    /// The Merkle tree's hashes that the records complete, and the offset in this buffer at which each record's hashes end. Both are empty
    /// before ``hash(onto:)``.
    private var hashBuffer: [UInt8] = []
    private var hashEnds: [Int] = []

    /// An empty batch, to which ``restart(at:)`` gives a position before use.
    static let none = EncodedBatch(first: Position.max)

    init(first: Position) { self.first = first }

    /// Creates an empty batch with the capacity of another batch.
    init(first: Position, like other: EncodedBatch) {
        self.first = first
        buffer.reserveCapacity(other.buffer.count)
        ends.reserveCapacity(other.ends.count)
    }

    /// The number of records.
    public var count: Int { ends.count }
    /// Whether the batch has no records.
    public var isEmpty: Bool { ends.isEmpty }
    /// The position of the last record; the position before ``first`` if there is none.
    public var last: Position { Position(first.rawValue - 1 + UInt64(ends.count)) }
    /// The total bytes of all records.
    public var byteCount: Int { buffer.count }

    /// The bytes of a record by its index, counted from 0; traps for an index beyond the last.
    @_lifetime(borrow self)
    public func record(_ index: Int) -> Span<UInt8> {
        buffer.span.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index])
    }

    /// The bytes of the record at a position; nil if it is not in the batch.
    @_lifetime(borrow self)
    func record(at position: UInt64) -> Span<UInt8>? {
        guard position >= first.rawValue, position - first.rawValue < UInt64(ends.count) else { return nil }
        return record(Int(position - first.rawValue))
    }

    /// The Merkle tree's hashes that a record completes, by the record's index; traps before ``hash(onto:)``.
    @_lifetime(borrow self)
    func hashes(_ index: Int) -> Span<UInt8> {
        hashBuffer.span.extracting((index == 0 ? 0 : hashEnds[index - 1])..<hashEnds[index])
    }

    /// Appends every record to a tree, and keeps the hashes to be stored with each record. Call once, after the last record has been added.
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
    /// - Throws: as ``RecordEncoder``, and if the batch would exceed ``LogLimits/batchBytesMax``; the batch is then unchanged.
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

    /// Empties the batch. Its next record will get the given position. The allocated memory is kept.
    mutating func restart(at position: Position) {
        first = position
        ends.removeAll(keepingCapacity: true)
        buffer.removeAll(keepingCapacity: true)
        hashEnds.removeAll(keepingCapacity: true)
        hashBuffer.removeAll(keepingCapacity: true)
    }
}

/// The step that makes a batch durable: the extension point for a replicated log.
///
/// Today it is only the local commit. With a replicated log, an implementation publishes the batch, expecting ``EncodedBatch/first`` to be
/// the next sequence number, and commits locally after that.
public protocol BatchDurability: Sendable {
    /// Makes every record of a batch durable against a power failure, and readable on this machine.
    ///
    /// MUST call `commitLocally` with this batch, once, and MUST return only when the batch is durable wherever it has to be. A throw means
    /// that the outcome is unknown: the appender accepts no more events, and the next opening finds out whether the batch was stored.
    /// Called on the thread that commits, for one batch at a time, in the order of positions. It may block; no other batch is committed
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - batch: the staged events; never empty.
    ///   - commitLocally: one LMDB transaction and one flush; if it throws, it has stored either nothing or everything.
    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError)
}

/// Durability on one machine: a batch is durable when the local commit has returned.
public struct LocalCommit: BatchDurability {
    /// Creates the default value of ``EventLog/Options/durability``.
    public init() {}

    /// Commits the batch locally, and does nothing else.
    public func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        try commitLocally(batch)
    }
}
