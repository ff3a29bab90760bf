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
