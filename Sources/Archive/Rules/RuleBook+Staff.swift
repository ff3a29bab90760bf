internal import Audit
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

struct StaffPlace: Hashable {
    let shop: ShopID
    let account: AccountID
}

/// An unanswered offer of work at a shop, or of a higher role there.
struct LiveOffer {
    let invitation: InvitationID
    let role: Role
    let expiresAt: Instant
    /// Whether the shop made another offer after this one lapsed. Earlier versions could still accept the lapsed one.
    var isDropped = false
}

/// The event that ended an account's work at a shop.
struct EmploymentEnd {
    let position: UInt64
    let at: Instant
}

/// Rules about staff and mutes. An account becomes staff only by accepting an offer, and its codes become invalid when its work ends.
extension RuleBook {
    mutating func check(_ event: StaffInvited, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireOpenCounter(event.shop)
        requireOnce(event.invitation.value, .invitation, "invitation \(event.invitation.text) was made before")
        require(event.role < .owner, "invitation \(event.invitation.text) offers ownership")
        let held = role(of: event.account, at: event.shop)
        require(held.map { $0 < event.role } ?? true, "\(event.account.text) works at shop \(event.shop.text) already")
        var offers = shops.invitations[event.shop] ?? [:]
        for (account, offer) in offers where offer.expiresAt <= fact.time { offers[account]?.isDropped = true }
        require(offers[event.account]?.isDropped ?? true, "\(event.account.text) had an open offer of shop \(event.shop.text) already")
        requireLapse(event.expiresAt, of: event.invitation, fact)
        offers[event.account] = LiveOffer(invitation: event.invitation, role: event.role, expiresAt: event.expiresAt)
        shops.invitations[event.shop] = offers
    }

    mutating func requireLapse(_ moment: Instant, of invitation: InvitationID, _ fact: Fact) {
        requireSoon(moment, within: Limits.invitationValiditySeconds, fact, "invitation \(invitation.text) lapses at \(moment.rfc3339)")
    }

    mutating func check(_ event: InvitationEnded, _ fact: Fact) {
        let isTheirs = fact.actor == event.account || fact.actor == shops.owners[event.shop]
        require(isTheirs, "invitation \(event.invitation.text) was ended by somebody whom it does not concern")
        if shops.transfers[event.shop]?.invitation == event.invitation { return takeShopOffer(event.shop, event.account, fact) }
        takeOffer(event.invitation, StaffPlace(shop: event.shop, account: event.account))
    }

    mutating func check(_ event: StaffJoined, _ fact: Fact) {
        requireOwn(event.account, fact, "\(event.account.text) became staff without their own act")
        require(!employs(event.shop, event.account), "\(event.account.text) works at shop \(event.shop.text) already")
        requireOpenCounter(event.shop)
        let offer = acceptOffer(event.invitation, StaffPlace(shop: event.shop, account: event.account), fact)
        require(offer.map { $0.role == event.role } ?? true, "\(event.account.text) joined in another role than was offered")
        shops.staff[event.shop, default: []].insert(event.account)
        setManager(event.role == .manager, event.account, at: event.shop)
    }

    /// Requires that an open offer, which is no account's, becomes that of somebody who works in no such role.
    mutating func check(_ event: WaitingOfferTaken, _ fact: Fact) {
        requireOwn(event.account, fact, "an offer was taken for \(event.account.text) by \(fact.actor.text)")
        var offers = shops.invitations[event.shop] ?? [:]
        let waiting = offers.first { $0.value.invitation == event.invitation }
        require(waiting != nil, "invitation \(event.invitation.text) was never made, or answered before")
        require(offers[event.account].map { $0.expiresAt <= fact.time } ?? true, "\(event.account.text) had an open offer already")
        guard let (number, offer) = waiting else { return }
        require(people.accounts.place(of: number.value) == nil, "invitation \(event.invitation.text) was that of an account")
        require(fact.time < offer.expiresAt, "invitation \(event.invitation.text) had lapsed")
        let held = role(of: event.account, at: event.shop)
        require(held.map { $0 < offer.role } ?? true, "\(event.account.text) works at shop \(event.shop.text) already")
        (offers[number], offers[event.account]) = (nil, offer)
        shops.invitations[event.shop] = offers
    }

    mutating func check(_ event: StaffLabeled, _ fact: Fact) {
        requireManager(event.shop, fact)
        requireOpenCounter(event.shop)
        let isOwner = event.account == shops.owners[event.shop]
        require(!isOwner || fact.actor == event.account, "the owner of shop \(event.shop.text) was named by somebody else")
        let isStaff = event.label == .clear("") || employs(event.shop, event.account)
        require(isStaff, "\(event.account.text), no staff of shop \(event.shop.text), was named")
    }

    /// Requires that a member accepts a higher role, or that the owner lowers the role.
    mutating func check(_ event: RoleChanged, _ fact: Fact) {
        let held = role(of: event.account, at: event.shop)
        let isStaff = held.map { $0 < .owner } ?? false
        require(isStaff, "the role of \(event.account.text), who is no staff of shop \(event.shop.text), changed")
        if let invitation = event.invitation {
            require(event.account == fact.actor, "\(event.account.text) got a higher role without their own act")
            require(held.map { $0 < event.role } ?? false, "\(event.account.text) accepted a role that is no higher")
            requireOpenCounter(event.shop)
            let offer = acceptOffer(invitation, StaffPlace(shop: event.shop, account: event.account), fact)
            require(offer.map { $0.role == event.role } ?? true, "\(event.account.text) accepted another role than was offered")
        } else {
            requireOwner(event.shop, fact)
            require(held.map { event.role < $0 } ?? false, "the role of \(event.account.text) was raised without an offer")
        }
        setManager(event.role == .manager, event.account, at: event.shop)
    }

