/// Offer a shop to another account; for its owner only. Nothing changes until that account accepts.
public struct OfferTransfer: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    /// The account that is to own the shop.
    public let account: AccountID

    public init(invitation: InvitationID, shop: ShopID, account: AccountID) {
        (self.invitation, self.shop, self.account) = (invitation, shop, account)
    }
}

/// Withdraw the open offer of a shop; for its owner only.
public struct WithdrawTransfer: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) {
        self.shop = shop
    }
}

/// Record that the offer of a shop has lapsed. Only the scheduler of the service gives this command.
public struct LapseTransfer: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) {
        self.shop = shop
    }
}

extension OfferTransfer: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InviteStaffSituation {
        InviteStaffSituation(at: try .load(shop, in: &past, by: actor), invitationWithID: try past.invitation(invitation))
    }

    /// A shop has at most one open offer of a transfer; an offer to another account replaces the open one. The shop may also be offered to
    /// a member of its staff.
    ///
    /// If the earlier offer has lapsed and the scheduler has not recorded that yet, the decision records it first. So each lapse is
    /// recorded once, however late the scheduler is.
    ///
    /// As with offers of work, the decision does not check whether the account is registered.
    public func decide(_ situation: InviteStaffSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.at.owned(by: actor)
        guard known.closing == nil else { throw .shopClosed }
        guard !known.isSuspended else { throw .suspended }
        // An offer to the present owner changes nothing.
        guard account != actor else { return [] }
        let open = known.openTransfer(at: now)
        guard open?.account != account else { return [] }
        guard situation.invitationWithID == nil else { throw .notFound }
        var checks = FieldChecks()
        checks.require(known.transfers < Limits.transfersPerShop, "", .transfers(max: Limits.transfersPerShop))
        try checks.verdict()
        let offered = TransferOffered(
            invitation: invitation, shop: shop, account: account,
            expiresAt: now.advanced(bySeconds: Limits.invitationValiditySeconds))
        return known.lapseOfTransfer(at: now) + known.withdrawalOfTransfer(at: now) + [.transferOffered(offered)]
    }
}

extension WithdrawTransfer: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, in: &past, by: actor)
    }

    /// The owner of a suspended shop may also withdraw an offer. If the offer has lapsed and the scheduler has not recorded that yet, the
    /// decision records it, so that no clock can open the offer again. The command changes nothing if there is no offer.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        return known.lapseOfTransfer(at: now) + known.withdrawalOfTransfer(at: now)
    }
}

extension LapseTransfer: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Shop? { try past.shop(shop) }

    /// The state of the shop does not matter: the offer of a suspended or closed shop lapses too. A repeated command finds no offer, and
    /// does nothing.
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        situation?.lapseOfTransfer(at: now) ?? []
    }
}

/// The offer of a shop to another account, as the state of the shop holds it.
public struct TransferOffer: Hashable, Sendable {
    public let invitation: InvitationID
    /// The account that is to own the shop.
    public let account: AccountID
    public let offeredAt: Instant
    public let expiresAt: Instant
}

extension Shop {
    /// The offer of the shop to another account that is open at `now`; nil if there is none.
    public func openTransfer(at now: Instant) -> TransferOffer? {
        transfer.flatMap { Validity.holds(at: now, from: $0.offeredAt, until: $0.expiresAt) ? $0 : nil }
    }

    /// The event that ends the shop's open transfer offer. An offer whose time is in the future, because it was made while the clock was
    /// fast, is also ended.
    func withdrawalOfTransfer(at now: Instant) -> [LoyaltyEvent] {
        guard let transfer, now < transfer.expiresAt else { return [] }
        return [.invitationEnded(InvitationEnded(invitation: transfer.invitation, shop: id, account: transfer.account))]
    }

    /// The event that records the lapse of the shop's offer to another account. There is none before the offer's time is over, and none if
    /// an event has ended the offer.
    func lapseOfTransfer(at now: Instant) -> [LoyaltyEvent] {
        guard let transfer, transfer.expiresAt <= now else { return [] }
        return [
            .transferLapsed(
                TransferLapsed(invitation: transfer.invitation, shop: id, account: transfer.account, dueAt: transfer.expiresAt))
        ]
    }

    /// The events that end all open offers of a shop that closes: the offers of work, and the offer of the shop itself.
    func endingOffers(at now: Instant) -> [LoyaltyEvent] {
        offers.keys.sorted().flatMap { openWithdrawal(of: $0, at: now) } + withdrawalOfTransfer(at: now)
    }

    /// Applies events about the shop's owner.
    ///
    /// The former owner keeps no role, and the open codes that they issued become void, like those of staff who leave. A member of the
    /// staff who becomes the owner is no longer staff.
    mutating func evolveOwner(_ fact: Fact) {
        switch fact.event {
        case .transferOffered(let event) where event.shop == id:
            transfer = TransferOffer(
                invitation: event.invitation, account: event.account, offeredAt: fact.time, expiresAt: event.expiresAt)
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
