internal import LMDB

/// An entry of a block, in place: the positions of the events with a tag and a type, or a piece of a long list of them.
struct PostingPiece: ~Escapable {
    let tag: Tag
    let type: EventType
    /// How many positions are here, at least 1.
    let count: UInt64
    /// How many positions the whole list has in this run; 0 in a piece that is not the list's first.
    let total: UInt64
    /// The least and the greatest position here, counted from the run's first.
    let first, last: UInt64
    /// From each position to the next, as varints.
    let steps: Span<UInt8>

    /// Nil when the bytes are no entry.
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

    /// Whether the list has begun in an earlier entry.
    var isContinuation: Bool { total == 0 }

    /// Appends the positions within a window, in its order, until `limit` are found.
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
