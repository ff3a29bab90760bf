import Loyalty

/// Rules about campaigns of several shops: the campaign's own shop, and other shops of its owner that take part.
extension Ledger {
    /// The shops of a campaign: its own shop, and those of the shops named by it that have the same owner, even if they are suspended or
    /// closed.
    func brand(_ campaign: CampaignID) -> [ShopID] {
        guard let known = campaigns[campaign] else { return [] }
        return [known.shop] + known.terms.options.shops.filter { owners[$0] != nil && owners[$0] == owners[known.shop] }
    }

    /// Whether the account owns one of the campaign's shops or works there. Such an account cannot be a customer of the campaign.
    func works(_ account: AccountID, in campaign: CampaignID) -> Bool { brand(campaign).contains { works(account, at: $0) } }

    /// Whether the shop may issue codes and hand out rewards, apart from the state of the campaign's own shop.
    func takesPart(_ shop: ShopID, in campaign: CampaignID) -> Bool {
        brand(campaign).contains(shop) && (shop == campaigns[campaign]?.shop || trades(shop))
    }

    /// The shop at which a command by this person takes effect; nil if there is none. If the command names no shop, it is the campaign's
    /// own shop if the person works there. Otherwise it is the only shop that takes part and where the person works.
    func place(_ wanted: ShopID?, _ actor: AccountID, in campaign: CampaignID) -> ShopID? {
        let own = brand(campaign).filter { works(actor, at: $0) }
        if let wanted { return own.contains(wanted) ? wanted : nil }
        if let home = campaigns[campaign]?.shop, own.contains(home) { return home }
        let open = own.filter { takesPart($0, in: campaign) }
        return open.count == 1 ? open[0] : nil
    }

    /// Whether the account may take back what this shop gave, as far as the state of the shops decides. The campaign's own shop must still
    /// hand out rewards, and so must this shop unless the account works at the campaign's own shop.
    func takesBack(_ account: AccountID, at shop: ShopID, for campaign: CampaignID, at time: Instant) -> Bool {
        guard let home = campaigns[campaign]?.shop, rewards(home, at: time) else { return false }
        return rewards(shop, at: time) || works(account, at: home)
    }

    /// Requires that an event at a shop other than the campaign's own names both shops.
    mutating func mustName(_ home: ShopID?, _ shop: ShopID, of campaign: CampaignID) {
        let own = campaigns[campaign]?.shop
        must(home == (shop == own ? nil : own), "an event at another shop than the campaign's own names both shops")
    }

    /// Requires that a campaign names only shops that may share it.
    ///
    /// - Parameter edited: the shops that the campaign named before an edit; they may stay, even if they are closed.
    mutating func mustShare(_ shops: [ShopID], _ home: ShopID, by actor: AccountID, edited: [ShopID] = []) {
        must(shops == Set(shops).sorted() && !shops.contains(home), "a campaign names other shops once, in the order of ids")
        for shop in shops where !edited.contains(shop) {
            must(owners[shop] == owners[home] && manages(actor, shop), "only shops of one owner that the actor manages share a campaign")
            must(trades(shop), "a campaign is not shared with a suspended or closed shop")
        }
    }

    /// Requires that a reward is taken back at the shop that handed it out, by people of this shop or of another one of the campaign.
    mutating func mustTakeBack(at shop: ShopID, _ home: ShopID?, _ voucher: Voucher, _ paper: Paper, _ fact: Fact) {
        must(shop == voucher.place, "a reward is taken back where it was handed out")
        mustName(home, shop, of: paper.campaign)
        must(
            takesBack(fact.actor, at: shop, for: paper.campaign, at: fact.time),
            "a shop that has closed takes nothing back after its last day")
        let isStaff = works(fact.actor, in: paper.campaign) || works(fact.actor, at: shop)
        must(isStaff && fact.actor != paper.holder, "only owner and staff take a reward back, and not from themselves")
    }

    // MARK: Reversed stamps

    /// The cards that have a code's stamps now. These are the cards that the code stamped. If a reversal discarded such a card, the card
    /// that took over its stamps is returned instead.
    func cards(of code: CodeID) -> Set<CardID> {
        var cards = Set(papers.filter { $0.value.gains.contains { $0.code == code } }.map(\.key))
        while let gone = cards.first(where: { moves[$0] != nil }), let next = moves[gone] {
            cards.remove(gone)
            cards.insert(next)
        }
        return cards
    }

    /// The cards that may have a code's stamps now: those of ``cards(of:)``, and cards that kept stamps because reversals took stamps off
    /// such a card, or off one of its predecessors, in their place.
    private func places(of code: CodeID) -> Set<CardID> {
        var places = Set(papers.filter { $0.value.gains.contains { $0.code == code } }.map(\.key))
        var open = Array(places)
        while let card = open.popLast() {
            let others = stays[card, default: []].union(moves[card].map { [$0] } ?? [])
            for other in others where places.insert(other).inserted { open.append(other) }
        }
        return places
    }

    /// Requires that stamps are taken off a card that has them. If a full card has them, they may be taken off the collecting card instead.
    mutating func mustBeThere(_ event: StampReversed) {
        if let leaving { moves[leaving] = event.card }
        leaving = nil
        // The ledger does not follow stamps through cards that other accounts took over.
        if strayed.contains(event.code) { return must(papers[event.card]?.isRedeemed == false, "stamps are not taken off a redeemed card") }
        let places = places(of: event.code)
        let isHeld = places.contains { papers[$0].map { $0.isCollecting || $0.isFull } == true }
        let isInPlace = isHeld && papers[event.card]?.isCollecting == true
        must(
            places.contains(event.card) || isInPlace,
            "stamps are taken off the card that has them, or off the collecting card in place of a full one")
        stays[event.card, default: []].formUnion(cards(of: event.code))
    }

    /// Ends the newest redemption code of a card if the card has too few stamps for it. The code never becomes valid again.
    mutating func endCode(of card: CardID) {
        guard let paper = papers[card], let newest = paper.requests.last, let voucher = vouchers[newest] else { return }
        if paper.stamps < voucher.milestone ?? paper.goal { vouchers[newest]?.isOver = true }
    }
}
