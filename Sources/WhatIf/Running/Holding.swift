internal import Loyalty

/// Whose cards of which campaign.
struct Holding: Hashable {
    let holder: AccountID
    let campaign: CampaignID
}

/// Where a holding's cards are.
struct HeldCards {
    /// The place of the card opened last; the others follow by ``TrackedCard/previous``.
    var newest: Int32 = -1
    /// The place of the card that collects; -1 for none.
    var collecting: Int32 = -1
    /// How many are full and not redeemed.
    var full: Int32 = 0
}
