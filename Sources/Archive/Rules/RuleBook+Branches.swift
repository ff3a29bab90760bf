internal import Loyalty
internal import LoyaltyCodec

/// Rules about campaigns in which several shops take part.
extension RuleBook {
    /// The campaign's own shop, and all other shops of the campaign that now have the same owner as that shop. An account that works for
    /// any of these shops cannot be a customer of the campaign.
    private func brand(_ campaign: LiveCampaign) -> [ShopID] {
        [campaign.shop] + campaign.options.shops.filter { shopOwners[$0] == shopOwners[campaign.shop] }
    }

    /// Returns the campaign of an event that may happen at several shops. Requires that the event names the campaign's own shop: in `home`,
    /// or in `shop` if `home` is nil.
    mutating func campaign(of event: some SharedEvent) -> LiveCampaign? {
        campaign(event.campaign, of: event.campaignShop)
    }

    /// If the event happened at another shop than the campaign's own, requires that this shop takes part in the campaign at this moment: it
    /// has the same owner as the campaign's own shop, and is neither suspended nor closed.
    mutating func requirePlace(of event: some SharedEvent) {
        guard event.home != nil, let campaign = campaigns[event.campaign] else { return }
        require(brand(campaign).contains(event.shop), "campaign \(event.campaign.text) does not work at shop \(event.shop.text)")
        let isOpen = !suspendedShops.contains(event.shop) && closedShops[event.shop] == nil
        require(isOpen, "shop \(event.shop.text) was suspended or had closed, and shares no campaign")
    }

    /// Requires that the account works neither at one of the campaign's shops nor at the shop of the event.
    mutating func requireStranger(_ event: some SharedEvent, _ account: AccountID) {
        requireStranger(event.shop, account)
        requireStranger(to: event.campaign, account)
    }

    mutating func requireStranger(to id: CampaignID, _ account: AccountID) {
        guard let campaign = campaigns[id] else { return }
        for shop in brand(campaign) { requireStranger(shop, account) }
    }

    /// Requires that the event's shop and the campaign's own shop are neither suspended nor closed.
    mutating func requireOpenCounters(_ event: some SharedEvent) {
        requireOpenCounter(event.shop)
        if let home = event.home { requireOpenCounter(home) }
    }

    /// Like ``requireOpenCounters(_:)``, but for stamps. For stamps of a paper card that is being added to an account, only the campaign's
    /// own shop is checked.
    mutating func requireCounters(_ event: some SharedEvent, _ fact: Fact) {
        requireCounter(event.campaignShop, fact)
        if taking == nil { requireOpenCounters(event) }
    }

    /// Requires that both the event's shop and the campaign's own shop may hand out rewards.
    mutating func requireHandsOutRewards(_ event: some SharedEvent, _ fact: Fact) {
        requireHandsOutRewards(event.shop, fact)
        if let home = event.home { requireHandsOutRewards(home, fact) }
    }

    /// Like ``requireHandsOutRewards(_:_:)``, for taking back stamps or a reward. If the actor works at the campaign's own shop, only that
    /// shop is checked, because the shop that gave the stamps or the reward may have closed since.
    mutating func requireTakesBack(_ event: some SharedEvent, _ fact: Fact) {
        guard let home = event.home, employs(home, fact.actor) else { return requireHandsOutRewards(event, fact) }
        requireHandsOutRewards(home, fact)
    }

    /// Requires that the actor works at the event's shop, or at one of the campaign's shops.
    mutating func requireStaff(ofAny event: some SharedEvent, _ fact: Fact) {
        let isStaff = employs(event.shop, fact.actor) || isStaff(of: event.campaign, fact.actor)
        require(isStaff, "\(fact.actor.text) works at no shop of campaign \(event.campaign.text)")
    }

    /// Whether the account works at one of the campaign's shops.
    func isStaff(of id: CampaignID, _ account: AccountID) -> Bool {
        campaigns[id].map { brand($0).contains { employs($0, account) } } ?? false
    }

    /// Requires that the account that published or edited the campaign may share it with the shops that were added. Shops that already took
    /// part are not checked, because they may have been closed, suspended or sold since.
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
