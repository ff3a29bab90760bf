/// Add stamps to a card or take some off. That the actor is an operator is the caller's to know.
///
/// Given again it is another adjustment; whoever may have to repeat it says what card was expected, or uses an idempotency key.
public struct AdjustCard: Hashable, Sendable {
    public let card: CardID
    /// The card's, as the operator has seen it.
    public let expected: ExpectedVersion
    public let stamps: Int
    public let reason: TypedText

    public init(card: CardID, expected: ExpectedVersion, stamps: Int, reason: TypedText) {
        self.card = card
        self.expected = expected
        self.stamps = stamps
        self.reason = reason
    }
}
