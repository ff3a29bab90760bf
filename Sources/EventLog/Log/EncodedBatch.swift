internal import LMDB
package import Merkle

/// Events that were decided together, in the form in which a commit stores them: consecutive positions, one record each.
///
/// A shared log stores it as an `Entry`.
public struct EncodedBatch: Sendable {
    /// The first record's position, or that of the next record while empty.
    public private(set) var first: Position
    private var buffer: [UInt8] = []
    private var ends: [Int] = []
    /// Empty before ``hash(onto:withRoot:)``.
    private var hashBuffer: [UInt8] = []
    private var hashEnds: [Int] = []
    /// The tree's root after the last record; nil before ``hash(onto:withRoot:)``, and on one machine, which does not need it.
    package private(set) var root: NodeHash?

    /// Needs ``restart(at:)`` before use.
    static let none = EncodedBatch(first: Position.max)

    init(first: Position) { self.first = first }

    /// With another batch's capacity.
    init(first: Position, like other: EncodedBatch) { self.init(first: first, count: other.count, bytes: other.byteCount) }

    /// With memory for records of known size.
    init(first: Position, count: Int, bytes: Int) {
        self.first = first
        buffer.reserveCapacity(bytes)
        ends.reserveCapacity(count)
    }

    public var count: Int { ends.count }
    public var isEmpty: Bool { ends.isEmpty }
    /// The last record's position, or the one before ``first``.
    public var last: Position { Position(first.rawValue - 1 + UInt64(ends.count)) }
    /// The bytes of all records.
    public var byteCount: Int { buffer.count }

    /// The bytes of a record by its index, from 0; traps beyond the last.
    @_lifetime(borrow self)
    public func record(_ index: Int) -> Span<UInt8> { buffer.span.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index]) }

    @_lifetime(borrow self)
    func record(at position: UInt64) -> Span<UInt8>? {
        guard position >= first.rawValue, position - first.rawValue < UInt64(ends.count) else { return nil }
        return record(Int(position - first.rawValue))
    }

    /// The tree's hashes that a record completes; traps before ``hash(onto:withRoot:)``.
    @_lifetime(borrow self)
    func hashes(_ index: Int) -> Span<UInt8> { hashBuffer.span.extracting((index == 0 ? 0 : hashEnds[index - 1])..<hashEnds[index]) }

    /// Call once, after the last record.
    ///
    /// - Parameter withRoot: whether to compute ``root``, at up to 62 hashes.
    mutating func hash(onto edge: inout TreeEdge, withRoot: Bool = false) {
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
        if withRoot { root = edge.root }
    }

    /// Encodes an event as the next record.
    ///
    /// - Throws: as ``RecordEncoder``, and if all records have more than `bytesMax` bytes; the batch is then unchanged.
    mutating func append(_ event: NewEvent, bytesMax: Int = LogLimits.batchBytesMax) throws(EventLogError) {
        let before = buffer.count
        try RecordEncoder.append(event, to: &buffer)
        guard buffer.count <= bytesMax else {
            buffer.removeLast(buffer.count - before)
            throw EventLogError(.recordTooLarge, "a batch of more than \(bytesMax) bytes")
        }
        ends.append(buffer.count)
    }

    /// Appends a record as another node has encoded it, unchecked.
    mutating func append(record: Span<UInt8>) {
        buffer.append(copying: record)
        ends.append(buffer.count)
    }

    /// The records after one of this batch's positions, without hashes.
    func rest(after position: Position) -> EncodedBatch {
        var rest = EncodedBatch(first: position.next)
        for index in Int(position.next.rawValue - first.rawValue)..<count { rest.append(record: record(index)) }
        return rest
    }

    mutating func truncate(to count: Int) {
        ends.removeLast(ends.count - count)
        buffer.removeLast(buffer.count - (ends.last ?? 0))
    }

    mutating func append(contentsOf next: EncodedBatch) {
        precondition(next.first == last.next, "a batch that begins at \(next.first) does not follow \(last)")
        let before = buffer.count
        buffer.append(contentsOf: next.buffer)
        for end in next.ends { ends.append(before + end) }
        let hashesBefore = hashBuffer.count
        hashBuffer.append(contentsOf: next.hashBuffer)
        for end in next.hashEnds { hashEnds.append(hashesBefore + end) }
        root = next.root
    }

    /// Keeps the allocated memory.
    mutating func restart(at position: Position) {
        first = position
        ends.removeAll(keepingCapacity: true)
        buffer.removeAll(keepingCapacity: true)
        hashEnds.removeAll(keepingCapacity: true)
        hashBuffer.removeAll(keepingCapacity: true)
        root = nil
    }
}
