internal import Audit
internal import Loyalty
internal import LoyaltyCodec

struct LiveRedemption {
    let card: CardID
    let expiresAt: Instant
    /// 0 for the reward of a full card.
    let milestone: Int
}

/// A reward whose hand-out may still be reversed.
struct HandedOut {
    let card: CardID
    let shop: ShopID
    let at: Instant
    /// 0 for the reward of a full card.
    let milestone: Int
}

/// An event about the reward of a full card, or of a milestone.
protocol RewardEvent {
    var redemption: RedemptionID { get }
    var card: CardID { get }
    var campaign: CampaignID { get }
    var shop: ShopID { get }
    var holder: AccountID { get }
    /// 0 for the reward of a full card.
    var milestone: Int { get }
}

/// An event that asks for a reward, and gives out a code for it.
protocol RewardRequest: RewardEvent {
    var secret: Secret { get }
    var expiresAt: Instant { get }
}

extension RedemptionRequested: RewardRequest { var milestone: Int { 0 } }
extension CardRedeemed: RewardEvent { var milestone: Int { 0 } }
extension RedemptionReversed: RewardEvent { var milestone: Int { 0 } }
extension MilestoneRequested: RewardRequest {}
extension MilestoneRedeemed: RewardEvent {}
extension MilestoneReversed: RewardEvent {}

extension RewardEvent {
    /// Such as `a milestone of card card_01…`.
    fileprivate var reward: String { milestone == 0 ? "card \(card.text)" : "a milestone of card \(card.text)" }

    fileprivate func isOther(_ card: CardID, _ milestone: Int) -> Bool { self.card != card || self.milestone != milestone }

    fileprivate var other: String { "redemption \(redemption.text) is of another card" + (milestone == 0 ? "" : " or milestone") }
}

