/// A source of events: the committed log, or the writer's view of it, which includes staged events.
///
/// A read MUST reflect one moment between its call and its return: everything up to ``head`` then, and nothing beyond. Each found record is
/// compared with the query, so that even a wrong index adds no event.
public protocol EventSource {
    /// The last readable position; ``Position/start`` if there is none. MUST never decrease.
    var head: Position { get }

    /// The positions of the matching events, ascending, or descending if `backwards`.
    ///
    /// - Parameters:
    ///   - query: the events to find.
    ///   - after: exclusive; at most ``head``.
    ///   - through: inclusive; beyond the head means the head.
    ///   - backwards: newest first.
    ///   - limit: the maximum number, counted from where the read begins.
    /// - Throws: ``EventLogError`` `.invalidQuery`, `.afterBeyondHead`, `.damaged`, `.storage`.
    func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position]

    /// The newest event with this tag and, if given, this type: the cheapest query, usually without allocation if nothing is found.
    ///
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position?

    /// Calls `body` with the record at a position, without copying it; nil if there is none.
    ///
    /// - Throws: errors of `body`, ``EventLogError`` `.damaged`, `.storage`.
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

    /// A copy of one event; nil if no event has this position.
    ///
    /// - Throws: ``EventLogError`` `.damaged`, `.storage`.
    public func event(at position: Position) throws(EventLogError) -> SequencedEvent? {
        try withRecord(at: position) { record in SequencedEvent(position: position, event: record.event) }
    }

    /// A copy of a record's bytes, the leaf of the Merkle tree; nil if no event has this position.
    ///
    /// - Throws: ``EventLogError`` `.damaged`, `.storage`.
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
    /// Reads the matching events and the head of the same moment: the `read` of the DCB specification. A concurrent append is in both or
    /// neither.
    ///
    /// - Parameters:
    ///   - query: the events to find.
    ///   - after: exclusive; at most ``head``.
    ///   - backwards: newest first.
    ///   - limit: the maximum number of events, counted from where the read begins. It does not change the head, so a decision on only some
    ///     matches is protected only against events after the head.
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    public func read(
        _ query: Query, after: Position = .start, backwards: Bool = false, limit: Int = .max
    ) throws(EventLogError) -> ReadResult {
        // Before the events, because events through this position do not change any more.
        let head = head
        let events = try events(matching: query, after: after, through: head, backwards: backwards, limit: limit)
        // An error even if later events reach `after`.
        try PositionRange.check(after: after, head: head)
        return ReadResult(events: events, head: head)
    }
}

/// The events of a read, and the head at its start: the two inputs of a following append.
///
/// An ``AppendCondition`` with the same query, and ``head`` as its `after`, fails only if an event that the read would have found was
/// added.
public struct ReadResult: Hashable, Sendable {
    /// The matching events, in the requested order.
    public let events: [SequencedEvent]
    /// The last position that the read covers, perhaps far beyond the last event found.
    public let head: Position

    public init(events: [SequencedEvent], head: Position) { (self.events, self.head) = (events, head) }
}
