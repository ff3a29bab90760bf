/// What a read found, and the moment as of which it looked: the two things that an append which follows needs.
///
/// Whoever decides on these events appends under an ``AppendCondition`` with the same query and ``head`` as its `after`: the append
/// fails if anything that the read would have found has come since, and nothing else makes it fail.
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
