import Loyalty

/// Rules about invitations, staff who join and leave, and mutes.
extension Ledger {
    mutating func enterStaff(_ fact: Fact) {
        switch fact.event {
        case .staffInvited(let event):
            must(owners[event.shop] == fact.actor && trades(event.shop), "only the owner of an open shop invites")
            let isRaised = event.role == .manager && !manages(event.account, event.shop)
            must(!works(event.account, at: event.shop) || isRaised, "a person who works at the shop is invited to a higher role only")
            let open = offers.values.contains {
                $0.shop == event.shop && $0.account == event.account && fact.time < $0.expiresAt
            }
            must(!open && offers[event.invitation] == nil, "nobody has two open offers of one shop")
            must(event.expiresAt == fact.time.advanced(bySeconds: 7 * 86_400), "an offer is open for a week")
            // An offer that has lapsed when the shop makes another one stays lapsed, also if the clock is set back later.
            offers = offers.filter { $0.value.shop != event.shop || fact.time < $0.value.expiresAt }
            offers[event.invitation] = event
            invited[event.invitation] = event.account
        case .invitationEnded(let event):
            if let offer = transfers[event.shop], offer.invitation == event.invitation { return end(offer, fact) }
            let offer = offers.removeValue(forKey: event.invitation)
            must(offer != nil, "only an unanswered offer is ended")
            must([offer?.account, owners[event.shop]].contains(fact.actor), "only the invited account and the owner end an offer")
        case .staffJoined(let event):
            let offer = offers.removeValue(forKey: event.invitation)
            must(offer.map { fact.time < $0.expiresAt } == true, "only an open offer is accepted")
            must(offer?.account == fact.actor && offer?.shop == event.shop, "nobody becomes staff without their own act")
            must(offer?.role == event.role, "everybody joins in the role of their offer")
            must(crews[event.shop]?.insert(fact.actor).inserted == true, "nobody joins twice")
            must(trades(event.shop), "nobody joins a suspended or closed shop")
            if event.role == .manager { managers[event.shop, default: []].insert(fact.actor) }
        case .waitingOfferTaken(let event): enter(event, fact)
        case .staffLabeled(let event):
            must(manages(fact.actor, event.shop) && trades(event.shop), "only managers of an open shop name its people")
            must(event.account != owners[event.shop] || event.account == fact.actor, "owners choose their own names")
            must(event.label == "" || works(event.account, at: event.shop), "only people of the shop are named")
        case .roleChanged(let event): enter(event, fact)
        case .transferOffered(let event): enter(event, fact)
        case .transferLapsed(let event): enter(event, fact)
        case .shopTransferred(let event): enter(event, fact)
        case .employmentEnded(let event):
            must([event.account, owners[event.shop]].contains(fact.actor), "only the member and the owner end an employment")
            must(event.account != owners[event.shop], "the owner's work for the shop does not end")
            must(crews[event.shop]?.remove(event.account) != nil, "only staff leave")
            managers[event.shop]?.remove(event.account)
            for (code, slip) in slips where slip.shop == event.shop && slip.issuer == event.account { slips[code]?.lost = true }
        case .shopMuted(let event):
            must(event.account == fact.actor && owners[event.shop] != nil, "an account mutes an existing shop for itself")
            must(mutes.insert(Mute(account: fact.actor, shop: event.shop)).inserted, "a shop is muted once")
        case .shopUnmuted(let event):
            must(mutes.remove(Mute(account: fact.actor, shop: event.shop)) != nil, "only a muted shop is unmuted")
        default: break
        }
    }

    private mutating func end(_ offer: TransferOffered, _ fact: Fact) {
        must(fact.time < offer.expiresAt, "only an open offer is ended")
        must([offer.account, owners[offer.shop]].contains(fact.actor), "only the invited account and the owner end an offer")
        transfers[offer.shop] = nil
    }

