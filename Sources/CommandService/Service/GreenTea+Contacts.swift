public import Loyalty
import LoyaltyCodec

/// A shop's contact data: sealed under the shop's own key on its way into the log, opened on its way out.
extension GreenTea {
    /// A shop as it may be shown: its contact data in the clear, or erased where its key was destroyed.
    ///
    /// Opening takes about a microsecond; the unwrapped keys are remembered, see `Limits.cachedEntitiesMax`.
    public func opened(_ shop: Shop) throws(ServiceError) -> Shop {
        guard case .sealed = shop.contact else { return shop }
        var shop = shop
        shop.contact = try contact(of: shop).map { .clear($0) } ?? .erased
        return shop
    }

    /// Seals the contact data of a shop that is about to be opened; its key is made, and durable, before the shop is.
    ///
    /// - Returns: nil for what the decision refuses anyway: no key is made for that.
    func sealedContact(_ contact: ShopContact, ofNew shop: ShopID, by caller: Caller) async throws(ServiceError) -> Sealed? {
        let plain = OpenShop(
            shop: shop, name: contact.name, phone: contact.phone, address: contact.address, location: contact.location)
        do { try plain.checkFields() } catch { return nil }
        guard try reading({ try $0.shop(ownedBy: caller.account) }) == nil else { return nil }
        return try await sealed(contact, of: shop)
    }

    /// The edit with the contact data as it leaves it, sealed.
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
            images: edit.images, resealed: ResealedContact(contact: sealed, basis: shop.version))
    }

    /// The contact data in the clear, unsealed with the shop's key if need be; nil if it was erased.
    private func contact(of shop: Shop) throws(ServiceError) -> ShopContact? {
        switch shop.contact {
        case .clear(let contact): return contact
        case .erased: return nil
        case .sealed(let sealed):
            do { return try keyStore.open(sealed, of: shop.id) } catch { throw .failed(String(describing: error)) }
        }
    }

    private func sealed(_ contact: ShopContact, of shop: ShopID) async throws(ServiceError) -> Sealed {
        let nonce = randomness.bytes(Sealing.nonceLength)
        do {
            return try await blocking { [keyStore] in
                try Sealing.seal(contact, of: shop, under: try keyStore.makeKey(for: shop.keyHolder), nonce: nonce)
            }
        } catch {
            throw .failed(String(describing: error))
        }
    }
}

extension KeyStore {
    /// A shop's contact data; nil where its key was destroyed.
    func open(_ sealed: Sealed, of shop: ShopID) throws -> ShopContact? {
        try key(of: shop.keyHolder).flatMap { Sealing.open(sealed, of: shop, under: $0) }
    }
}
