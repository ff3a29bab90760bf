/// The part of a log that a read covers, and the order of the read.
///
/// The bounds are those that the caller gave, limited to the head. The range is empty if `first` > `last`, or if the limit is 0.
struct PositionRange: Sendable {
    /// The smallest position that may be returned.
    let first: UInt64
    /// The greatest position that may be returned.
    let last: UInt64
    /// Whether the newest positions come first.
    let backwards: Bool
    /// The maximum number of positions to return.
    let limit: Int

    var isEmpty: Bool { first > last || limit == 0 }

    init(first: UInt64, last: UInt64, backwards: Bool, limit: Int) {
        self.first = first
        self.last = last
        self.backwards = backwards
        self.limit = limit
    }

    /// Computes the positions that a read covers, given the head at its start.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/invalidQuery`` for a negative
    ///   limit.
    init(after: Position, through: Position, backwards: Bool, limit: Int, head: Position) throws(EventLogError) {
        try Self.check(after: after, head: head)
        if limit < 0 { throw EventLogError(.invalidQuery, "a limit of \(limit)") }
        self.init(first: after.rawValue + 1, last: min(through, head).rawValue, backwards: backwards, limit: limit)
    }

    /// Rejects an `after` beyond the head: the log may have been rolled back since the caller read that position.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead``.
    static func check(after: Position, head: Position) throws(EventLogError) {
        if after <= head { return }
        throw EventLogError(.afterBeyondHead, "asked for what follows \(after), but the head is \(head)", position: after)
    }

    @inline(__always)
    func contains(_ position: UInt64) -> Bool { position >= first && position <= last }
}
