internal import Loyalty
internal import LoyaltyCodec

/// Campaigns of several shops: where they work, and for whom.
extension RuleBook {
    /// The shops of a campaign that have one owner now, its own first. Whoever works for one of them is no customer of the campaign.
    private func brand(_ campaign: LiveCampaign) -> [ShopID] {
        [campaign.shop] + campaign.options.shops.filter { shopOwners[$0] == shopOwners[campaign.shop] }
    }

    /// The campaign of something that may happen at several shops: the one that the event says it is at home in.
    mutating func campaign(of event: some SharedEvent) -> LiveCampaign? {
        campaign(event.campaign, of: event.campaignShop)
    }

    /// Requires that a campaign works at the shop of the event, as the shops stand.
    mutating func requirePlace(of event: some SharedEvent) {
        guard event.home != nil, let campaign = campaigns[event.campaign] else { return }
        require(brand(campaign).contains(event.shop), "campaign \(event.campaign.text) does not work at shop \(event.shop.text)")
        let isOpen = !suspendedShops.contains(event.shop) && closedShops[event.shop] == nil
        require(isOpen, "shop \(event.shop.text) was suspended or had closed, and shares no campaign")
    }

    /// Requires that an account works at none of the campaign's shops, nor at the one of the event.
    mutating func requireStranger(_ event: some SharedEvent, _ account: AccountID) {
        requireStranger(event.shop, account)
        requireStranger(to: event.campaign, account)
    }

    mutating func requireStranger(to id: CampaignID, _ account: AccountID) {
        guard let campaign = campaigns[id] else { return }
        for shop in brand(campaign) { requireStranger(shop, account) }
    }

    /// Requires that the counters are open of the shop of the event and of the campaign's own.
    mutating func requireOpenCounters(_ event: some SharedEvent) {
        requireOpenCounter(event.shop)
        if let home = event.home { requireOpenCounter(home) }
    }

    /// As above, for stamps: those that waited on a paper card need the campaign's own shop alone.
    mutating func requireCounters(_ event: some SharedEvent, _ fact: Fact) {
        requireCounter(event.campaignShop, fact)
        if taking == nil { requireOpenCounters(event) }
    }

    /// Requires that the campaign's shop may hand out rewards, and the shop of the event, too.
    mutating func requireHandsOutRewards(_ event: some SharedEvent, _ fact: Fact) {
        requireHandsOutRewards(event.shop, fact)
        if let home = event.home { requireHandsOutRewards(home, fact) }
    }

    /// Requires that the actor works at the shop of the event or at another of the campaign.
    mutating func requireStaff(ofAny event: some SharedEvent, _ fact: Fact) {
        let isStaff = employs(event.shop, fact.actor) || isStaff(of: event.campaign, fact.actor)
        require(isStaff, "\(fact.actor.text) works at no shop of campaign \(event.campaign.text)")
    }

    /// Whether the account works at one of the campaign's shops.
    func isStaff(of id: CampaignID, _ account: AccountID) -> Bool {
        campaigns[id].map { brand($0).contains { employs($0, account) } } ?? false
    }

    /// Requires that a campaign names other shops that its editor may share it with. Those that it had before may have been closed,
    /// suspended or sold since.
    mutating func requireShops(_ shops: [ShopID], of id: CampaignID, at home: ShopID, before: [ShopID], _ fact: Fact) {
        guard shops != before else { return }
        let isSet = zip(shops, shops.dropFirst()).allSatisfy { $0 < $1 } && !shops.contains(home)
        require(isSet && shops.count <= Limits.sharedShops, "campaign \(id.text) has other shops twice, or too many")
        for shop in shops where !before.contains(shop) {
            let isOwn = shopOwners[shop] != nil && shopOwners[shop] == shopOwners[home]
            require(isOwn, "campaign \(id.text) is shared with shop \(shop.text) of another owner")
            let isManager = role(of: fact.actor, at: shop).map { $0 >= .manager } ?? false
            require(!isOwn || isManager, "\(fact.actor.text) shares a campaign with shop \(shop.text), and does not manage it")
            let isOpen = !suspendedShops.contains(shop) && closedShops[shop] == nil
            require(isOpen, "campaign \(id.text) is shared with shop \(shop.text), which is suspended or closed")
        }
    }
}
