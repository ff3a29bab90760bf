internal import Loyalty
internal import LoyaltyCodec

extension RuleBook {
    mutating func check(_ event: FavoriteAdded, _ fact: Fact) {
        requireKeeper(event.account, event.campaign, fact)
        let favorite = Favorite(account: event.account, campaign: event.campaign)
        require(favorites.insert(favorite).inserted, "campaign \(event.campaign.text) was a favourite of \(event.account.text) already")
    }

    mutating func check(_ event: FavoriteRemoved, _ fact: Fact) {
        requireKeeper(event.account, event.campaign, fact)
        let favorite = Favorite(account: event.account, campaign: event.campaign)
        require(favorites.remove(favorite) != nil, "campaign \(event.campaign.text) was no favourite of \(event.account.text)")
    }

    /// Everybody keeps their own favourites, among campaigns that there are.
    private mutating func requireKeeper(_ account: AccountID, _ campaign: CampaignID, _ fact: Fact) {
        requireAccount(account)
        require(account == fact.actor, "a favourite of \(account.text) was changed by somebody else")
        require(campaigns[campaign] != nil, "campaign \(campaign.text) was never published")
    }
}
