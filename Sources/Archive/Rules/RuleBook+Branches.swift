internal import Loyalty
internal import LoyaltyCodec

extension RuleBook {
    /// An account that works for any of these shops cannot be a customer of the campaign.
    private func brand(_ campaign: LiveCampaign) -> [ShopID] {
        [campaign.shop] + campaign.terms.options.shops.filter { shops.owners[$0] == shops.owners[campaign.shop] }
    }

    /// Named in `home`, or in `shop` if `home` is nil.
    mutating func campaign(of event: some SharedEvent) -> LiveCampaign? { campaign(event.campaign, of: event.campaignShop) }

    /// Requires that another shop than the campaign's own takes part now: same owner, neither suspended nor closed.
    mutating func requirePlace(of event: some SharedEvent) {
        guard event.home != nil, let campaign = campaigns[event.campaign] else { return }
        require(brand(campaign).contains(event.shop), "campaign \(event.campaign.text) does not work at shop \(event.shop.text)")
        let isOpen = !shops.suspended.contains(event.shop) && shops.closed[event.shop] == nil
        require(isOpen, "shop \(event.shop.text) was suspended or had closed, and shares no campaign")
    }

    mutating func requireStranger(_ event: some SharedEvent, _ account: AccountID) {
        requireStranger(event.shop, account)
        requireStranger(to: event.campaign, account)
    }

    mutating func requireStranger(to id: CampaignID, _ account: AccountID) {
        guard let campaign = campaigns[id] else { return }
        for shop in brand(campaign) { requireStranger(shop, account) }
    }

    mutating func requireOpenCounters(_ event: some SharedEvent) {
        requireOpenCounter(event.shop)
        if let home = event.home { requireOpenCounter(home) }
    }

    /// Like ``requireOpenCounters(_:)``, for stamps. For stamps of a taken paper card, only the campaign's own shop is checked.
    mutating func requireCounters(_ event: some SharedEvent, _ fact: Fact) {
        requireCounter(event.campaignShop, fact)
        if command.taking == nil { requireOpenCounters(event) }
    }

    mutating func requireHandsOutRewards(_ event: some SharedEvent, _ fact: Fact) {
        requireHandsOutRewards(event.shop, fact)
        if let home = event.home { requireHandsOutRewards(home, fact) }
    }

    /// Requires only the campaign's own shop if the actor works there, because the shop that gave the stamps or the reward may have closed.
    mutating func requireTakesBack(_ event: some SharedEvent, _ fact: Fact) {
        guard let home = event.home, employs(home, fact.actor) else { return requireHandsOutRewards(event, fact) }
        requireHandsOutRewards(home, fact)
    }

    mutating func requireStaff(ofAny event: some SharedEvent, _ fact: Fact) {
        let isStaff = employs(event.shop, fact.actor) || isStaff(of: event.campaign, fact.actor)
        require(isStaff, "\(fact.actor.text) works at no shop of campaign \(event.campaign.text)")
    }

    func isStaff(of id: CampaignID, _ account: AccountID) -> Bool {
        campaigns[id].map { brand($0).contains { employs($0, account) } } ?? false
    }

    /// Requires the right to share the campaign with added shops. Earlier shops may have been closed, suspended or sold since.
    mutating func requireShops(_ ids: [ShopID], of id: CampaignID, at home: ShopID, before: [ShopID], _ fact: Fact) {
        guard ids != before else { return }
        let isSet = zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && !ids.contains(home)
        require(isSet && ids.count <= Limits.sharedShops, "campaign \(id.text) has other shops twice, or too many")
        for shop in ids where !before.contains(shop) {
            let isOwn = shops.owners[shop] != nil && shops.owners[shop] == shops.owners[home]
            require(isOwn, "campaign \(id.text) is shared with shop \(shop.text) of another owner")
            let isRight = !isOwn || manages(shop, fact.actor)
            require(isRight, "\(fact.actor.text) shares a campaign with shop \(shop.text), and does not manage it")
            let isOpen = !shops.suspended.contains(shop) && shops.closed[shop] == nil
            require(isOpen, "campaign \(id.text) is shared with shop \(shop.text), which is suspended or closed")
        }
    }
}
