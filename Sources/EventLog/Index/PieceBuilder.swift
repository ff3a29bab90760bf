internal import LMDB

/// Gathers the positions of one list, in order, into pieces of bounded size.
struct PieceBuilder: Sendable {
    private(set) var tag = Tag(TagKind(0), 0)
    private(set) var type = EventType(0)
    /// As in ``PostingPiece``.
    private(set) var count: UInt64 = 0
    private(set) var total: UInt64 = 0
    private(set) var first: UInt64 = 0
    private(set) var last: UInt64 = 0
    private(set) var steps: [UInt8] = []

    /// Begins a list.
    mutating func begin(_ tag: Tag, _ type: EventType, total: UInt64) {
        self.tag = tag
        self.type = type
        self.total = total
        count = 0
        steps.removeAll(keepingCapacity: true)
    }

    /// Whether positions with so many bytes of steps, the first of which is `first`, can be added to this piece.
    @inline(__always)
    func takes(_ first: UInt64, stepBytes: Int) -> Bool {
        count == 0 || steps.count + stepBytes + [UInt8].varintBytes(first - last) <= IndexLayout.pieceBytesMax
    }

    /// Adds positions behind those that are here: those of a stored piece, byte for byte.
    @inline(__always)
    mutating func add(_ first: UInt64, through last: UInt64, count: UInt64, steps: Span<UInt8>) {
        if self.count == 0 { self.first = first } else { self.steps.append(varint: first - self.last) }
        self.last = last
        self.count += count
        self.steps.append(copying: steps)
    }

    /// Adds one position.
    @inline(__always)
    mutating func add(_ position: UInt64) {
        if count == 0 { first = position } else { steps.append(varint: position - last) }
        last = position
        count += 1
    }

    /// Goes on with the next piece of the same list.
    mutating func next() {
        count = 0
        total = 0
        steps.removeAll(keepingCapacity: true)
    }
}
