internal import Loyalty
internal import LoyaltyCodec

/// What rules ask of a campaign.
struct LiveCampaign {
    let shop: ShopID
    let isStampCard: Bool
    var goal: Int
    var startsAt: Instant
    var endsAt: Instant
    var caps: StampCaps
    var isEnded = false

    func isRunning(at time: Instant) -> Bool { !isEnded && startsAt <= time && time < endsAt }
}

extension RuleBook {
    mutating func check(_ event: ShopOpened, _ fact: Fact) {
        requireAccount(event.owner)
        require(event.owner == fact.actor, "shop \(event.shop.text) was opened for somebody else")
        require(ownedShops[event.owner] == nil, "\(event.owner.text) owns a shop already")
        require(shopOwners[event.shop] == nil, "shop \(event.shop.text) was opened before")
        require(event.contact.open?.location.isOnEarth ?? true, "shop \(event.shop.text) lies nowhere on Earth")
        if shopOwners[event.shop] == nil { shopOwners[event.shop] = event.owner }
        ownedShops[event.owner] = event.shop
    }

    mutating func check(_ event: CampaignPublished, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireOpenCounterToday(event.shop)
        require(campaigns[event.campaign] == nil, "campaign \(event.campaign.text) was published before")
        require(event.endsAt > event.startsAt && event.endsAt > fact.time, "campaign \(event.campaign.text) ends before it begins")
        let isStampCard = event.kind == .stampCard
        let isPossible = isStampCard ? Limits.goalStamps.contains(event.goal) : event.goal == 0
        require(isPossible, "campaign \(event.campaign.text) has the goal \(event.goal)")
        campaigns[event.campaign] = LiveCampaign(
            shop: event.shop, isStampCard: isStampCard, goal: event.goal, startsAt: event.startsAt, endsAt: event.endsAt,
            caps: event.caps)
    }

    /// The times of one that is edited may be past; they are only in order.
    mutating func check(_ event: CampaignEdited, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireOpenCounterToday(event.shop)
        requireChange(event.campaign.value, event.hashValue, "the edit of campaign \(event.campaign.text) changed nothing")
        guard let campaign = campaign(event.campaign, of: event.shop) else { return }
        require(event.endsAt > event.startsAt, "campaign \(event.campaign.text) ends before it begins")
        require(!campaign.isEnded || event.endsAt == campaign.endsAt, "campaign \(event.campaign.text) was ended, and got another end")
        let isPossible = campaign.isStampCard ? Limits.goalStamps.contains(event.goal) : event.goal == 0
        require(isPossible, "campaign \(event.campaign.text) has the goal \(event.goal)")
        campaigns[event.campaign]?.goal = event.goal
        campaigns[event.campaign]?.startsAt = event.startsAt
        campaigns[event.campaign]?.endsAt = event.endsAt
        campaigns[event.campaign]?.caps = event.caps
    }

    /// A suspended shop's owner ends none, but their campaigns end with their account, whose erasure follows behind.
    mutating func check(_ event: CampaignEnded, _ fact: Fact) {
        requireOwner(event.shop, fact)
        guard let campaign = campaign(event.campaign, of: event.shop) else { return }
        require(!campaign.isEnded && fact.time < campaign.endsAt, "campaign \(event.campaign.text) was over already")
        campaigns[event.campaign]?.isEnded = true
    }

    /// A campaign that is the shop's.
    mutating func campaign(_ id: CampaignID, of shop: ShopID) -> LiveCampaign? {
        let campaign = campaigns[id]
        require(campaign != nil, "campaign \(id.text) was never published")
        require(campaign == nil || campaign?.shop == shop, "campaign \(id.text) is not of shop \(shop.text)")
        return campaign
    }

    /// Not the same edit as the one before of the same thing.
    mutating func requireChange(_ thing: UInt128, _ edit: Int, _ what: @autoclosure () -> String) {
        require(edits[thing] != edit, what())
        edits[thing] = edit
    }

    mutating func requireOwner(_ shop: ShopID, _ fact: Fact) {
        require(shopOwners[shop] != nil, "shop \(shop.text) was never opened")
        require(shopOwners[shop] == nil || shopOwners[shop] == fact.actor, "\(fact.actor.text) does not own shop \(shop.text)")
    }

    /// Only who works there.
    mutating func requireStaff(_ shop: ShopID, _ fact: Fact) {
        require(employs(shop, fact.actor), "\(fact.actor.text) does not work at shop \(shop.text)")
    }

    /// Nobody who works there.
    mutating func requireStranger(_ shop: ShopID, _ account: AccountID) {
        require(!employs(shop, account), "\(account.text) works at shop \(shop.text)")
    }
}
