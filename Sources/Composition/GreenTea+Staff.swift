public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Offers a role at a shop, or lowers a member's role at once. The account need not exist, see `InviteStaff`.
    public func inviteStaff(_ offer: StaffRoleOffer, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let command = InviteStaff(invitation: newID(), shop: offer.shop, account: offer.account, role: offer.role)
        return try await submit(.inviteStaff(command), by: caller)
    }

    public func inviteStaff(_ account: AccountID, to shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await inviteStaff(StaffRoleOffer(account: account, shop: shop, role: nil), by: caller)
    }

    /// The account need not exist, see `OfferTransfer`.
    public func offerTransfer(of shop: ShopID, to account: AccountID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.offerTransfer(OfferTransfer(invitation: newID(), shop: shop, account: account)), by: caller)
    }

    /// For an unknown number, an id that no account will ever have.
    public func invitee(withPhone number: E164Number) throws(ServiceError) -> AccountID {
        try account(ofPhone: number)?.id ?? keys.nobody(withPhone: number.text)
    }

    /// Offers a role to the holder of a phone number. An unknown number is reserved for the person who verifies it, as for cards.
    ///
    /// The log has no hash of the number, so an erasure leaves nothing that leads from the number to the account.
    public func inviteStaff(_ offer: NumberOffer) async throws(ServiceError) -> Acceptance {
        let name = keys.phoneName(of: offer.phone.text)
        guard numberLocks.share(name) else { throw .overloaded }
        return try await locked { [numberLocks] in
            numberLocks.endSharing(name)
        } while: { () throws(ServiceError) -> Acceptance in
            let account = try await offeree(of: offer)
            return try await inviteStaff(StaffRoleOffer(account: account, shop: offer.shop, role: offer.role), by: offer.caller)
        }
    }

    private func offeree(of offer: NumberOffer) async throws(ServiceError) -> AccountID {
        let nobody = keys.nobody(withPhone: offer.phone.text)
        switch try holder(of: offer.phone.text) {
        case .known(let account): return account.id
        // The present holder of a requested number may be another person.
        case .coming: return nobody
        case .nobody: if try isAnswered(offer.caller) { return nobody }
        }
        // Otherwise anybody could fill the key store with reserved numbers.
        if try !hasClaim(offer.phone) { try requireAcceptance(of: offer, to: nobody) }
        switch try await registrations(of: [offer.phone.text])[0] {
        case .known(let account): return account.id
        case .new(let registration): return registration.account
        }
    }

    private func requireAcceptance(of offer: NumberOffer, to account: AccountID) throws(ServiceError) {
        let command = Command.inviteStaff(InviteStaff(invitation: newID(), shop: offer.shop, account: account, role: offer.role))
        try reading { past in
            var past = past
            if case .failure(let rejection) = try command.decide(in: &past, by: offer.caller.account, at: clock.now()) {
                throw ServiceError.rejected(rejection)
            }
        }
    }

    /// Makes the offers of work to an unregistered person the account's own. The caller MUST have verified the person's number for
    /// `account`.
    func takeOffers(waitingFor person: AccountID, by account: AccountID) async throws(ServiceError) {
        let now = clock.now()
        let waiting = try reading { try $0.invitations(of: person, before: nil, limit: Limits.waitingOffersMax).invitations }
        for offer in waiting where offer.account == person && offer.answer == nil && offer.role < .owner && now < offer.expiresAt {
            _ = try await submit(.takeWaitingOffer(TakeWaitingOffer(invitation: offer.id)), by: Caller(account: account))
        }
    }
}

extension GreenTea {
    /// Names a member for the shop's people. The present name is not sealed again, so that a repetition adds nothing.
    public func labelStaff(_ name: StaffName, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let (account, shop) = (name.account, name.shop)
        let held = try reading { try $0.label(of: account, at: shop) }
        let shown = try label(of: account, at: shop) ?? ""
        let text: TypedText
        if let held, shown == name.label { text = held } else { text = try await sealed(name, by: caller) }
        return try await submit(.labelStaff(LabelStaff(shop: shop, account: account, label: text)), by: caller)
    }

    /// Nil if there is none, and after the erasure of the shop's owner or of the account. A former member keeps the name, so that a list of
    /// earlier acts stays readable.
    public func label(of account: AccountID, at shop: ShopID, through position: Position? = nil) throws(ServiceError) -> String? {
        switch try reading(through: position, { try $0.label(of: account, at: shop) }) {
        case nil: return nil
        case .clear(let text): return text.isEmpty ? nil : text
        case .sealed(let sealed):
            return try labelKeys(of: account, at: shop).flatMap { Sealing.open(label: sealed, of: account, at: shop, under: $0) }
        }
    }

    /// A text that the decision would refuse stays unsealed, so that the decision reports its own error. Without a key, or the right to
    /// make the shop's, a temporary key makes the name unreadable.
    private func sealed(_ name: StaffName, by caller: Caller) async throws(ServiceError) -> TypedText {
        let (account, shop, label) = (name.account, name.shop, name.label)
        guard let known = try reading({ try $0.shop(shop) }), Loyalty.Limits.staffLabel.fault(in: label) == nil else {
            return .clear(label)
        }
        let isManager = known.role(of: caller.account).map { $0 >= .manager } ?? false
        func temporary() throws -> DataKey { try DataKey(bytes: randomness.bytes(DataKey.length)) }
        do {
            let own = isManager ? try await makeKey(of: shop) : nil
            let keys = LabelKeys(shop: try own ?? temporary(), member: try keyStore.key(of: account) ?? temporary())
            let nonces = (shop: randomness.bytes(Sealing.nonceLength), member: randomness.bytes(Sealing.nonceLength))
            return .sealed(try Sealing.seal(label: label, of: account, at: shop, under: keys, nonces: nonces))
        } catch {
            throw ServiceError(storage: error)
        }
    }

    private func labelKeys(of account: AccountID, at shop: ShopID) throws(ServiceError) -> LabelKeys? {
        do {
            guard let own = try keyStore.key(of: shop.keyHolder), let member = try keyStore.key(of: account) else { return nil }
            return LabelKeys(shop: own, member: member)
        } catch {
            throw ServiceError(storage: error)
        }
    }
}

extension GreenTea {
    /// A member's name at a shop. One value for the reason of ``StaffRoleOffer``.
    public struct StaffName: Sendable {
        let account: AccountID
        let shop: ShopID
        let label: String

        /// - Parameter label: empty or nil to take the name away.
        public init(of account: AccountID, at shop: ShopID, label: String?) {
            (self.account, self.shop, self.label) = (account, shop, label?.asName ?? "")
        }
    }

    /// A role at a shop for the holder of a phone number. One value for the reason of ``StaffRoleOffer``.
    public struct NumberOffer: Sendable {
        let phone: E164Number
        let shop: ShopID
        let role: Role?
        let caller: Caller

        /// - Parameter role: nil if the owner names none.
        public init(toPhone phone: E164Number, at shop: ShopID, as role: Role?, by caller: Caller) {
            (self.phone, self.shop, self.role, self.caller) = (phone, shop, role, caller)
        }
    }

    /// A role at a shop for an account. One value because of a fault of Swift 6.3.1: a call with more 128-bit arguments jumps to address 0.
    public struct StaffRoleOffer: Sendable {
        public let account: AccountID
        public let shop: ShopID
        /// `nil` if the owner names none.
        public let role: Role?

        public init(account: AccountID, shop: ShopID, role: Role?) { (self.account, self.shop, self.role) = (account, shop, role) }
    }
}
