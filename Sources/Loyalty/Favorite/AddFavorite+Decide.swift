extension AddFavorite: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> FavoriteSituation {
        try .load(campaign, in: &past, by: actor)
    }

    /// Any campaign that there is will do, one that is over too: a shop's next one may follow.
    public func decide(_ situation: FavoriteSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, situation.campaign != nil else { throw .notFound }
        guard !situation.isFavorite else { return [] }
        return [.favoriteAdded(FavoriteAdded(account: actor, campaign: campaign))]
    }
}
