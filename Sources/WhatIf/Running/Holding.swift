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
    /// What codes gave on any of them in the last days, in the order of the log.
    private(set) var gains: [StampGains.Gain] = []

    /// Takes in a gain. Caps look back for a day at most; another day is kept for events that are told later than they happened.
    mutating func add(_ gain: StampGains.Gain) {
        let oldest = gain.at.advanced(bySeconds: -2 * Limits.stampDaySeconds)
        if let first = gains.first, first.at < oldest { gains.removeAll { $0.at < oldest } }
        if gains.count == Limits.stampGains { gains.removeFirst() }
        gains.append(gain)
    }
}
