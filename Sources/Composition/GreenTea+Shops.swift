public import CommandService
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Opens a shop of the caller.
    ///
    /// - Parameter schedule: the shop's hours and time zone. The zone MUST exist.
    public func openShop(
        name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = [],
        schedule: ShopSchedule = ShopSchedule(), by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        var command = OpenShop(
            shop: newID(), name: name.asName, phone: phone, address: address.asName, location: location, images: images,
            schedule: schedule)
        command.sealed = try await sealedContact(of: command, by: caller)
        return try await submit(.openShop(command), by: caller, at: at)
    }

    /// Changes a shop's own data.
    public func editShop(_ edit: EditShop, by caller: Caller) async throws(ServiceError) -> Acceptance {
        var edit = edit
        (edit.name, edit.address) = (edit.name?.asName, edit.address?.asName)
        return try await sealing(for: edit.expected) { () async throws(ServiceError) in
            try await submit(.editShop(try await resealed(edit, by: caller)), by: caller)
        }
    }

    /// Closes a shop for good.
    ///
    /// - Parameters:
    ///   - redeemUntil: the moment from which full cards can no longer be redeemed; nil for thirty days ahead.
    ///   - reason: the reason, which is sealed under the shop's key and kept for later questions.
    public func closeShop(
        _ shop: ShopID, redeemUntil: Instant?, reason: String?, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        let until = redeemUntil ?? clock.now().advanced(bySeconds: Loyalty.Limits.closedRedeemSeconds)
        var held: TypedText?
        if let reason {
            let isOwner = try reading { try $0.shop(shop)?.owner == caller.account }
            held = isOwner ? try await sealed(reason, within: Loyalty.Limits.reason, about: shop) : .clear(reason)
        }
        return try await submit(.closeShop(CloseShop(shop: shop, redeemUntil: until, reason: held)), by: caller)
    }

    /// Seals and submits an edit. If another edit comes between the two steps and the client named no version, both steps are repeated, in
    /// all at most ``Limits/editAttemptsMax`` times, so that the client nearly never gets a conflict.
    private func sealing(
        for expected: ExpectedVersion, _ attempt: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance {
        for _ in 0..<Limits.editAttemptsMax - 1 {
            do throws(ServiceError) { return try await attempt() } catch {
                guard error == .rejected(.versionConflict), expected == .any else { throw error }
            }
        }
        return try await attempt()
    }

    /// Publishes a campaign of a shop. The draft's `goal` is used only if the campaign is a stamp card.
    public func publishCampaign(
        _ draft: CampaignDraft, of shop: ShopID, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        var command = PublishCampaign(campaign: newID(), shop: shop, kind: draft.kind, terms: draft.named.terms)
        command.sealed = try await sealedTexts(of: command, by: caller)
        return try await submit(.publishCampaign(command), by: caller, at: at)
    }

    /// Changes a campaign.
    ///
    /// - Parameter at: the time of the event; nil for the present time of the service's clock.
    public func editCampaign(_ edit: EditCampaign, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        let edit = edit.named
        return try await sealing(for: edit.expected) { () async throws(ServiceError) in
            try await submit(.editCampaign(try await resealed(edit, by: caller)), by: caller, at: at)
        }
    }

    /// Ends a campaign before the end that its terms set.
    public func endCampaign(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.endCampaign(EndCampaign(campaign: campaign)), by: caller)
    }

    /// Reopens a campaign that was ended early. This is possible for a day after the early end.
    public func reopenCampaign(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.reopenCampaign(ReopenCampaign(campaign: campaign)), by: caller)
    }
}

extension GreenTea {
    /// Adds a campaign to the caller's favourites. Does nothing if the campaign is a favourite already.
    public func addFavorite(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.addFavorite(AddFavorite(campaign: campaign)), by: caller)
    }

    /// Removes a campaign from the caller's favourites. Does nothing if the campaign is no favourite.
    public func removeFavorite(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.removeFavorite(RemoveFavorite(campaign: campaign)), by: caller)
    }
}

/// A shop's contact data. It is sealed under the shop's own key before it is stored, and decrypted when it is read.
extension GreenTea {
    /// A shop as it may be shown: with its contact data decrypted, or marked as erased if its key was destroyed.
    ///
    /// Decrypting takes about a microsecond. Unwrapped keys are kept in memory, see `Limits.cachedEntitiesMax`.
    public func opened(_ shop: Shop) throws(ServiceError) -> Shop {
        guard case .sealed = shop.contact else { return shop }
        var shop = shop
        shop.contact = try contact(of: shop).map { .clear($0) } ?? .erased
        return shop
    }

