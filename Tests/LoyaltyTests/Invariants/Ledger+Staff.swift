import Loyalty

/// Offers, those who accept them and go again, and what accounts do not want to hear.
extension Ledger {
    mutating func enterStaff(_ fact: Fact) {
        switch fact.event {
        case .staffInvited(let event):
            must(owners[event.shop] == fact.actor && !closed.contains(event.shop), "only the owner invites, at an open counter")
            must(!works(event.account, at: event.shop), "nobody is invited to where they work")
            let open = offers.values.contains {
                $0.shop == event.shop && $0.account == event.account && fact.time < $0.expiresAt
            }
            must(!open && offers[event.invitation] == nil, "nobody has two open offers of one shop")
            must(event.expiresAt == fact.time.advanced(bySeconds: 7 * 86_400), "an offer is open for a week")
            offers[event.invitation] = event
            invited[event.invitation] = event.account
        case .invitationEnded(let event):
            let offer = offers.removeValue(forKey: event.invitation)
            must(offer.map { fact.time < $0.expiresAt } == true, "only an open offer is ended")
            must([offer?.account, owners[event.shop]].contains(fact.actor), "only the two sides end an offer")
        case .staffJoined(let event):
            let offer = offers.removeValue(forKey: event.invitation)
            must(offer.map { fact.time < $0.expiresAt } == true, "only an open offer is accepted")
            must(offer?.account == fact.actor && offer?.shop == event.shop, "nobody becomes staff without their own act")
            must(crews[event.shop]?.insert(fact.actor).inserted == true, "nobody joins twice")
        case .employmentEnded(let event):
            must([event.account, owners[event.shop]].contains(fact.actor), "only the two sides end an employment")
            must(event.account != owners[event.shop], "the owner stays")
            must(crews[event.shop]?.remove(event.account) != nil, "only staff leave")
            for (code, slip) in slips where slip.shop == event.shop && slip.issuer == event.account { slips[code]?.lost = true }
        case .shopMuted(let event):
            must(event.account == fact.actor && owners[event.shop] != nil, "people mute shops that there are, for themselves")
            must(mutes.insert(Mute(account: fact.actor, shop: event.shop)).inserted, "a shop is muted once")
        case .shopUnmuted(let event):
            must(mutes.remove(Mute(account: fact.actor, shop: event.shop)) != nil, "what is heard again was muted")
        default: break
        }
    }
}
