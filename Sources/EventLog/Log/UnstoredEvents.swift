internal import LMDB

/// What the writer has staged and the log may not have yet: dense, behind the stored events.
///
/// Sealed batches are being committed, perhaps by another thread; their records are read from here until they are known to be
/// stored. They stand in two generations, the older of which is let go as a whole, so that there is one buffer for each and no
/// record is moved twice.
struct UnstoredEvents: Sendable {
    private var older: EncodedBatch
    private var newer: EncodedBatch
    /// Takes what is staged now.
    var current: EncodedBatch

    /// Nothing, behind every position.
    static let none = UnstoredEvents(after: Position(UInt64.max - 1))

    init(after head: Position) {
        older = EncodedBatch(first: head.next)
        newer = older
        current = older
    }

    /// The first position that is here, or would be.
    var first: UInt64 { older.first.rawValue }

    /// The bytes of the record at a position, nil when it is not here.
    @_lifetime(borrow self)
    func record(at position: UInt64) -> Span<UInt8>? {
        if position >= current.first.rawValue { return current.record(at: position) }
        return position >= newer.first.rawValue ? newer.record(at: position) : older.record(at: position)
    }

    /// Begins another batch behind the current one.
    ///
    /// - Returns: the batch so far; nothing more is added to it.
    mutating func seal() -> EncodedBatch {
        if current.isEmpty { return current }
        let batch = current
        newer.append(contentsOf: batch)
        current = EncodedBatch(first: batch.last.next, like: batch)
        return batch
    }

    /// Drops sealed records that the log has by now.
    mutating func forget(through head: Position) {
        if older.last > head { return }
        swap(&older, &newer)
        newer.restart(at: current.first)
    }
}
