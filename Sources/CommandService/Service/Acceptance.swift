public import EventLog
public import Loyalty

/// An accepted command: what it added to the log, durable by the time anyone sees this.
public struct Acceptance: Hashable, Sendable {
    /// The position of the last event, or the head where the command changed nothing.
    public let position: Position
    /// In log order; empty where the command changed nothing.
    public let facts: [Fact]
    /// Every card that `facts` touched, in the order of first touch, as it stood at `position`.
    public let cards: [Card]
    /// This is the answer to an earlier request with the same idempotency key; nothing was added now.
    public let isReplay: Bool

    public init(position: Position, facts: [Fact], cards: [Card], isReplay: Bool) {
        self.position = position
        self.facts = facts
        self.cards = cards
        self.isReplay = isReplay
    }
}
