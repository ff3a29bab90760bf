public import EventLog
public import Loyalty

/// Some of an account's favourites, what was kept last first.
public struct FavoritePage: Sendable {
    public let items: [CampaignID]
    /// What to ask for to go on; nil where this was the last page.
    public let next: Position?
}
