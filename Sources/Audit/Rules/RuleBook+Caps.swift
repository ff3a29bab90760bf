internal import Loyalty
internal import LoyaltyCodec

/// Stamps that a card gained, for the caps of its campaign.
struct Gain {
    let at: Instant
    let stamps: Int
}

extension RuleBook {
    /// Whether a capped campaign's card may gain these. What it gained before its campaign was capped is not remembered.
    mutating func requireWithinCaps(_ event: CardStamped, _ caps: StampCaps, _ fact: Fact) {
        guard caps != .none else { return }
        let dayAgo = fact.time.advanced(bySeconds: -Limits.stampDaySeconds)
        var lately = gains[event.card, default: []].filter { $0.at > dayAgo }
        // What was stamped while the clock was ahead keeps nobody waiting once it was set right.
        let past = lately.filter { $0.at <= fact.time }
        if let gap = caps.minimumGapSeconds, let last = past.map(\.at).max() {
            let isApart = fact.time >= last.advanced(bySeconds: Int64(gap))
            require(isApart, "card \(event.card.text) was stamped again within \(gap) seconds")
        }
        lately.append(Gain(at: fact.time, stamps: event.stamps))
        let gained = past.reduce(event.stamps) { $0 + $1.stamps }
        let most = caps.stampsPerDayMax ?? .max
        require(gained <= most, "card \(event.card.text) gained \(gained) stamps within a day, \(most) at most")
        gains[event.card] = lately
    }
}
