/// What adding or removing a favourite depends on.
public struct FavoriteSituation: Hashable, Sendable {
    public let actor: Account?
    public let campaign: Campaign?
    /// Whether the campaign is one of the actor's favourites.
    public let isFavorite: Bool

    public init(actor: Account?, campaign: Campaign?, isFavorite: Bool) {
        self.actor = actor
        self.campaign = campaign
        self.isFavorite = isFavorite
    }

    static func load<P: Past>(_ campaign: CampaignID, in past: inout P, by actor: AccountID) throws(P.Failure) -> FavoriteSituation {
        FavoriteSituation(
            actor: try past.account(actor), campaign: try past.campaign(campaign),
            isFavorite: try past.has(Favorite(account: actor, campaign: campaign)))
    }
}
