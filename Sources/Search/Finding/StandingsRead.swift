internal import Loyalty

/// How campaigns stand, as one snapshot of the database said.
struct StandingsRead: Sendable {
    /// How many keep each; what the model has not heard of is missing.
    let counts: [CampaignID: Int]
    /// What the account keeps; nil where nobody in particular asks.
    let kept: Set<CampaignID>?
    /// Whether that is all that it keeps, and not only which of the campaigns asked for.
    let isComplete: Bool

    var standings: [CampaignID: Standing] {
        var standings: [CampaignID: Standing] = [:]
        for (campaign, count) in counts { standings[campaign] = Standing(favorites: count, isFavorite: kept?.contains(campaign)) }
        return standings
    }
}
