internal import Loyalty
internal import LoyaltyCodec

/// Rules about milestones: each is redeemed once, and while it is redeemed, the card keeps enough stamps for it.
extension RuleBook {
    static func bits(_ milestones: [Milestone]) -> UInt64 { milestones.reduce(0) { $0 | bit($1.at) } }

    private static func bit(_ milestone: Int) -> UInt64 { (1...49).contains(milestone) ? 1 << UInt64(milestone) : 0 }

    mutating func requireMilestones(_ milestones: [Milestone], below goal: Int, _ campaign: CampaignID) {
        require(milestones.count <= 10, "campaign \(campaign.text) has \(milestones.count) milestones")
        var last = 0
        for milestone in milestones {
            require(milestone.at > last && milestone.at < goal, "campaign \(campaign.text) has a milestone at \(milestone.at) of \(goal)")
            last = milestone.at
        }
    }

    mutating func requireMilestonesKept(_ place: Int, _ card: CardID) {
        let stamps = max(0, Int(cards[place].stamps))
        let isKept = stamps >= 49 || cards[place].redeemedMilestones >> UInt64(stamps + 1) == 0
        require(isKept, "card \(card.text) was left with \(stamps) stamps, fewer than a redeemed milestone has")
    }

    mutating func check(_ event: MilestoneRequested, _ fact: Fact) {
        require(event.holder == fact.actor, "somebody else has asked to redeem a milestone of card \(event.card.text)")
        _ = campaign(event.campaign, of: event.shop)
        requireStranger(event.shop, event.holder)
        requireStranger(to: event.campaign, event.holder)
        requireHandsOutRewards(event.shop, fact)
        requireOnce(event.redemption.value, .redemptionID, "redemption \(event.redemption.text) was requested before")
        requireOnce(event.secret.value, .redemptionSecret, "the secret of redemption \(event.redemption.text) was given out before")
        let latest = fact.time.advanced(bySeconds: Limits.redemptionValiditySeconds)
        require(event.expiresAt > fact.time && event.expiresAt <= latest, "redemption \(event.redemption.text) expires at another time")
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        requireOpen(event.milestone, place, event.card)
        let end = min(cards[place].redeemUntil, cards[place].expiresAt)
        require(event.expiresAt <= end, "a milestone of card \(event.card.text) was to be redeemed after its end")
        // A new redemption code replaces the card's older one, even for another reward.
        if let older = cards[place].newestRedemption { redemptions[older] = nil }
        cards[place].newestRedemption = event.redemption
        redemptions[event.redemption] = LiveRedemption(card: event.card, expiresAt: event.expiresAt, milestone: event.milestone)
    }

    mutating func check(_ event: MilestoneRedeemed, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireStranger(event, event.holder)
        requireHandsOutRewards(event, fact)
        requirePlace(of: event)
        _ = campaign(of: event)
        require(!erased.contains(event.holder), "a milestone of card \(event.card.text) was redeemed after its holder was erased")
        let redemption = redemptions.removeValue(forKey: event.redemption)
        require(redemption != nil, "redemption \(event.redemption.text) was never requested, or was over before")
        if let redemption {
            let isSame = redemption.card == event.card && redemption.milestone == event.milestone
            require(isSame, "redemption \(event.redemption.text) is of another card or milestone")
            require(fact.time < redemption.expiresAt, "redemption \(event.redemption.text) had expired")
        }
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        requireOpen(event.milestone, place, event.card)
        require(fact.time < cards[place].expiresAt, "a milestone of card \(event.card.text) was redeemed after its end")
        cards[place].redeemedMilestones |= Self.bit(event.milestone)
        dropLasting()
        rewards[event.redemption] = HandedOut(card: event.card, shop: event.shop, at: fact.time, milestone: event.milestone)
    }

    mutating func check(_ event: MilestoneReversed, _ fact: Fact) {
        requireStaff(ofAny: event, fact)
        requireTakesBack(event, fact)
        require(event.holder != fact.actor, "the holder of card \(event.card.text) has taken a milestone's reward back")
        _ = campaign(of: event)
        let reward = rewards.removeValue(forKey: event.redemption)
        require(reward != nil, "redemption \(event.redemption.text) was never redeemed, or was reversed before")
        if let reward {
            let isSame = reward.card == event.card && reward.milestone == event.milestone
            require(isSame, "redemption \(event.redemption.text) is of another card or milestone")
            require(reward.shop == event.shop, "redemption \(event.redemption.text) was handed out by another shop")
            let latest = reward.at.advanced(bySeconds: Limits.reversalSeconds)
            require(fact.time < latest, "redemption \(event.redemption.text) was reversed too late")
        }
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        cards[place].redeemedMilestones &= ~Self.bit(event.milestone)
    }

    /// Requires that the card is live, has enough stamps for the milestone, and was not yet rewarded for it.
    private mutating func requireOpen(_ milestone: Int, _ place: Int, _ id: CardID) {
        let (card, bit) = (cards[place], Self.bit(milestone))
        require(card.milestones & bit != 0, "card \(id.text) has no milestone at \(milestone)")
        require(card.status == .collecting || card.status == .full, "card \(id.text) was \(card.status), and had a milestone redeemed")
        require(card.stamps >= milestone, "card \(id.text) had \(card.stamps) stamps, and not the \(milestone) of its milestone")
        require(card.redeemedMilestones & bit == 0, "the milestone at \(milestone) of card \(id.text) was redeemed before")
    }
}
