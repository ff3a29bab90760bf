/// Something that events can be read from: the committed log, or the writer's view of it with what it has staged.
///
/// A read MUST be answered as of one moment between its call and its return: everything up to ``head`` at that moment, nothing
/// beyond it. Answers are exact, whatever the index says, for each found record is compared with the query.
public protocol EventSource {
    /// The last position that can be read; ``Position/start`` when there is none. MUST never go back.
    var head: Position { get }

    /// The places of the events that match, ascending, or descending if `backwards`.
    ///
    /// - Parameters:
    ///   - query: what to look for.
    ///   - after: exclusive; at most ``head``.
    ///   - through: inclusive; what lies beyond the head counts as the head.
    ///   - backwards: newest first.
    ///   - limit: how many at most, from the side where the read begins.
    /// - Throws: ``EventLogError/Code-swift.struct/invalidQuery``, ``EventLogError/Code-swift.struct/afterBeyondHead``,
    ///   ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position]

    /// The newest event that has this tag and, if given, this type. The cheapest question there is: a miss costs one look into
    /// memory and one into the index, and allocates nothing.
    ///
    /// - Throws: as ``positions(matching:after:through:backwards:limit:)``.
    func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position?

    /// Calls `body` with the record at a position, in place.
    ///
    /// - Returns: what `body` returned; nil when there is no such event.
    /// - Throws: what `body` throws, ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result?
}

extension EventSource {
    /// The places of the events that match, from the whole of what can be read unless told otherwise.
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
    /// - Returns: nil when there is no such event.
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    public func event(at position: Position) throws(EventLogError) -> SequencedEvent? {
        try withRecord(at: position) { record in SequencedEvent(position: position, event: record.event) }
    }

    /// A copy of one record's bytes: the leaf of the Merkle tree, which a proof or a receipt is checked against.
    ///
    /// - Returns: nil when there is no such event.
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    public func recordBytes(at position: Position) throws(EventLogError) -> [UInt8]? {
        try withRecord(at: position) { record in record.copiedBytes }
    }

    /// Copies of the events that match, in the order of their positions.
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

/// The events of a read, and the head at its start: the two inputs of an append that follows.
///
/// A caller that decides on these events appends under an ``AppendCondition`` with the same query and ``head`` as its `after`. The append
/// fails if an event that the read would have found was added since, and for no other reason.
public struct ReadResult: Hashable, Sendable {
    /// The events that match, in the order asked for.
    public let events: [SequencedEvent]
    /// The last position that was looked at: every event through here that matches, and that was asked for, is in ``events``. Not the
    /// position of the last event found, which may lie long before.
    public let head: Position

    /// Joins events and the head as of which they were read.
    public init(events: [SequencedEvent], head: Position) {
        self.events = events
        self.head = head
    }
}
