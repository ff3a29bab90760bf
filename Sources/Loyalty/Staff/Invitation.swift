/// An offer to work for a shop.
public struct Invitation: Hashable, Sendable {
    public let id: InvitationID
    public let shop: ShopID
    /// The invited account.
    public let account: AccountID
    public let invitedAt: Instant
    public let expiresAt: Instant
    /// The act that ended it; `nil` while it is open.
    public var answer: Answer?

    /// How an offer was closed by people.
    public enum Answer: Hashable, Sendable {
        case accepted
        /// Declined by the invited account, or withdrawn by the owner.
        case ended
    }

    /// The state of an offer at a moment.
    public enum Status: Hashable, Sendable {
        case open, accepted, ended, lapsed
    }

    public init(id: InvitationID, shop: ShopID, account: AccountID, invitedAt: Instant, expiresAt: Instant) {
        self.id = id
        self.shop = shop
        self.account = account
        self.invitedAt = invitedAt
        self.expiresAt = expiresAt
    }

    /// An act takes precedence over the clock.
    public func status(at now: Instant) -> Status {
        switch answer {
        case .accepted: .accepted
        case .ended: .ended
        case nil: Validity.holds(at: now, from: invitedAt, until: expiresAt) ? .open : .lapsed
        }
    }
}

extension Invitation: Folded {
    public init?(opening fact: Fact) {
        guard case .staffInvited(let event) = fact.event else { return nil }
        self.init(
            id: event.invitation, shop: event.shop, account: event.account, invitedAt: fact.time, expiresAt: event.expiresAt)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .staffJoined(let event) where event.invitation == id: answer = .accepted
        case .invitationEnded(let event) where event.invitation == id: answer = .ended
        default: break
        }
    }
}

/// An offer as the shop that made it remembers it.
public struct StaffOffer: Hashable, Sendable {
    public let invitation: InvitationID
    public let invitedAt: Instant
    public let expiresAt: Instant

    func isOpen(at now: Instant) -> Bool {
        Validity.holds(at: now, from: invitedAt, until: expiresAt)
    }
}

extension Shop {
    /// Offers that can still be accepted.
    public func openOffers(at now: Instant) -> [StaffOffer] { offers.values.filter { $0.isOpen(at: now) } }

    /// Whether this code's issuer has stopped working here since they issued it. Compared by time and not by position, so that What-if,
    /// whose changed history has positions of its own, comes to the same. A code of the very moment of the end counts as before it.
    func hasLost(issuerOf code: Code) -> Bool {
        guard let end = employmentEnds[code.issuer] else { return false }
        return end >= code.issuedAt
    }

    /// Takes in what concerns offers and staff. What can matter no more is dropped, so that the tables stay small for ever.
    mutating func evolveStaff(_ fact: Fact) {
        switch fact.event {
        case .staffInvited(let event) where event.shop == id:
            offers = offers.filter { $0.value.expiresAt > fact.time }
            offers[event.account] = StaffOffer(invitation: event.invitation, invitedAt: fact.time, expiresAt: event.expiresAt)
        case .invitationEnded(let event) where event.shop == id: offers[event.account] = nil
        case .staffJoined(let event) where event.shop == id:
            offers[event.account] = nil
            staff.insert(event.account)
            hirings += 1
        case .employmentEnded(let event) where event.shop == id:
            staff.remove(event.account)
            let codeSeconds = Int64(Limits.codeValiditySeconds.upperBound) + Limits.clockLeadSeconds
            employmentEnds = employmentEnds.filter { $0.value.advanced(bySeconds: codeSeconds) > fact.time }
            employmentEnds[event.account] = fact.time
        default: break
        }
    }
}
