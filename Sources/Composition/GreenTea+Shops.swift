public import CommandService
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Opens a shop of the caller.
    ///
    /// - Parameter schedule: its time zone MUST exist.
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
    ///   - redeemUntil: nil for thirty days ahead.
    ///   - reason: sealed under the shop's key.
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

    /// Repeats both steps, at most ``Limits/editAttemptsMax`` times, if another edit intervenes and the client named no version.
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

    /// Publishes a campaign of a shop. Only a stamp card uses the draft's `goal`.
    public func publishCampaign(
        _ draft: CampaignDraft, of shop: ShopID, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        var command = PublishCampaign(campaign: newID(), shop: shop, kind: draft.kind, terms: draft.named.terms)
        command.sealed = try await sealedTexts(of: command, by: caller)
        return try await submit(.publishCampaign(command), by: caller, at: at)
    }

    public func editCampaign(_ edit: EditCampaign, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        let edit = edit.named
        return try await sealing(for: edit.expected) { () async throws(ServiceError) in
            try await submit(.editCampaign(try await resealed(edit, by: caller)), by: caller, at: at)
        }
    }
}

extension GreenTea {
    /// Unwrapped keys are cached, see `Limits.cachedEntitiesMax`.
    public func opened(_ shop: Shop) throws(ServiceError) -> Shop {
        guard case .sealed = shop.contact else { return shop }
        var shop = shop
        shop.contact = try contact(of: shop).map { .clear($0) } ?? .erased
        return shop
    }

    /// Makes the shop's key durably, and seals.
    ///
    /// - Returns: nil for invalid fields. Empty at the limit of shops or for a retry, so that no needless key is made: the decision refuses
    ///   empty bytes even if a shop closes meanwhile, where nil would store the data unsealed.
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

    /// Unchanged without contact data, or if the decision will refuse the edit.
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
            images: edit.images, timeZone: edit.timeZone, openingHours: edit.openingHours, color: edit.color, logo: edit.logo,
            resealed: ResealedContact(contact: sealed, basis: shop.version))
    }

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
            // The decision refuses an edit of an erased shop. A temporary key keeps the data unreadable until then.
            let key = try await makeKey(of: shop) ?? DataKey(bytes: randomness.bytes(DataKey.length))
            return try Sealing.seal(contact, of: shop, under: key, nonce: nonce)
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// Made durably if missing; nil if the shop is erased.
    ///
    /// - Parameter checked: called after the check for erasure; for tests.
    func makeKey(of shop: ShopID, checked: () async -> Void = {}) async throws -> DataKey? {
        try requireSeat()
        let contact = try contactInLog(of: shop)
        guard contact != .erased else { return nil }
        await checked()
        let key = try await blocking { [self] in
            let key = try keyStore.makeKey(for: shop.keyHolder)
            // The key of a sealed contact was delivered before its event.
            if case .sealed = contact { return key }
            try deliver(keysOf: [shop.keyHolder])
            return key
        }
        // An erasure since the check may have missed this key.
        guard try contactInLog(of: shop) == .erased else { return key }
        _ = try await blocking { [keyStore] in try keyStore.destroyKey(of: shop.keyHolder) }
        return nil
    }

    private func contactInLog(of shop: ShopID) throws(ServiceError) -> HeldContact? { try reading { try $0.shop(shop) }?.contact }
}

extension KeyStore {
    /// nil if the shop's key was destroyed.
    func open(_ sealed: Sealed, of shop: ShopID) throws -> ShopContact? {
        try key(of: shop.keyHolder).flatMap { Sealing.open(sealed, of: shop, under: $0) }
    }
}
