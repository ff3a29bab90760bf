internal import Loyalty
internal import LoyaltyCodec

/// Early versions allowed some acts to suspended shops, and knew no shops of erased owners. So the later rules apply only after the first
/// event that only a later version can have written.
extension RuleBook {
    mutating func check(_ event: ShopEdited, _ fact: Fact) {
        noteZone(event.schedule.timeZone, of: event.shop)
        requireOwner(event.shop, fact)
        requireOpenCounter(event.shop)
        requireChange(event.shop.value, event.hashValue, "the edit of shop \(event.shop.text) changed nothing")
        require(event.contact.open?.location.isOnEarth ?? true, "shop \(event.shop.text) lies nowhere on Earth")
    }

    /// Only older versions, which allowed it to suspended shops, wrote this event.
    mutating func check(_ event: StaffAdded, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireAccount(event.account)
        require(!employs(event.shop, event.account), "\(event.account.text) works at shop \(event.shop.text) already")
        shops.staff[event.shop, default: []].insert(event.account)
    }

    mutating func check(_ event: StaffRemoved, _ fact: Fact) {
        requireOwner(event.shop, fact)
        takeStaff(event.account, from: event.shop)
    }

    /// No event shows which accounts are operators, so any registered account may be the actor.
    mutating func check(_ event: ShopSuspended, _ fact: Fact) {
        requireAccount(fact.actor)
        require(shops.owners[event.shop] != nil, "shop \(event.shop.text) was never opened")
        require(shops.suspended.insert(event.shop).inserted, "shop \(event.shop.text) was suspended already")
    }

    mutating func check(_ event: ShopReinstated, _ fact: Fact) {
        requireAccount(fact.actor)
        require(shops.suspended.remove(event.shop) != nil, "shop \(event.shop.text) was not suspended")
    }

    /// Requires that a shop closes once. The erasure of its owner repeats the closing, with the same last redemption.
    mutating func check(_ event: ShopClosed, _ fact: Fact) {
        requireOwner(event.shop, fact)
        if let end = shops.closed[event.shop] {
            require(event.erasesContact && event.redeemUntil == end, "shop \(event.shop.text) had closed, and closed again")
        } else {
            require(event.redeemUntil >= fact.time, "shop \(event.shop.text) closed after its last redemption")
        }
        shops.closed[event.shop] = event.redeemUntil
        if let owner = shops.owners[event.shop] { shops.open[owner]?.remove(event.shop) }
    }

    /// A closed shop may hand out rewards until the date in its closing. In older logs, the shop of an erased owner has no closing and may
    /// hand out none.
    mutating func requireHandsOutRewards(_ shop: ShopID, _ fact: Fact) {
        guard let end = shops.closed[shop] else { return requireAnswerable(shop) }
        require(fact.time < end, "shop \(shop.text) had closed")
    }

    /// The owner must not have been erased, either.
    mutating func requireOpenCounter(_ shop: ShopID) {
        require(!shops.suspended.contains(shop), "shop \(shop.text) was suspended")
        require(shops.closed[shop] == nil, "shop \(shop.text) had closed")
        requireAnswerable(shop)
    }

    /// Like ``requireOpenCounter(_:)``, but requires nothing while ``hasTodaysCounters`` is false.
    mutating func requireOpenCounterToday(_ shop: ShopID) { if hasTodaysCounters { requireOpenCounter(shop) } }

    /// Requires nothing while ``hasTodaysCounters`` is false.
    mutating func requireAnswerable(_ shop: ShopID) {
        guard hasTodaysCounters else { return }
        let isOwnerless = shops.owners[shop].map { people.erased.contains($0) } ?? false
        require(!isOwnerless, "the owner of shop \(shop.text) was erased before")
    }

    /// Whether only versions with the present rules about counters write this event. Older versions cannot open a log with it.
    static func isOfToday(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .transferOffered, .transferLapsed, .shopTransferred,
            .employmentEnded, .shopMuted, .shopUnmuted, .shopClosed, .paperCardsPrinted, .paperStamped, .paperCardTaken,
            .paperStampReversed, .staffLabeled, .waitingOfferTaken:
            true
        case .shopOpened(let event): event.contact.open == nil
        case .shopEdited(let event): event.contact.open == nil
        default: false
        }
    }
}
