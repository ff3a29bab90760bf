/// A source of events: the committed log, or the writer's view of it, which includes staged events.
///
/// A read MUST reflect one moment between its call and its return: everything up to ``head`` at that moment, and nothing beyond it. Even if
/// the index is wrong, a read returns no event that does not match, because each found record is compared with the query.
public protocol EventSource {
    /// The last position that can be read; ``Position/start`` if there is none. MUST never decrease.
    var head: Position { get }

    /// The positions of the matching events, ascending, or descending if `backwards`.
    ///
    /// - Parameters:
    ///   - query: the events to find.
    ///   - after: the exclusive lower bound; at most ``head``.
    ///   - through: the inclusive upper bound; a position beyond the head means the head.
    ///   - backwards: newest first.
    ///   - limit: the maximum number of positions, counted from the end where the read begins.
    /// - Throws: ``EventLogError/Code-swift.struct/invalidQuery``, ``EventLogError/Code-swift.struct/afterBeyondHead``,
    ///   ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position]

    /// The newest event with this tag and, if given, this type. This is the cheapest query: with an index, a search without a result costs
    /// one look-up in memory and one in each run, and usually allocates nothing.
    ///
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position?

    /// Calls `body` with the record at a position, without copying it.
    ///
    /// - Returns: the result of `body`; nil if no event has this position.
    /// - Throws: errors of `body`, ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result?
}

extension EventSource {
    /// The positions of the matching events, by default among all readable events.
    ///
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    public func positions(
        matching query: Query, after: Position = .start, backwards: Bool = false, limit: Int = .max
    ) throws(EventLogError) -> [Position] {
        try positions(matching: query, after: after, through: .max, backwards: backwards, limit: limit)
    }

    /// The newest event that has this tag.
    ///
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    public func lastPosition(of tag: Tag) throws(EventLogError) -> Position? { try lastPosition(of: tag, type: nil) }

    /// A copy of one event.
    ///
    /// - Returns: nil if no event has this position.
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    public func event(at position: Position) throws(EventLogError) -> SequencedEvent? {
        try withRecord(at: position) { record in SequencedEvent(position: position, event: record.event) }
    }

    /// A copy of one record's bytes: the leaf of the Merkle tree, for checking a proof or a receipt.
    ///
    /// - Returns: nil if no event has this position.
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    public func recordBytes(at position: Position) throws(EventLogError) -> [UInt8]? {
        try withRecord(at: position) { record in record.copiedBytes }
    }

    /// Copies of the matching events, oldest first, or newest first if `backwards`.
    ///
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    public func events(
        matching query: Query, after: Position = .start, through: Position = .max, backwards: Bool = false, limit: Int = .max
    ) throws(EventLogError) -> [SequencedEvent] {
        let found = try positions(matching: query, after: after, through: through, backwards: backwards, limit: limit)
        var events: [SequencedEvent] = []
        events.reserveCapacity(found.count)
        for position in found {
            if let event = try event(at: position) { events.append(event) }
        }
        return events
    }
}

extension EventSource {
    /// Reads the matching events and the head at the time of the read: the `read` of the DCB specification.
    ///
    /// Events and head belong to one moment, even while others append. An event that is appended during this call is either included and
    /// covered by the head, or neither of the two.
    ///
    /// - Parameters:
    ///   - query: the events to find.
    ///   - after: the exclusive lower bound; at most ``head``.
    ///   - backwards: newest first.
    ///   - limit: the maximum number of events, counted from the end where the read begins. The limit does not change the returned head. So
    ///     a decision on only some of the matching events is protected only against events after that head.
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    public func read(
        _ query: Query, after: Position = .start, backwards: Bool = false, limit: Int = .max
    ) throws(EventLogError) -> ReadResult {
        // The head is read once, and before the events, because events through this position do not change any more.
        let head = head
        let events = try events(matching: query, after: after, through: head, backwards: backwards, limit: limit)
        // An `after` beyond this head is an error, even if events that were added after the head was read reach `after`.
        try PositionRange.check(after: after, head: head)
        return ReadResult(events: events, head: head)
    }
}

/// The events of a read, and the head at its start: the two inputs of a following append.
///
/// A caller that decides on these events appends under an ``AppendCondition`` with the same query and with ``head`` as its `after`. That
/// condition fails only if an event that the read would have found was added since.
public struct ReadResult: Hashable, Sendable {
    /// The matching events, in the requested order.
    public let events: [SequencedEvent]
    /// The last position that the read covers: every requested event through this position that matches is in ``events``. It is not the
    /// position of the last event found, which may be much smaller.
    public let head: Position

    /// Combines events with the head at the time they were read.
    public init(events: [SequencedEvent], head: Position) {
        self.events = events
        self.head = head
    }
}
