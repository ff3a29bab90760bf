/// An account and a campaign that it may keep as a favourite (收藏).
public struct Favorite: Hashable, Sendable {
    public let account: AccountID
    public let campaign: CampaignID

    public init(account: AccountID, campaign: CampaignID) { (self.account, self.campaign) = (account, campaign) }
}

/// The facts that adding or removing a favourite needs.
public struct FavoriteSituation: Hashable, Sendable {
    public let campaign: Campaign?
    public let isFavorite: Bool

    static func load<P: Past>(_ campaign: CampaignID, in past: inout P, by actor: AccountID) throws(P.Failure) -> FavoriteSituation {
        FavoriteSituation(campaign: try past.campaign(campaign), isFavorite: try past.has(Favorite(account: actor, campaign: campaign)))
    }
}

/// Keep a campaign among the actor's favourites.
public struct AddFavorite: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) { self.campaign = campaign }
}

extension AddFavorite: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> FavoriteSituation {
        try .load(campaign, in: &past, by: actor)
    }

    /// A campaign that is over can be a favourite, because the shop may publish another.
    public func decide(_ situation: FavoriteSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.campaign != nil else { throw .notFound }
        guard !situation.isFavorite else { return [] }
        return [.favoriteAdded(FavoriteAdded(account: actor, campaign: campaign))]
    }
}

/// Remove a campaign from the actor's favourites.
public struct RemoveFavorite: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) { self.campaign = campaign }
}

extension RemoveFavorite: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> FavoriteSituation {
        try .load(campaign, in: &past, by: actor)
    }

    public func decide(_ situation: FavoriteSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.campaign != nil else { throw .notFound }
        guard situation.isFavorite else { return [] }
        return [.favoriteRemoved(FavoriteRemoved(account: actor, campaign: campaign))]
    }
}
