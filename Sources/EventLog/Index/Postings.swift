internal import LMDB

/// Variable-length numbers (LEB128): seven bits per byte, lowest first, with the top bit set in all but the last.
extension Span where Element == UInt8 {
    /// Moves `offset` behind the number; nil if it is cut short or longer than ten bytes.
    @inline(__always)
    func varint(at offset: inout Int) -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while offset < count, shift < 64 {
            let byte = self[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    /// Moves `offset` to the first byte. Only the last byte of a varint has a clear top bit.
    @inline(__always)
    func varint(before offset: inout Int) -> UInt64? {
        guard offset > 0, offset <= count, self[offset - 1] < 0x80 else { return nil }
        var number = UInt64(self[offset - 1])
        offset -= 1
        while offset > 0, self[offset - 1] >= 0x80 {
            number = number << 7 | UInt64(self[offset - 1] & 0x7F)
            offset -= 1
        }
        return number
    }
}

extension Array where Element == UInt8 {
    @inline(__always)
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    static func varintBytes(_ number: UInt64) -> Int { Swift.max(1, (70 - number.leadingZeroBitCount) / 7) }
}

/// The sort key of a run's entries.
struct PostingKey: Sendable {
    let spread: UInt64
    let tag: Tag
    let type: EventType
    /// Relative to the run's first position.
    let position: UInt64

    @inline(__always)
    func follows(_ tag: Tag, _ type: EventType, _ first: @autoclosure () -> UInt64) -> Bool {
        if tag != self.tag {
            let spread = tag.spread
            return spread == self.spread ? tag < self.tag : spread < self.spread
        }
        return type == self.type ? first() < position : type < self.type
    }
}

/// An entry of a run's block, read without copying: the positions of a tag and a type, or a piece of a long list.
struct PostingPiece: ~Escapable {
    let tag: Tag
    let type: EventType
    /// At least 1.
    let count: UInt64
    /// The positions of the whole list, in its first piece; 0 in the others.
    let total: UInt64
    /// Relative to the run's first position.
    let first, last: UInt64
    /// The differences between positions, as varints.
    let steps: Span<UInt8>

    @_lifetime(copy bytes)
    @inline(__always)
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count > IndexLayout.keyBytes else { return nil }
        tag = Tag(TagKind(bytes[0]), bytes.littleEndian128(at: IndexLayout.valueAt))
        type = EventType(bytes.littleEndian16(at: IndexLayout.typeAt))
        var at = IndexLayout.keyBytes
        guard let head = bytes.varint(at: &at), head > 1 else { return nil }
        count = head >> 1
        if head & 1 == 0 {
            total = count
        } else {
            guard let total = bytes.varint(at: &at) else { return nil }
            self.total = total
        }
        guard let first = bytes.varint(at: &at) else { return nil }
        self.first = first
        if count == 1 {
            last = first
        } else {
            guard let span = bytes.varint(at: &at), span < UInt64.max - first else { return nil }
            last = first + span
        }
        steps = bytes.extracting(droppingFirst: at)
    }

    var isContinuation: Bool { total == 0 }

    func collect(_ window: RunWindow, limit: Int, into found: inout [UInt64]) {
        if window.backwards { return collectBackwards(window, limit, &found) }
        var (position, at) = (first, 0)
        while position <= window.last, found.count < limit {
            if position >= window.first { found.append(window.run.first + position) }
            guard let step = steps.varint(at: &at), step <= last - position else { return }
            position += step
        }
    }

    private func collectBackwards(_ window: RunWindow, _ limit: Int, _ found: inout [UInt64]) {
        var (position, at) = (last, steps.count)
        while position >= window.first, found.count < limit {
            if position <= window.last { found.append(window.run.first + position) }
            guard let step = steps.varint(before: &at), step <= position - first else { return }
            position -= step
        }
    }
}

/// Bounds the size of a list's pieces.
struct PieceBuilder: Sendable {
    private(set) var tag = Tag(TagKind(0), 0)
    private(set) var type = EventType(0)
    private(set) var count: UInt64 = 0
    private(set) var total: UInt64 = 0
    private(set) var first: UInt64 = 0
    private(set) var last: UInt64 = 0
    private(set) var steps: [UInt8] = []

    /// Begins a list of `total` positions.
    mutating func begin(_ tag: Tag, _ type: EventType, total: UInt64) {
        (self.tag, self.type, self.total) = (tag, type, total)
        count = 0
        steps.removeAll(keepingCapacity: true)
    }

    /// Later positions' differences take `stepBytes`.
    @inline(__always)
    func takes(_ first: UInt64, stepBytes: Int) -> Bool {
        count == 0 || steps.count + stepBytes + [UInt8].varintBytes(first - last) <= IndexLayout.pieceBytesMax
    }

    /// Copies the encoded differences of a stored, later piece.
    @inline(__always)
    mutating func add(_ first: UInt64, through last: UInt64, count: UInt64, steps: Span<UInt8>) {
        if self.count == 0 { self.first = first } else { self.steps.append(varint: first - self.last) }
        self.last = last
        self.count += count
        self.steps.append(copying: steps)
    }

    @inline(__always)
    mutating func add(_ position: UInt64) {
        if count == 0 { first = position } else { steps.append(varint: position - last) }
        last = position
        count += 1
    }

    mutating func next() {
        count = 0
        total = 0
        steps.removeAll(keepingCapacity: true)
    }
}

struct RunWindow: Sendable {
    let run: Run
    let first, last: UInt64
    /// Whether the newest positions come first.
    let backwards: Bool
    /// For each list.
    private let limit: Int

    init(_ range: PositionRange, of run: Run, limit: Int) {
        self.run = run
        first = max(range.first, run.first) - run.first
        last = min(range.last, run.last) - run.first
        backwards = range.backwards
        self.limit = limit
    }

    func end(from count: Int) -> Int { count + min(limit, .max - count) }
}