/// Rules about rewards: of full cards, and of milestones on the way. A milestone is redeemed once, and while it is redeemed, the card keeps
/// enough stamps for it.
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

    mutating func check(_ event: RedemptionRequested, _ fact: Fact) {
        requireRequest(event, fact)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        require(status == .full, "card \(event.card.text) was \(status), not full")
        require(event.expiresAt <= cards[place].redeemUntil, "card \(event.card.text) was to be redeemed after its last day")
        require(event.expiresAt <= cards[place].expiresAt, "card \(event.card.text) was to be redeemed after its end")
        note(event, place)
    }

    mutating func check(_ event: MilestoneRequested, _ fact: Fact) {
        requireRequest(event, fact)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        requireOpen(event.milestone, place, event.card)
        let end = min(cards[place].redeemUntil, cards[place].expiresAt)
        require(event.expiresAt <= end, "a milestone of card \(event.card.text) was to be redeemed after its end")
        note(event, place)
    }

    private mutating func requireRequest(_ event: some RewardRequest, _ fact: Fact) {
        require(event.holder == fact.actor, "somebody else has asked to redeem \(event.reward)")
        _ = campaign(event.campaign, of: event.shop)
        requireStranger(event.shop, event.holder)
        requireStranger(to: event.campaign, event.holder)
        requireHandsOutRewards(event.shop, fact)
        requireOnce(event.redemption.value, .redemptionID, "redemption \(event.redemption.text) was requested before")
        requireOnce(event.secret.value, .redemptionSecret, "the secret of redemption \(event.redemption.text) was given out before")
        requireSoon(
            event.expiresAt, within: Limits.redemptionValiditySeconds, fact, "redemption \(event.redemption.text) expires at another time")
    }

    /// A new redemption code replaces the card's older one, even for another reward.
    private mutating func note(_ event: some RewardRequest, _ place: Int) {
        if let older = cards[place].newestRedemption { redemptions[older] = nil }
        cards[place].newestRedemption = event.redemption
        redemptions[event.redemption] = LiveRedemption(card: event.card, expiresAt: event.expiresAt, milestone: event.milestone)
    }

    mutating func check(_ event: CardRedeemed, _ fact: Fact) {
        requireRedemption(event, fact)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        require(status == .full, "card \(event.card.text) was \(status), not full")
        (cards[place].status, cards[place].isRewarded) = (.redeemed, true)
        handOut(event, place, fact)
    }

    mutating func check(_ event: MilestoneRedeemed, _ fact: Fact) {
        requireRedemption(event, fact)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        requireOpen(event.milestone, place, event.card)
        cards[place].redeemedMilestones |= Self.bit(event.milestone)
        handOut(event, place, fact)
    }

    private mutating func requireRedemption(_ event: some RewardEvent & SharedEvent, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireStranger(event, event.holder)
        requireHandsOutRewards(event, fact)
        requirePlace(of: event)
        _ = campaign(of: event)
        require(!people.erased.contains(event.holder), "\(event.reward) was redeemed after its holder was erased")
        guard let redemption = redemptions.removeValue(forKey: event.redemption) else {
            return require(false, "redemption \(event.redemption.text) was never requested, or was over before")
        }
        require(!event.isOther(redemption.card, redemption.milestone), event.other)
        require(fact.time < redemption.expiresAt, "redemption \(event.redemption.text) had expired")
    }

    private mutating func handOut(_ event: some RewardEvent, _ place: Int, _ fact: Fact) {
        require(fact.time < cards[place].expiresAt, "\(event.reward) was redeemed after its end")
        rewards.removeOld(through: clock.earliest.advanced(bySeconds: -Limits.reversalSeconds), by: \.at)
        rewards[event.redemption] = HandedOut(card: event.card, shop: event.shop, at: fact.time, milestone: event.milestone)
    }

    mutating func check(_ event: RedemptionReversed, _ fact: Fact) {
        requireReversal(event, fact, of: "the reward")
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        // The reversal makes a card usable again even if the holder has discarded it since.
        let isPossible = status == .redeemed || status == .discarded
        require(isPossible, "card \(event.card.text) was \(status), not redeemed")
        (cards[place].status, cards[place].isRewarded) = (.full, false)
    }

    mutating func check(_ event: MilestoneReversed, _ fact: Fact) {
        requireReversal(event, fact, of: "a milestone's reward")
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        cards[place].redeemedMilestones &= ~Self.bit(event.milestone)
    }

    private mutating func requireReversal(_ event: some RewardEvent & SharedEvent, _ fact: Fact, of what: String) {
        requireStaff(ofAny: event, fact)
        requireTakesBack(event, fact)
        require(event.holder != fact.actor, "the holder of card \(event.card.text) has taken \(what) back")
        _ = campaign(of: event)
        guard let reward = rewards.removeValue(forKey: event.redemption) else {
            return require(false, "redemption \(event.redemption.text) was never redeemed, or was reversed before")
        }
        require(!event.isOther(reward.card, reward.milestone), event.other)
        require(reward.shop == event.shop, "redemption \(event.redemption.text) was handed out by another shop")
        let latest = reward.at.advanced(bySeconds: Limits.reversalSeconds)
        require(fact.time < latest, "redemption \(event.redemption.text) was reversed too late")
    }

    /// Invalidates the newest redemption code of a card with too few stamps. The code stays invalid even if stamps are added later.
    mutating func endRedemption(_ place: Int) {
        guard let newest = cards[place].newestRedemption, let redemption = redemptions[newest] else { return }
        let needed = redemption.milestone > 0 ? redemption.milestone : Int(cards[place].goal)
        if cards[place].stamps < needed { redemptions[newest] = nil }
    }

    /// Requires that the card is live, has enough stamps for the milestone, and was not yet rewarded for it.
    private mutating func requireOpen(_ milestone: Int, _ place: Int, _ id: CardID) {
        let (card, bit) = (cards[place], Self.bit(milestone))
        require(card.milestones & bit != 0, "card \(id.text) has no milestone at \(milestone)")
        require(card.isLive, "card \(id.text) was \(card.status), and had a milestone redeemed")
        require(card.stamps >= milestone, "card \(id.text) had \(card.stamps) stamps, and not the \(milestone) of its milestone")
        require(card.redeemedMilestones & bit == 0, "the milestone at \(milestone) of card \(id.text) was redeemed before")
    }
}
