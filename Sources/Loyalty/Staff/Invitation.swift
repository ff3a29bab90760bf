/// An offer to work for a shop, or to own it.
public struct Invitation: Hashable, Sendable {
    public let id: InvitationID
    public let shop: ShopID
    /// Changes if an account verifies the number of an unregistered person, see ``TakeWaitingOffer``.
    public private(set) var account: AccountID
    /// ``Role/owner`` for the shop itself.
    public let role: Role
    public let invitedAt: Instant
    public let expiresAt: Instant
    /// `nil` until an event ends the offer, which may have lapsed without a record.
    public var answer: Answer?

    /// How an event ended an offer.
    public enum Answer: Hashable, Sendable {
        case accepted
        case ended
        case lapsed
    }

    /// The state of an offer at a moment.
    public enum Status: Hashable, Sendable {
        case open, accepted, ended, lapsed
    }

    public init(id: InvitationID, shop: ShopID, account: AccountID, role: Role = .counter, invitedAt: Instant, expiresAt: Instant) {
        (self.id, self.shop, self.account) = (id, shop, account)
        (self.role, self.invitedAt, self.expiresAt) = (role, invitedAt, expiresAt)
    }

    /// A forgotten offer stays lapsed even if the clock is set back. Otherwise the shop could make a second offer, and both could be
    /// accepted.
    public func status(at now: Instant, of shop: Shop) -> Status {
        switch answer {
        case .accepted: .accepted
        case .ended: .ended
        case .lapsed: .lapsed
        case nil: Validity.holds(at: now, from: invitedAt, until: expiresAt) && shop.remembers(self) ? .open : .lapsed
        }
    }
}

extension Invitation {
    public init?(opening fact: Fact) {
        switch fact.event {
        case .staffInvited(let event):
            self.init(
                id: event.invitation, shop: event.shop, account: event.account, role: event.role, invitedAt: fact.time,
                expiresAt: event.expiresAt)
        case .transferOffered(let event):
            self.init(
                id: event.invitation, shop: event.shop, account: event.account, role: .owner, invitedAt: fact.time,
                expiresAt: event.expiresAt)
        default: return nil
        }
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .staffJoined(let event) where event.invitation == id: answer = .accepted
        case .roleChanged(let event) where event.invitation == id: answer = .accepted
        case .shopTransferred(let event) where event.invitation == id: answer = .accepted
        case .invitationEnded(let event) where event.invitation == id: answer = .ended
        case .transferLapsed(let event) where event.invitation == id: answer = .lapsed
        case .waitingOfferTaken(let event) where event.invitation == id: account = event.account
        default: break
        }
    }
}

/// An unanswered offer of work, which may have lapsed.
public struct StaffOffer: Hashable, Sendable {
    public let invitation: InvitationID
    public let role: Role
    public let invitedAt: Instant
    public let expiresAt: Instant

    func isOpen(at now: Instant) -> Bool { Validity.holds(at: now, from: invitedAt, until: expiresAt) }
}

extension Shop {
    public func openOffers(at now: Instant) -> [StaffOffer] { offers.values.filter { $0.isOpen(at: now) } }

    /// False once a newer offer replaced this one, or it was removed as lapsed.
    fileprivate func remembers(_ invitation: Invitation) -> Bool {
        let latest = invitation.role == .owner ? transfer?.invitation : offers[invitation.account]?.invitation
        return latest == invitation.id
    }

    /// Lapsed offers are removed, because nothing else limits their number.
    mutating func evolveStaff(_ fact: Fact) {
        switch fact.event {
        case .staffInvited(let event) where event.shop == id:
            offers = offers.filter { $0.value.expiresAt > fact.time }
            offers[event.account] = StaffOffer(
                invitation: event.invitation, role: event.role, invitedAt: fact.time, expiresAt: event.expiresAt)
        case .invitationEnded(let event) where event.shop == id:
            if offers[event.account]?.invitation == event.invitation { offers[event.account] = nil }
            evolveOwner(fact)
        case .waitingOfferTaken(let event) where event.shop == id:
            guard let (number, offer) = offers.first(where: { $0.value.invitation == event.invitation }) else { return }
            offers[number] = nil
            offers[event.account] = offer
        case .staffJoined(let event) where event.shop == id:
            offers[event.account] = nil
            members[event.account] = Member(role: event.role, since: fact.time)
            hirings += 1
        case .roleChanged(let event) where event.shop == id:
            members[event.account]?.role = event.role
            guard event.invitation != nil else { return }
            offers[event.account] = nil
            hirings += 1
        case .staffAdded(let event) where event.shop == id: members[event.account] = Member(role: .counter, since: fact.time)
        case .staffRemoved(let event) where event.shop == id: members[event.account] = nil
        case .employmentEnded(let event) where event.shop == id:
            members[event.account] = nil
            employmentEnds[event.account] = fact.position
        default: break
        }
    }
}
