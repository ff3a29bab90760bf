/// A stored event and its place: a copy that may be kept.
public struct SequencedEvent: Hashable, Sendable {
    /// Where it stands.
    public let position: Position
    /// What it says, its tags sorted.
    public let event: NewEvent

    /// Joins an event and its place.
    public init(position: Position, event: NewEvent) {
        self.position = position
        self.event = event
    }
}
