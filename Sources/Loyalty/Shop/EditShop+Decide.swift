extension EditShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, in: &past, by: actor)
    }

    /// An edit that changes nothing is accepted and leaves the version as it is.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        try expected.check(known.version)
        try checkFields(known)
        let edited = ShopEdited(shop: shop, contact: try contact(after: known), images: images ?? known.images)
        return edited == ShopEdited(known) ? [] : [.shopEdited(edited)]
    }

    /// What was sealed for another version of the shop would undo somebody's edit.
    private func contact(after known: Shop) throws(Rejection) -> HeldContact {
        if let resealed {
            guard resealed.basis == known.version else { throw .versionConflict }
            return resealed.contact.map { .sealed($0) } ?? known.contact
        }
        guard name != nil || phone != nil || address != nil || location != nil else { return known.contact }
        guard case .clear(let contact) = known.contact else { throw .versionConflict }
        return .clear(
            ShopContact(
                name: name ?? contact.name, phone: phone ?? contact.phone, address: address ?? contact.address,
                location: location ?? contact.location))
    }

    /// Only what changes: a field that is left as it is may be from times with other limits.
    private func checkFields(_ shop: Shop) throws(Rejection) {
        let known: ShopContact? = if case .clear(let contact) = shop.contact { contact } else { nil }
        var checks = FieldChecks()
        if let name, name != known?.name { checks.require(name, within: Limits.shopName, "name") }
        if let phone, phone != known?.phone { checks.require(shopPhone: phone) }
        if let address, address != known?.address { checks.require(address, within: Limits.shopAddress, "address") }
        if let location { checks.require(place: location) }
        if let images { checks.require(images) }
        checks.require(sealedContact: resealed?.contact)
        try checks.verdict()
    }
}
