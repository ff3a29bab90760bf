internal import Loyalty
internal import LoyaltyCodec

/// Rules about transfers: a shop gets a new owner only by an accepted offer, and the former owner's unused codes become invalid.
extension RuleBook {
    mutating func check(_ event: TransferOffered, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireOpenCounter(event.shop)
        requireOnce(event.invitation.value, .invitation, "invitation \(event.invitation.text) was made before")
        require(event.account != fact.actor, "\(event.account.text) was offered their own shop \(event.shop.text)")
        let isOpen = shops.transfers[event.shop].map { fact.time < $0.expiresAt } ?? false
        require(!isOpen, "shop \(event.shop.text) was offered to somebody already")
        requireLapse(event.expiresAt, of: event.invitation, fact)
        shops.transfers[event.shop] = event
    }

    /// Requires that an offer lapses once and not early. The shop's state does not matter.
    mutating func check(_ event: TransferLapsed, _ fact: Fact) {
        let isTheirs = fact.actor == .system || fact.actor == shops.owners[event.shop]
        require(isTheirs, "the lapse of invitation \(event.invitation.text) was recorded by \(fact.actor.text)")
        require(event.dueAt <= fact.time, "invitation \(event.invitation.text) lapsed before its time was over")
        guard let offer = shops.transfers[event.shop], offer.invitation == event.invitation else {
            return require(false, "invitation \(event.invitation.text) lapsed, and was never made, was answered, or had lapsed")
        }
        require(offer.account == event.account, "shop \(event.shop.text) was offered to somebody else")
        require(offer.expiresAt == event.dueAt, "invitation \(event.invitation.text) lapsed at another time than its offer names")
        shops.transfers[event.shop] = nil
    }

    mutating func check(_ event: ShopTransferred, _ fact: Fact) {
        requireOwn(event.account, fact, "\(event.account.text) became an owner without their own act")
        requireOpenCounter(event.shop)
        require(shops.owners[event.shop] == event.formerOwner, "\(event.formerOwner.text) did not own shop \(event.shop.text)")
        let offered = shops.transfers[event.shop]?.invitation == event.invitation
        require(offered, "invitation \(event.invitation.text) was never made, or answered before")
        takeShopOffer(event.shop, event.account, fact)
        let count = shops.open[event.account]?.count ?? 0
        require(count < Limits.openShopsPerAccount, "\(event.account.text) owns \(count) open shops already")
        shops.open[event.formerOwner]?.remove(event.shop)
        shops.open[event.account, default: []].insert(event.shop)
        shops.owners[event.shop] = event.account
        shops.staff[event.shop]?.remove(event.account)
        shops.managers[event.shop]?.remove(event.account)
        noteEnd(of: event.formerOwner, at: event.shop, fact)
    }

    /// Requires that the open offer was made to this account and has not expired.
    mutating func takeShopOffer(_ shop: ShopID, _ account: AccountID, _ fact: Fact) {
        let offer = shops.transfers.removeValue(forKey: shop)
        require(offer.map { fact.time < $0.expiresAt } ?? true, "the offer of shop \(shop.text) had lapsed")
        require(offer.map { $0.account == account } ?? true, "shop \(shop.text) was offered to somebody else")
    }
}
