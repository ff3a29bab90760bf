extension EventSource {
    /// Reads the events that match, and tells the head as of which it did: the `read` of the DCB specification.
    ///
    /// Both belong to one moment, even while others append: what came between this call's beginning and its return is neither among
    /// the events nor covered by the head.
    ///
    /// - Parameters:
    ///   - query: what to look for.
    ///   - after: exclusive; at most ``head``.
    ///   - backwards: newest first.
    ///   - limit: how many at most, from the side where the read begins. The head is that of the log whatever the limit: a decision
    ///     that was made on fewer events than there are is protected only against what comes later.
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    public func read(
        _ query: Query, after: Position = .start, backwards: Bool = false, limit: Int = .max
    ) throws(EventLogError) -> ReadResult {
        // Asked for once, and before the events: what is stored through here does not change any more.
        let head = head
        let events = try events(matching: query, after: after, through: head, backwards: backwards, limit: limit)
        // Events may have come in between: what lies behind this head was not there.
        try PositionRange.check(after: after, head: head)
        return ReadResult(events: events, head: head)
    }
}