    mutating func check(_ event: EmploymentEnded, _ fact: Fact) {
        let isTheirs = fact.actor == event.account || fact.actor == shops.owners[event.shop]
        require(isTheirs, "the work of \(event.account.text) at shop \(event.shop.text) was ended by somebody else")
        takeStaff(event.account, from: event.shop)
        noteEnd(of: event.account, at: event.shop, fact)
    }

    mutating func noteEnd(of account: AccountID, at shop: ShopID, _ fact: Fact) {
        // Codes are valid for at most a day, so an earlier end affects no code.
        let latest = clock.earliest.advanced(bySeconds: -2 * Int64(Limits.codeValiditySeconds.upperBound))
        shops.employmentEnds.removeOld(through: latest, by: \.at)
        shops.employmentEnds[StaffPlace(shop: shop, account: account)] = EmploymentEnd(position: fact.position, at: fact.time)
    }

    mutating func check(_ event: ShopMuted, _ fact: Fact) {
        requireHearer(event.account, event.shop, fact)
        let isNew = people.mutes.insert(StaffPlace(shop: event.shop, account: event.account)).inserted
        require(isNew, "shop \(event.shop.text) was muted by \(event.account.text) already")
    }

    mutating func check(_ event: ShopUnmuted, _ fact: Fact) {
        requireHearer(event.account, event.shop, fact)
        let removed = people.mutes.remove(StaffPlace(shop: event.shop, account: event.account))
        require(removed != nil, "shop \(event.shop.text) was not muted by \(event.account.text)")
    }

    /// Requires that the code was issued before its issuer's employment ended.
    ///
    /// Earlier versions compared times and not positions, so a code with a later time is accepted: the clock was set back in between.
    mutating func requireIssuer(_ code: LiveCode, _ id: CodeID) {
        let end = shops.employmentEnds[StaffPlace(shop: code.shop, account: code.issuer)]
        let isOpen = end.map { $0.position < code.position || $0.at < code.issuedAt } ?? true
        require(isOpen, "code \(id.text) had ended with the work of its issuer")
    }

    private mutating func requireHearer(_ account: AccountID, _ shop: ShopID, _ fact: Fact) {
        requireOwn(account, fact, "a mute of \(account.text) was changed by somebody else")
        require(shops.owners[shop] != nil, "shop \(shop.text) was never opened")
    }

    mutating func takeStaff(_ account: AccountID, from shop: ShopID) {
        let removed = shops.staff[shop]?.remove(account)
        require(removed != nil, "\(account.text) was no staff of shop \(shop.text)")
        setManager(false, account, at: shop)
    }

    private mutating func setManager(_ isManager: Bool, _ account: AccountID, at shop: ShopID) {
        if isManager { shops.managers[shop, default: []].insert(account) } else { shops.managers[shop]?.remove(account) }
    }

    private mutating func acceptOffer(_ invitation: InvitationID, _ place: StaffPlace, _ fact: Fact) -> LiveOffer? {
        let offer = takeOffer(invitation, place)
        require(offer.map { fact.time < $0.expiresAt } ?? true, "invitation \(invitation.text) had lapsed")
        return offer
    }

    /// The offer may have lapsed, because the end of an employment ends such an offer too.
    @discardableResult
    private mutating func takeOffer(_ invitation: InvitationID, _ place: StaffPlace) -> LiveOffer? {
        let offer = shops.invitations[place.shop]?.removeValue(forKey: place.account)
        require(offer?.invitation == invitation, "invitation \(invitation.text) was never made, or answered before")
        return offer
    }
}

extension RuleBook {
    func role(of account: AccountID, at shop: ShopID) -> Role? {
        if shops.owners[shop] == account { return .owner }
        if shops.managers[shop]?.contains(account) == true { return .manager }
        return shops.staff[shop]?.contains(account) == true ? .counter : nil
    }

    /// Whether the account owns or manages the shop.
    func manages(_ shop: ShopID, _ account: AccountID) -> Bool { role(of: account, at: shop).map { $0 >= .manager } ?? false }

    mutating func requireManager(_ shop: ShopID, _ fact: Fact) {
        require(shops.owners[shop] != nil, "shop \(shop.text) was never opened")
        require(shops.owners[shop] == nil || manages(shop, fact.actor), "\(fact.actor.text) neither owns nor manages shop \(shop.text)")
    }

    /// Before roles existed, every member of the staff could destroy every code.
    mutating func requireOwnCode(_ code: LiveCode, _ fact: Fact) {
        guard hasRoles, code.issuer != fact.actor else { return }
        requireManager(code.shop, fact)
    }

    /// Whether only versions that know roles write this event.
    static func namesRole(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .roleChanged, .transferOffered, .transferLapsed, .shopTransferred: true
        case .staffInvited(let event): event.role != .counter
        default: false
        }
    }
}
