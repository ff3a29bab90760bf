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
        try checkFields()
        return edited == ShopEdited(known) ? [] : [.shopEdited(edited)]
    }

    /// Only what was asked for: a field that is left alone may be from times with other limits.
    private func checkFields() throws(Rejection) {
        var checks = FieldChecks()
        if let name { checks.require(name, within: Limits.shopName, "name") }
        if let phone { checks.require(shopPhone: phone) }
        if let address { checks.require(address, within: Limits.shopAddress, "address") }
        if let location { checks.require(place: location) }
        if let images { checks.require(images) }
        try checks.verdict()
    }
}
