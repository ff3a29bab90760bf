extension RemoveFavorite: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> FavoriteSituation {
        try .load(campaign, in: &past, by: actor)
    }

    public func decide(_ situation: FavoriteSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, situation.campaign != nil else { throw .notFound }
        guard situation.isFavorite else { return [] }
        return [.favoriteRemoved(FavoriteRemoved(account: actor, campaign: campaign))]
    }
}
