/// Throw a card away; holder only.
public struct DiscardCard: Hashable, Sendable {
    public let card: CardID

    public init(card: CardID) {
        self.card = card
    }
}
