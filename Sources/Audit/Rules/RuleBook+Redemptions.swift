internal import Loyalty
internal import LoyaltyCodec

/// A redemption code that may still be used.
struct LiveRedemption {
    let card: CardID
    let expiresAt: Instant
}

/// A reward that was handed out.
struct HandedOut {
    let card: CardID
    let at: Instant
}

extension RuleBook {
    mutating func check(_ event: RedemptionRequested, _ fact: Fact) {
        require(event.holder == fact.actor, "somebody else has asked to redeem card \(event.card.text)")
        requireStranger(event.shop, event.holder)
        requireHandsOutRewards(event.shop, fact)
        requireOnce(event.redemption.value, .redemptionID, "redemption \(event.redemption.text) was requested before")
        requireOnce(event.secret.value, .redemptionSecret, "the secret of redemption \(event.redemption.text) was given out before")
        let latest = fact.time.advanced(bySeconds: Limits.redemptionValiditySeconds)
        require(event.expiresAt > fact.time && event.expiresAt <= latest, "redemption \(event.redemption.text) expires at another time")
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        require(status == .full, "card \(event.card.text) was \(status), not full")
        // A newer request ends the older one.
        if let older = cards[place].newestRedemption { redemptions[older] = nil }
        cards[place].newestRedemption = event.redemption
        redemptions[event.redemption] = LiveRedemption(card: event.card, expiresAt: event.expiresAt)
    }

    mutating func check(_ event: CardRedeemed, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireStranger(event.shop, event.holder)
        requireHandsOutRewards(event.shop, fact)
        _ = campaign(event.campaign, of: event.shop)
        let redemption = redemptions[event.redemption]
        require(redemption != nil, "redemption \(event.redemption.text) was never requested, or was used or replaced before")
        if let redemption {
            require(redemption.card == event.card, "redemption \(event.redemption.text) is of another card")
            require(fact.time < redemption.expiresAt, "redemption \(event.redemption.text) had expired")
        }
        redemptions[event.redemption] = nil
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        require(status == .full, "card \(event.card.text) was \(status), not full")
        cards[place].status = .redeemed
        dropLasting(at: fact.time)
        rewards[event.redemption] = HandedOut(card: event.card, at: fact.time)
    }

    mutating func check(_ event: RedemptionReversed, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireHandsOutRewards(event.shop, fact)
        require(event.holder != fact.actor, "the holder of card \(event.card.text) has taken the reward back")
        _ = campaign(event.campaign, of: event.shop)
        let reward = rewards.removeValue(forKey: event.redemption)
        require(reward != nil, "redemption \(event.redemption.text) was never redeemed, or was reversed before")
        if let reward {
            require(reward.card == event.card, "redemption \(event.redemption.text) is of another card")
            let latest = reward.at.advanced(bySeconds: Limits.reversalSeconds)
            require(fact.time < latest, "redemption \(event.redemption.text) was reversed too late")
        }
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        // Its holder may have thrown the redeemed card away; now it is theirs again.
        let isPossible = status == .redeemed || status == .discarded
        require(isPossible, "card \(event.card.text) was \(status), not redeemed")
        cards[place].status = .full
    }

    /// Rewards that nobody can take back any more are forgotten, now and then.
    private mutating func dropLasting(at time: Instant) {
        guard rewards.count >= rewardsMax else { return }
        let dayAgo = time.advanced(bySeconds: -Limits.reversalSeconds)
        rewards = rewards.filter { $0.value.at > dayAgo }
        rewardsMax = max(10_000, rewards.count * 2)
    }
}
