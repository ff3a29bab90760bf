extension EditShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, in: &past, by: actor)
    }

    /// An edit that changes nothing is accepted and leaves the version as it is.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        try expected.check(known.version)
        let edited = ShopEdited(
            shop: shop, name: name ?? known.name, phone: phone ?? known.phone, address: address ?? known.address,
            location: location ?? known.location, images: images ?? known.images)
        try checkFields(known)
        return edited == ShopEdited(known) ? [] : [.shopEdited(edited)]
    }

    /// Only what changes: a field that is left as it is may be from times with other limits.
    private func checkFields(_ known: Shop) throws(Rejection) {
        var checks = FieldChecks()
        if let name, name != known.name { checks.require(name, within: Limits.shopName, "name") }
        if let phone, phone != known.phone { checks.require(shopPhone: phone) }
        if let address, address != known.address { checks.require(address, within: Limits.shopAddress, "address") }
        if let location { checks.require(place: location) }
        if let images { checks.require(images) }
        try checks.verdict()
    }
}
