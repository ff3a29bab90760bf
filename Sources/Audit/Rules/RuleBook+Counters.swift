internal import Loyalty
internal import LoyaltyCodec

/// What a shop's counter is open for, and who stands behind it.
extension RuleBook {
    mutating func check(_ event: ShopEdited, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireChange(event.shop.value, event.hashValue, "the edit of shop \(event.shop.text) changed nothing")
        require(event.location.isOnEarth, "shop \(event.shop.text) lies nowhere on Earth")
    }

    mutating func check(_ event: StaffAdded, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireAccount(event.account)
        require(!employs(event.shop, event.account), "\(event.account.text) works at shop \(event.shop.text) already")
        shopStaff[event.shop, default: []].insert(event.account)
    }

    mutating func check(_ event: StaffRemoved, _ fact: Fact) {
        requireOwner(event.shop, fact)
        let removed = shopStaff[event.shop]?.remove(event.account)
        require(removed != nil, "\(event.account.text) was no staff of shop \(event.shop.text)")
    }

    /// Who is an operator stands in no event; somebody who has registered is all that can be asked for.
    mutating func check(_ event: ShopSuspended, _ fact: Fact) {
        requireAccount(fact.actor)
        require(shopOwners[event.shop] != nil, "shop \(event.shop.text) was never opened")
        require(suspendedShops.insert(event.shop).inserted, "shop \(event.shop.text) was suspended already")
    }

    mutating func check(_ event: ShopReinstated, _ fact: Fact) {
        requireAccount(fact.actor)
        require(suspendedShops.remove(event.shop) != nil, "shop \(event.shop.text) was not suspended")
    }

    /// Nothing is collected or redeemed at a suspended shop.
    mutating func requireOpenCounter(_ shop: ShopID) {
        require(!suspendedShops.contains(shop), "shop \(shop.text) was suspended")
    }
}
