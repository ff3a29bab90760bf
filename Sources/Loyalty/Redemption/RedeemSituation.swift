/// What handing out a reward depends on.
public struct RedeemSituation: Hashable, Sendable {
    public let actor: Account?
    /// The one that was typed.
    public let redemption: Redemption?
    /// The redemption's.
    public let card: Card?
    /// The card's.
    public let shop: Shop?

    public init(actor: Account?, redemption: Redemption?, card: Card?, shop: Shop?) {
        self.actor = actor
        self.redemption = redemption
        self.card = card
        self.shop = shop
    }
}
