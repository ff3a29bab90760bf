internal import Loyalty
internal import LoyaltyCodec

/// An account and a campaign that it collects in.
struct Saver: Hashable {
    let account: AccountID
    let campaign: CampaignID
}

/// Stamps that an account gained, for the caps of the campaign.
struct Gain {
    let code: CodeID
    let at: Instant
    let stamps: Int
}

extension RuleBook {
    /// Whether an account may gain these in a capped campaign, over all its cards. What it gained before the campaign was capped is not
    /// remembered.
    mutating func requireWithinCaps(_ event: CardStamped, _ caps: StampCaps, _ fact: Fact) {
        guard caps != .none else { return }
        let saver = Saver(account: event.holder, campaign: event.campaign)
        let dayAgo = fact.time.advanced(bySeconds: -Limits.stampDaySeconds)
        var lately = gains[saver, default: []].filter { $0.at > dayAgo }
        // What was stamped while the clock was ahead keeps nobody waiting once it was set right.
        let past = lately.filter { $0.at <= fact.time }
        // A code that fills several cards stamps them all at once.
        if let gap = caps.minimumGapSeconds, let last = past.filter({ $0.code != event.code }).map(\.at).max() {
            let isApart = fact.time >= last.advanced(bySeconds: Int64(gap))
            require(isApart, "\(event.holder.text) entered two codes of campaign \(event.campaign.text) within \(gap) seconds")
        }
        lately.append(Gain(code: event.code, at: fact.time, stamps: event.stamps))
        let gained = past.reduce(event.stamps) { $0 + $1.stamps }
        let most = caps.stampsPerDayMax ?? .max
        require(
            gained <= most, "\(event.holder.text) gained \(gained) stamps of campaign \(event.campaign.text) within a day, \(most) at most")
        gains[saver] = lately
    }
}
