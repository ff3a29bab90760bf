import Loyalty

/// Rules about campaigns of several shops: one is the campaign's own, and others of the same owner take part.
extension Ledger {
    /// The campaign's own shop and the others that it names and that its owner has, in whatever state they are.
    func brand(_ campaign: CampaignID) -> [ShopID] {
        guard let known = campaigns[campaign] else { return [] }
        return [known.shop] + known.terms.options.shops.filter { owners[$0] != nil && owners[$0] == owners[known.shop] }
    }

    /// Whether the account owns one of the campaign's shops or works there, and so is no customer of the campaign.
    func works(_ account: AccountID, in campaign: CampaignID) -> Bool { brand(campaign).contains { works(account, at: $0) } }

    /// Whether codes are issued and rewards handed out at the shop, as far as that is not up to the campaign's own.
    func takesPart(_ shop: ShopID, in campaign: CampaignID) -> Bool {
        brand(campaign).contains(shop) && (shop == campaigns[campaign]?.shop || trades(shop))
    }

    /// The shop at which somebody acts who names one, or works at one alone; nil for nobody's.
    func place(_ wanted: ShopID?, _ actor: AccountID, in campaign: CampaignID) -> ShopID? {
        let own = brand(campaign).filter { works(actor, at: $0) }
        if let wanted { return own.contains(wanted) ? wanted : nil }
        let open = own.filter { takesPart($0, in: campaign) }
        return open.count == 1 ? open[0] : nil
    }

    /// Whether a shop and its campaign's own hand out rewards, and take back what they gave.
    func rewards(_ shop: ShopID, for campaign: CampaignID, at time: Instant) -> Bool {
        rewards(shop, at: time) && campaigns[campaign].map { rewards($0.shop, at: time) } == true
    }

    /// An event is entered at the shop where it happened, and names the campaign's own where that is another.
    mutating func mustName(_ home: ShopID?, _ shop: ShopID, of campaign: CampaignID) {
        let own = campaigns[campaign]?.shop
        must(home == (shop == own ? nil : own), "what happens at another shop than the campaign's own names both")
    }

    /// - Parameter edited: the shops before an edit, which may stay as they are.
    mutating func mustShare(_ shops: [ShopID], _ home: ShopID, by actor: AccountID, edited: [ShopID]? = nil) {
        must(shops == Set(shops).sorted() && !shops.contains(home), "a campaign names other shops once, in their order")
        guard shops != edited else { return }
        for shop in shops {
            must(owners[shop] == owners[home] && manages(actor, shop), "a campaign is shared among shops of one owner by who manages them")
            must(trades(shop), "a campaign is not shared with a suspended or closed shop")
        }
    }

    /// A reward is taken back for the shop that handed it out, by its people or those of a shop of the campaign.
    mutating func mustTakeBack(at shop: ShopID, _ home: ShopID?, _ voucher: Voucher, _ paper: Paper, _ fact: Fact) {
        must(shop == voucher.place, "a reward is taken back where it was handed out")
        mustName(home, shop, of: paper.campaign)
        must(rewards(shop, for: paper.campaign, at: fact.time), "a shop that has closed takes nothing back after its last day")
        let isStaff = works(fact.actor, in: paper.campaign) || works(fact.actor, at: shop)
        must(isStaff && fact.actor != paper.holder, "only owner and staff reverse, and not for themselves")
    }

    // MARK: Stamps that go back

    /// The cards where a code's stamps are: those that it stamped, or what took the place of a card that a reversal discarded.
    func cards(of code: CodeID) -> Set<CardID> {
        var cards = Set(papers.filter { $0.value.gains.contains { $0.code == code } }.map(\.key))
        while let gone = cards.first(where: { moves[$0] != nil }), let next = moves[gone] {
            cards.remove(gone)
            cards.insert(next)
        }
        return cards
    }

    /// Stamps are taken from where they are, or from the card that the holder collects on while the code's are on a full one.
    mutating func mustBeThere(_ event: StampReversed) {
        if let leaving { moves[leaving] = event.card }
        leaving = nil
        let cards = cards(of: event.code)
        let isHeld = cards.contains { papers[$0].map { $0.isCollecting || $0.isFull } == true }
        let isInPlace = isHeld && papers[event.card]?.isCollecting == true
        must(
            cards.contains(event.card) || isInPlace,
            "stamps are taken back where they are, or from the collecting card in place of a full one")
    }

    /// The newest code of a card is over, for good, once the card has too few stamps for it.
    mutating func endCode(of card: CardID) {
        guard let paper = papers[card], let newest = paper.requests.last, let voucher = vouchers[newest] else { return }
        if paper.stamps < voucher.milestone ?? paper.goal { vouchers[newest]?.isOver = true }
    }
}
