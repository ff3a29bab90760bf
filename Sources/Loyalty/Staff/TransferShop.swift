/// Offer a shop to another account; for its owner only. Nothing changes until that account accepts.
public struct OfferTransfer: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID

    public init(invitation: InvitationID, shop: ShopID, account: AccountID) {
        (self.invitation, self.shop, self.account) = (invitation, shop, account)
    }
}

/// Withdraw the open offer of a shop; for its owner only.
public struct WithdrawTransfer: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) { self.shop = shop }
}

/// Record that the offer of a shop has lapsed; only for the service's scheduler.
///
/// Clients and read models have no clock. They learn from the event that nobody answered in time.
public struct LapseTransfer: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) { self.shop = shop }
}

extension OfferTransfer: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InviteStaffSituation {
        InviteStaffSituation(shop: try past.shop(shop), invitationWithID: try past.invitation(invitation))
    }

    /// Replaces an open offer. An unrecorded lapse is recorded first, and only once. The account need not be registered.
    public func decide(_ situation: InviteStaffSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.shop.owned(by: actor)
        guard known.closing == nil else { throw .shopClosed }
        guard !known.isSuspended else { throw .suspended }
        guard account != actor else { return [] }
        let open = known.openTransfer(at: now)
        guard open?.account != account else { return [] }
        guard situation.invitationWithID == nil else { throw .notFound }
        try FieldChecks.check { $0.require(known.transfers < Limits.transfersPerShop, "", .transfers(max: Limits.transfersPerShop)) }
        let offered = TransferOffered(
            invitation: invitation, shop: shop, account: account, expiresAt: now.advanced(bySeconds: Limits.invitationValiditySeconds))
        return known.lapseOfTransfer(at: now) + known.withdrawalOfTransfer(at: now) + [.transferOffered(offered)]
    }
}

extension WithdrawTransfer: ShopDecision {
    /// Records a lapse, so that no clock can open the offer again.
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        return known.lapseOfTransfer(at: now) + known.withdrawalOfTransfer(at: now)
    }
}

extension LapseTransfer: ShopDecision {
    public static var needsAccount: Bool { false }

    /// Applies to suspended and closed shops too.
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        situation?.lapseOfTransfer(at: now) ?? []
    }
}

/// The offer of a shop to another account, as the state of the shop holds it.
public struct TransferOffer: Hashable, Sendable {
    public let invitation: InvitationID
    public let account: AccountID
    public let offeredAt: Instant
    public let expiresAt: Instant
}

extension Shop {
    public func openTransfer(at now: Instant) -> TransferOffer? {
        transfer.flatMap { Validity.holds(at: now, from: $0.offeredAt, until: $0.expiresAt) ? $0 : nil }
    }

    /// Ends any offer that has not lapsed, even one in the future, which a fast clock made.
    func withdrawalOfTransfer(at now: Instant) -> [LoyaltyEvent] {
        guard let transfer, now < transfer.expiresAt else { return [] }
        return [.invitationEnded(InvitationEnded(invitation: transfer.invitation, shop: id, account: transfer.account))]
    }

    func lapseOfTransfer(at now: Instant) -> [LoyaltyEvent] {
        guard let transfer, transfer.expiresAt <= now else { return [] }
        return [
            .transferLapsed(TransferLapsed(invitation: transfer.invitation, shop: id, account: transfer.account, dueAt: transfer.expiresAt))
        ]
    }

    func endingOffers(at now: Instant) -> [LoyaltyEvent] {
        offers.keys.sorted().flatMap { openWithdrawal(of: $0, at: now) } + withdrawalOfTransfer(at: now)
    }

    /// The former owner keeps no role, and their open codes become void.
    ///
    /// Nothing is sealed anew at a transfer, because the shop's contact data, texts and reasons are sealed under the shop's own key.
    mutating func evolveOwner(_ fact: Fact) {
        switch fact.event {
        case .transferOffered(let event) where event.shop == id:
            transfer = TransferOffer(invitation: event.invitation, account: event.account, offeredAt: fact.time, expiresAt: event.expiresAt)
        case .invitationEnded(let event) where event.shop == id && event.invitation == transfer?.invitation: transfer = nil
        case .transferLapsed(let event) where event.shop == id && event.invitation == transfer?.invitation: transfer = nil
        case .shopTransferred(let event) where event.shop == id:
            employmentEnds[event.formerOwner] = fact.position
            members[event.account] = nil
            (owner, ownerSince) = (event.account, fact.time)
            transfer = nil
            transfers += 1
            version = fact.position
        default: break
        }
    }
}
