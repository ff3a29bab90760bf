internal import Loyalty
internal import LoyaltyCodec

/// Rules about shops' counters and their staff.
///
/// The first versions of the service allowed some acts to suspended shops, and had no rule for shops whose owner was erased. A log may
/// begin with events of such a version. So the later rules apply only from the first event on that only a later version can have written.
extension RuleBook {
    mutating func check(_ event: ShopEdited, _ fact: Fact) {
        noteZone(event.schedule.timeZone, of: event.shop)
        requireOwner(event.shop, fact)
        requireOpenCounter(event.shop)
        requireChange(event.shop.value, event.hashValue, "the edit of shop \(event.shop.text) changed nothing")
        require(event.contact.open?.location.isOnEarth ?? true, "shop \(event.shop.text) lies nowhere on Earth")
    }

    /// Checks an event that only older versions of the service wrote. These versions allowed suspended shops to add and remove staff, so
    /// the suspension of the shop is not checked.
    mutating func check(_ event: StaffAdded, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireAccount(event.account)
        require(!employs(event.shop, event.account), "\(event.account.text) works at shop \(event.shop.text) already")
        shopStaff[event.shop, default: []].insert(event.account)
    }

    mutating func check(_ event: StaffRemoved, _ fact: Fact) {
        requireOwner(event.shop, fact)
        takeStaff(event.account, from: event.shop)
    }

    /// No event shows which accounts are operators, so this requires only that the actor is any registered account.
    mutating func check(_ event: ShopSuspended, _ fact: Fact) {
        requireAccount(fact.actor)
        require(shopOwners[event.shop] != nil, "shop \(event.shop.text) was never opened")
        require(suspendedShops.insert(event.shop).inserted, "shop \(event.shop.text) was suspended already")
    }

    mutating func check(_ event: ShopReinstated, _ fact: Fact) {
        requireAccount(fact.actor)
        require(suspendedShops.remove(event.shop) != nil, "shop \(event.shop.text) was not suspended")
    }

    /// Requires that a shop closes once. The erasure of a closed shop's owner records the closing again, with the same last redemption.
    mutating func check(_ event: ShopClosed, _ fact: Fact) {
        requireOwner(event.shop, fact)
        if let end = closedShops[event.shop] {
            require(event.erasesContact && event.redeemUntil == end, "shop \(event.shop.text) had closed, and closed again")
        } else {
            require(event.redeemUntil >= fact.time, "shop \(event.shop.text) closed after its last redemption")
        }
        closedShops[event.shop] = event.redeemUntil
        if let owner = shopOwners[event.shop] { openShops[owner]?.remove(event.shop) }
    }

    /// Requires that the shop may hand out rewards. A closed shop may do so until the date in the event of its closing. In older logs, the
    /// shop of an erased owner may have no such event. That shop may hand out no rewards, because nobody acts for it.
    mutating func requireHandsOutRewards(_ shop: ShopID, _ fact: Fact) {
        guard let end = closedShops[shop] else { return requireAnswerable(shop) }
        require(fact.time < end, "shop \(shop.text) had closed")
    }

    /// Requires that the shop is neither suspended nor closed, and that its owner was not erased. For handing out rewards,
    /// `requireHandsOutRewards` is used instead, because a suspended shop may still hand out rewards.
    mutating func requireOpenCounter(_ shop: ShopID) {
        require(!suspendedShops.contains(shop), "shop \(shop.text) was suspended")
        require(closedShops[shop] == nil, "shop \(shop.text) had closed")
        requireAnswerable(shop)
    }

    /// Like ``requireOpenCounter(_:)``, for events that older versions of the service allowed to suspended shops. It requires nothing as
    /// long as ``hasTodaysCounters`` is false.
    mutating func requireOpenCounterToday(_ shop: ShopID) {
        if hasTodaysCounters { requireOpenCounter(shop) }
    }

    /// Requires that the shop's owner was not erased, because nobody may act for the shop of an erased owner. It requires nothing as long
    /// as ``hasTodaysCounters`` is false.
    mutating func requireAnswerable(_ shop: ShopID) {
        guard hasTodaysCounters else { return }
        let isOwnerless = shopOwners[shop].map { erased.contains($0) } ?? false
        require(!isOwnerless, "the owner of shop \(shop.text) was erased before")
    }

    /// Whether only versions of the service with the present rules about suspended and closed shops write events of this type. These rules
    /// were introduced together with event types for staff offers, mutes, closings and encrypted contact data. Older versions cannot open a
    /// log that contains an event of such a type.
    static func isOfToday(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .transferOffered, .transferLapsed, .shopTransferred,
            .employmentEnded, .shopMuted, .shopUnmuted, .shopClosed, .paperCardsPrinted, .paperStamped, .paperCardTaken,
            .paperStampReversed:
            true
        case .shopOpened(let event): event.contact.open == nil
        case .shopEdited(let event): event.contact.open == nil
        default: false
        }
    }
}