    private mutating func enter(_ event: TransferOffered, _ fact: Fact) {
        must(owners[event.shop] == fact.actor && trades(event.shop), "only the owner of an open shop offers it")
        must(event.account != fact.actor, "nobody offers themselves their own shop")
        must(transfers[event.shop] == nil, "an offer of a shop ends, or its lapse is recorded, before the next offer")
        must(event.expiresAt == fact.time.advanced(bySeconds: 7 * 86_400), "an offer is open for a week")
        transfers[event.shop] = event
        invited[event.invitation] = event.account
    }

    private mutating func enter(_ event: TransferLapsed, _ fact: Fact) {
        let offer = transfers.removeValue(forKey: event.shop)
        must(offer?.invitation == event.invitation && offer?.account == event.account, "an unanswered offer of a shop lapses once")
        must(offer?.expiresAt == event.dueAt, "a lapse has the time from which the offer cannot be accepted")
        must(event.dueAt <= fact.time, "no offer lapses before it is due")
        must(fact.actor == .system || fact.actor == owners[event.shop], "the scheduler or the owner records a lapse")
    }

    /// Whether the scheduler records now that the offer of a shop has lapsed.
    func lapses(_ shop: ShopID, at now: Instant) -> Bool { transfers[shop].map { $0.expiresAt <= now } ?? false }

    private mutating func enter(_ event: ShopTransferred, _ fact: Fact) {
        let offer = transfers.removeValue(forKey: event.shop)
        must(offer.map { fact.time < $0.expiresAt } == true && offer?.invitation == event.invitation, "only an open offer is accepted")
        must(offer?.account == fact.actor && event.account == fact.actor, "nobody becomes an owner without their own act")
        must(owners[event.shop] == event.formerOwner && trades(event.shop), "an owner gives an open shop away")
        owners[event.shop] = event.account
        crews[event.shop]?.remove(event.formerOwner)
        crews[event.shop]?.insert(event.account)
        managers[event.shop]?.remove(event.account)
        for (code, slip) in slips where slip.shop == event.shop && slip.issuer == event.formerOwner { slips[code]?.lost = true }
    }

    private mutating func enter(_ event: WaitingOfferTaken, _ fact: Fact) {
        guard let offer = offers[event.invitation] else { return must(false, "only an unanswered offer is taken") }
        must(offer.shop == event.shop && fact.time < offer.expiresAt, "only an open offer is taken")
        must(event.account == fact.actor, "nobody gets an offer without their own act")
        must(!people.contains(offer.account), "the offer of an account stays that account's")
        let others = offers.values.filter { $0.shop == event.shop && $0.account == event.account && fact.time < $0.expiresAt }
        must(others.isEmpty, "nobody has two open offers of one shop")
        let isRaised = offer.role == .manager && !manages(event.account, event.shop)
        must(!works(event.account, at: event.shop) || isRaised, "a person who works at the shop takes a higher role only")
        offers[event.invitation] = StaffInvited(
            invitation: event.invitation, shop: event.shop, account: event.account, expiresAt: offer.expiresAt, role: offer.role)
        invited[event.invitation] = event.account
    }

    private mutating func enter(_ event: RoleChanged, _ fact: Fact) {
        must(works(event.account, at: event.shop) && event.account != owners[event.shop], "only staff change roles")
        if let invitation = event.invitation {
            let offer = offers.removeValue(forKey: invitation)
            must(offer.map { fact.time < $0.expiresAt } == true, "only an open offer is accepted")
            must(offer?.account == fact.actor && offer?.role == event.role, "nobody gets a higher role without accepting the offer")
            must(managers[event.shop, default: []].insert(fact.actor).inserted, "a manager does not become a manager again")
        } else {
            must(owners[event.shop] == fact.actor && event.role == .counter, "only the owner lowers a member's role")
            must(managers[event.shop]?.remove(event.account) != nil, "only a manager gets a lower role")
        }
    }
}
