/// What throwing a card away depends on.
public struct DiscardCardSituation: Hashable, Sendable {
    public let actor: Account?
    public let card: Card?

    public init(actor: Account?, card: Card?) {
        self.actor = actor
        self.card = card
    }
}
