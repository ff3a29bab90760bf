/// What asking for a redemption code depends on.
public struct RequestRedemptionSituation: Hashable, Sendable {
    public let actor: Account?
    public let card: Card?
    /// The card's.
    public let shop: Shop?
    public let redemptionWithID: Redemption?
    public let redemptionWithSecret: Redemption?

    public init(actor: Account?, card: Card?, shop: Shop?, redemptionWithID: Redemption?, redemptionWithSecret: Redemption?) {
        self.actor = actor
        self.card = card
        self.shop = shop
        self.redemptionWithID = redemptionWithID
        self.redemptionWithSecret = redemptionWithSecret
    }
}
