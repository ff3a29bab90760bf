internal import Loyalty
internal import LoyaltyCodec

/// One account and one shop.
struct StaffPlace: Hashable {
    let shop: ShopID
    let account: AccountID
}

/// An offer that nobody has answered.
struct LiveOffer {
    let invitation: InvitationID
    let expiresAt: Instant
}

/// Staff rules: nobody becomes staff without their own act, and the codes of a member end with the employment.
extension RuleBook {
    mutating func check(_ event: StaffInvited, _ fact: Fact) {
        requireOwner(event.shop, fact)
        requireOpenCounter(event.shop)
        requireOnce(event.invitation.value, .invitation, "invitation \(event.invitation.text) was made before")
        require(!employs(event.shop, event.account), "\(event.account.text) works at shop \(event.shop.text) already")
        let place = StaffPlace(shop: event.shop, account: event.account)
        let isOpen = staffOffers[place].map { fact.time < $0.expiresAt } ?? false
        require(!isOpen, "\(event.account.text) had an open offer of shop \(event.shop.text) already")
        let latest = fact.time.advanced(bySeconds: Limits.invitationValiditySeconds)
        let isInTime = event.expiresAt > fact.time && event.expiresAt <= latest
        require(isInTime, "invitation \(event.invitation.text) lapses at \(event.expiresAt.rfc3339)")
        staffOffers[place] = LiveOffer(invitation: event.invitation, expiresAt: event.expiresAt)
    }

    mutating func check(_ event: InvitationEnded, _ fact: Fact) {
        let isTheirs = fact.actor == event.account || fact.actor == shopOwners[event.shop]
        require(isTheirs, "invitation \(event.invitation.text) was ended by somebody whom it does not concern")
        takeOffer(event.invitation, StaffPlace(shop: event.shop, account: event.account), fact)
    }

    mutating func check(_ event: StaffJoined, _ fact: Fact) {
        requireAccount(event.account)
        require(event.account == fact.actor, "\(event.account.text) became staff without their own act")
        require(!employs(event.shop, event.account), "\(event.account.text) works at shop \(event.shop.text) already")
        requireOpenCounter(event.shop)
        takeOffer(event.invitation, StaffPlace(shop: event.shop, account: event.account), fact)
        shopStaff[event.shop, default: []].insert(event.account)
    }

    mutating func check(_ event: EmploymentEnded, _ fact: Fact) {
        let isTheirs = fact.actor == event.account || fact.actor == shopOwners[event.shop]
        require(isTheirs, "the work of \(event.account.text) at shop \(event.shop.text) was ended by somebody else")
        let removed = shopStaff[event.shop]?.remove(event.account)
        require(removed != nil, "\(event.account.text) was no staff of shop \(event.shop.text)")
        // A code lives for a day, so an end of two days ago concerns none.
        if employmentEnds.count >= 10_000 {
            let old = fact.time.advanced(bySeconds: -2 * Int64(Limits.codeValiditySeconds.upperBound))
            employmentEnds = employmentEnds.filter { $0.value > old }
        }
        employmentEnds[StaffPlace(shop: event.shop, account: event.account)] = fact.time
    }

    mutating func check(_ event: ShopMuted, _ fact: Fact) {
        requireHearer(event.account, event.shop, fact)
        let isNew = mutes.insert(StaffPlace(shop: event.shop, account: event.account)).inserted
        require(isNew, "shop \(event.shop.text) was muted by \(event.account.text) already")
    }

    mutating func check(_ event: ShopUnmuted, _ fact: Fact) {
        requireHearer(event.account, event.shop, fact)
        let removed = mutes.remove(StaffPlace(shop: event.shop, account: event.account))
        require(removed != nil, "shop \(event.shop.text) was not muted by \(event.account.text)")
    }

    /// The issuer of a code still works where they issued it.
    mutating func requireIssuer(_ code: LiveCode, _ id: CodeID) {
        let end = employmentEnds[StaffPlace(shop: code.shop, account: code.issuer)]
        require(end.map { $0 < code.issuedAt } ?? true, "code \(id.text) had ended with the work of its issuer")
    }

    private mutating func requireHearer(_ account: AccountID, _ shop: ShopID, _ fact: Fact) {
        requireAccount(account)
        require(account == fact.actor, "a mute of \(account.text) was changed by somebody else")
        require(shopOwners[shop] != nil, "shop \(shop.text) was never opened")
    }

    private mutating func takeOffer(_ invitation: InvitationID, _ place: StaffPlace, _ fact: Fact) {
        let offer = staffOffers.removeValue(forKey: place)
        require(offer?.invitation == invitation, "invitation \(invitation.text) was never made, or answered before")
        require(offer.map { fact.time < $0.expiresAt } ?? true, "invitation \(invitation.text) had lapsed")
    }
}