    /// Seals the contact data of a shop before the shop is opened. The shop's key is made first, and is durable when this method returns.
    ///
    /// - Returns: nil if the fields are invalid, and an empty text if the caller owns as many shops as are allowed, or if the request was
    ///   accepted before. No key is made for such shops, because nothing would ever remove it. The decision refuses an empty text with the
    ///   reason of the limit, even if one of the caller's shops closes meanwhile. With nil, it would then open the shop and store its
    ///   contact data unsealed.
    /// - Throws: `.idempotencyKeyReused`.
    private func sealedContact(of shop: OpenShop, by caller: Caller) async throws(ServiceError) -> Sealed? {
        do { try shop.checkFields() } catch { return nil }
        guard try !isAnswered(caller) else { return Sealed([]) }
        let owned = try reading { try $0.shops(ownedBy: caller.account) }
        guard owned.count < Loyalty.Limits.shopsPerAccount,
            owned.count(where: { $0.closing == nil }) < Loyalty.Limits.openShopsPerAccount
        else { return Sealed([]) }
        let contact = ShopContact(name: shop.name, phone: shop.phone, address: shop.address, location: shop.location)
        return try await sealed(contact, of: shop.shop)
    }

    /// Returns the edit, with the shop's new contact data added in sealed form. An edit that names no contact data, or that the decision
    /// will refuse, is returned unchanged.
    func resealed(_ edit: EditShop, by caller: Caller) async throws(ServiceError) -> EditShop {
        guard edit.name != nil || edit.phone != nil || edit.address != nil || edit.location != nil else { return edit }
        guard let shop = try reading({ try $0.shop(edit.shop) }), shop.owner == caller.account, let known = try contact(of: shop) else {
            return edit
        }
        let next = ShopContact(
            name: edit.name ?? known.name, phone: edit.phone ?? known.phone, address: edit.address ?? known.address,
            location: edit.location ?? known.location)
        guard next.location.isOnEarth else { return edit }
        let sealed: Sealed? = if next == known { nil } else { try await sealed(next, of: shop.id) }
        return EditShop(
            shop: edit.shop, expected: edit.expected, name: edit.name, phone: edit.phone, address: edit.address, location: edit.location,
            images: edit.images, timeZone: edit.timeZone, openingHours: edit.openingHours,
            resealed: ResealedContact(contact: sealed, basis: shop.version))
    }

    /// The contact data, decrypted with the shop's key if it is sealed; nil if it was erased.
    private func contact(of shop: Shop) throws(ServiceError) -> ShopContact? {
        switch shop.contact {
        case .clear(let contact): return contact
        case .erased: return nil
        case .sealed(let sealed):
            do { return try keyStore.open(sealed, of: shop.id) } catch { throw ServiceError(storage: error) }
        }
    }

    private func sealed(_ contact: ShopContact, of shop: ShopID) async throws(ServiceError) -> Sealed {
        let nonce = randomness.bytes(Sealing.nonceLength)
        do {
            // The decision refuses an edit of an erased shop. Until then, a temporary key keeps the contact data unreadable.
            let key = try await makeKey(of: shop) ?? DataKey(bytes: randomness.bytes(DataKey.length))
            return try Sealing.seal(contact, of: shop, under: key, nonce: nonce)
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// The data key of a shop. If the shop has none, makes a key, which is durable when this method returns.
    ///
    /// - Parameter checked: called after the check that the shop is not erased; for tests.
    /// - Returns: nil if the shop is erased, so that its key was destroyed or will be.
    func makeKey(of shop: ShopID, checked: () async -> Void = {}) async throws -> DataKey? {
        guard try !isErased(shop) else { return nil }
        await checked()
        let key = try await blocking { [keyStore] in try keyStore.makeKey(for: shop.keyHolder) }
        // An erasure since the check destroys the shop's key once, perhaps before this key was made. Then this key would remain.
        guard try isErased(shop) else { return key }
        _ = try await blocking { [keyStore] in try keyStore.destroyKey(of: shop.keyHolder) }
        return nil
    }

    private func isErased(_ shop: ShopID) throws(ServiceError) -> Bool { try reading { try $0.shop(shop) }?.contact == .erased }
}

extension KeyStore {
    /// A shop's contact data, decrypted; nil if its key was destroyed.
    func open(_ sealed: Sealed, of shop: ShopID) throws -> ShopContact? {
        try key(of: shop.keyHolder).flatMap { Sealing.open(sealed, of: shop, under: $0) }
    }
}
