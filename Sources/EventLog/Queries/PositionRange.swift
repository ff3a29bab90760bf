/// The part and order of a read, limited to the head; empty if `first` > `last`, or if the limit is 0.
struct PositionRange: Sendable {
    let first: UInt64
    let last: UInt64
    /// Whether the newest positions come first.
    let backwards: Bool
    let limit: Int

    var isEmpty: Bool { first > last || limit == 0 }

    init(first: UInt64, last: UInt64, backwards: Bool, limit: Int) {
        (self.first, self.last, self.backwards, self.limit) = (first, last, backwards, limit)
    }

    /// - Throws: ``EventLogError`` `.afterBeyondHead`, `.invalidQuery` for a negative limit.
    init(after: Position, through: Position, backwards: Bool, limit: Int, head: Position) throws(EventLogError) {
        try Self.check(after: after, head: head)
        if limit < 0 { throw EventLogError(.invalidQuery, "a limit of \(limit)") }
        self.init(first: after.rawValue + 1, last: min(through, head).rawValue, backwards: backwards, limit: limit)
    }

    /// The log may have been rolled back since the caller read that position.
    static func check(after: Position, head: Position) throws(EventLogError) {
        if after <= head { return }
        throw EventLogError(.afterBeyondHead, "asked for what follows \(after), but the head is \(head)", position: after)
    }

    @inline(__always)
    func contains(_ position: UInt64) -> Bool { position >= first && position <= last }
}
