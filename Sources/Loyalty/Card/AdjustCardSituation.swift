/// What adjusting a card depends on.
public struct AdjustCardSituation: Hashable, Sendable {
    public let actor: Account?
    public let card: Card?
    /// The card on which the holder collects in the same campaign; it may be the very one.
    public let collecting: Card?

    public init(actor: Account?, card: Card?, collecting: Card?) {
        self.actor = actor
        self.card = card
        self.collecting = collecting
    }
}
