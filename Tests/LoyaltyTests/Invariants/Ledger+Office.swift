import Loyalty

/// Rules about accounts, sessions, shops, campaigns and reviews.
extension Ledger {
    mutating func enterOffice(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event):
            must(!people.contains(event.account), "an account is registered once")
            must(phones[event.phone] == nil, "a phone has one account")
            phones[event.phone] = event.account
            people.insert(event.account)
        case .shopOpened(let event): enter(event, fact)
        case .campaignPublished(let event):
            publications[event.campaign] = fact.position
            enter(event, fact)
        case .searchSaved, .searchEdited, .searchRemoved, .searchSeen, .searchAlerted: enterSearch(fact)
        case .campaignEnded(let event):
            must(manages(fact.actor, event.shop), "only managers end a campaign")
            must(trades(event.shop) || closing == event.shop, "a shop ends a campaign while it is open, or as it closes")
            must(endedCampaigns.insert(event.campaign).inserted, "a campaign is ended once")
            endings[event.campaign] = fact.time
        case .campaignReopened(let event):
            must(manages(fact.actor, event.shop) && trades(event.shop), "only managers reopen a campaign, of an open shop")
            must(endedCampaigns.remove(event.campaign) != nil, "only an ended campaign is reopened")
            must(
                endings[event.campaign].map { fact.time < $0.advanced(bySeconds: 86_400) } == true,
                "a campaign is reopened within a day of its end")
            must(campaigns[event.campaign].map { fact.time < $0.terms.endsAt } == true, "a campaign past its time is not reopened")
        case .shopEdited(let event):
            must(owners[event.shop] == fact.actor && trades(event.shop), "only the owner edits a shop, and an open one")
        case .campaignEdited(let event): enter(event, fact)
        case .staffAdded, .staffRemoved: must(false, "events of older logs are no longer written")
        case .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .transferOffered, .transferLapsed, .shopTransferred,
            .employmentEnded, .shopMuted, .shopUnmuted, .waitingOfferTaken, .staffLabeled:
            enterStaff(fact)
        case .shopSuspended(let event): must(closed.insert(event.shop).inserted, "a shop is suspended once")
        case .shopReinstated(let event): must(closed.remove(event.shop) != nil, "a suspended shop is reinstated")
        case .shopClosed(let event): enter(event, fact)
        case .reviewPosted(let event): enter(event, fact)
        case .replyPosted(let event):
            must(depths[event.reply] == nil, "a reply is posted once")
            must(depths[event.parent].map { $0 + 1 } == event.depth && event.depth <= 8, "replies nest eight deep at most")
            must(!removed.contains(event.parent), "a removed review or reply is not answered")
            must(!works(fact.actor, at: event.shop) || trades(event.shop), "a suspended or closed shop answers nobody")
            depths[event.reply] = event.depth
            threads[event.reply] = event.shop
            authors[event.reply] = event.author
        case .reviewRemoved(let event):
            must(authors[event.review] == event.author, "a removal names the author of the review or reply")
            must(removed.insert(event.review).inserted, "a review is removed once")
            must(event.byOperator != (event.author == fact.actor), "an author or an operator removes a review")
        case .noticePosted, .noticeScheduled, .noticeWithdrawn, .noticeLapsed, .noticeRead: enterNotice(fact)
        case .favoriteAdded(let event):
            must(event.account == fact.actor && campaigns[event.campaign] != nil, "an account adds existing campaigns to its favourites")
            must(favorites.insert(Favorite(account: event.account, campaign: event.campaign)).inserted, "a favourite is added once")
        case .favoriteRemoved(let event):
            must(favorites.remove(Favorite(account: fact.actor, campaign: event.campaign)) != nil, "only a favourite can be removed")
        default: enterSession(fact)
        }
    }

    private mutating func enter(_ event: ShopOpened, _ fact: Fact) {
        must(owners[event.shop] == nil, "a shop is opened once")
        must(event.owner == fact.actor, "people open shops for themselves")
        owners[event.shop] = event.owner
        crews[event.shop] = [event.owner]
    }

    /// When a shop closes, its campaigns, employments, offers and unused codes end. Its customers can still redeem rewards until the date
    /// in the event.
    private mutating func enter(_ event: ShopClosed, _ fact: Fact) {
        must(owners[event.shop] == fact.actor, "only the owner closes a shop")
        must(closings[event.shop] == nil, "a shop closes once")
        must(event.redeemUntil >= fact.time, "a shop's last day of rewards is not in the past")
        must(event.redeemUntil <= fact.time.advanced(bySeconds: 90 * 86_400), "a closed shop hands out rewards for ninety days at most")
        let running = campaigns.values.filter {
            $0.shop == event.shop && fact.time < $0.terms.endsAt && !endedCampaigns.contains($0.campaign)
        }
        must(running.isEmpty, "campaigns end with their shop")
        must(crews[event.shop] == [fact.actor], "employments end with their shop")
        // Only the offers that are open now must have ended. An offer that was made while the clock was ahead is not open yet. It may
        // remain, because a closed shop accepts no offers.
        let offered =
            offers.values.filter { $0.shop == event.shop }.map(\.expiresAt) + [transfers[event.shop]?.expiresAt].compactMap(\.self)
        let open = offered.filter { Self.isGood(from: $0.advanced(bySeconds: -7 * 86_400), until: $0, at: fact.time) }
        must(open.isEmpty, "offers end with their shop")
        // Codes of a shared campaign are lost with its own shop, also those that other shops have issued.
        for (code, slip) in slips where !slip.spent && (slip.shop == event.shop || campaigns[slip.campaign]?.shop == event.shop) {
            slips[code]?.lost = true
        }
        closings[event.shop] = event.redeemUntil
    }

    private mutating func enter(_ event: CampaignPublished, _ fact: Fact) {
        must(campaigns[event.campaign] == nil, "a campaign is published once")
        must(manages(fact.actor, event.shop) && trades(event.shop), "only managers publish, at an open shop")
        must(event.terms.startsAt < event.terms.endsAt && fact.time < event.terms.endsAt, "a campaign ends after its start and after now")
        must(
            event.kind != .stampCard ? event.terms.goal == 0 : (1...50).contains(event.terms.goal),
            "a goal is 1 to 50, promotions and coupons have none")
        mustShare(event.terms.options.shops, event.shop, by: fact.actor)
        campaigns[event.campaign] = event
    }

    /// Changes the stored campaign as if it had been published with these values.
    private mutating func enter(_ event: CampaignEdited, _ fact: Fact) {
        guard let known = campaigns[event.campaign] else { return must(false, "only a known campaign is edited") }
        must(manages(fact.actor, event.shop) && event.shop == known.shop, "only managers edit a campaign")
        must(trades(event.shop), "a suspended or closed shop edits no campaign")
        must(event.terms.startsAt < event.terms.endsAt, "a campaign ends after its start")
        must(!endedCampaigns.contains(event.campaign) || event.terms.endsAt == known.terms.endsAt, "the end of an ended campaign is fixed")
        must(
            known.kind != .stampCard ? event.terms.goal == 0 : (1...50).contains(event.terms.goal),
            "a goal is 1 to 50, promotions and coupons have none")
        mustShare(event.terms.options.shops, event.shop, by: fact.actor, edited: known.terms.options.shops)
        campaigns[event.campaign] = CampaignPublished(
            campaign: event.campaign, shop: event.shop, kind: known.kind, terms: event.terms)
    }

    private mutating func enter(_ event: ReviewPosted, _ fact: Fact) {
        must(depths[event.review] == nil, "a review is posted once")
        must(event.author == fact.actor && !works(fact.actor, at: event.shop), "nobody reviews their own shop")
        must(event.rating.map { (1...5).contains($0) } ?? (event.text != nil), "a review has a rating of 1 to 5 or a text")
        depths[event.review] = 0
        threads[event.review] = event.shop
        authors[event.review] = event.author
    }

    private mutating func enterNotice(_ fact: Fact) {
        switch fact.event {
        case .noticePosted(let event) where event.dueAt != nil:
            must(notices.insert(event.notice).inserted, "a notice is posted once")
            speakers[event.notice] = Speaker(shop: event.audience.shop, author: event.author)
            end(event.notice, dueAt: event.dueAt, fact)
            must(event.audience.shop.map(trades) ?? true, "a suspended or closed shop posts no notice")
        case .noticeScheduled(let event):
            must(!notices.contains(event.notice) && scheduled[event.notice] == nil, "a notice is scheduled once, before it is posted")
            must(event.audience.shop.map { manages(fact.actor, $0) } ?? true, "only managers speak for a shop")
            must(event.audience.shop.map(trades) ?? true, "a suspended or closed shop schedules no notice")
            must(fact.time < event.publishAt, "a notice is scheduled for a time to come")
            scheduled[event.notice] = event.publishAt
            speakers[event.notice] = Speaker(shop: event.audience.shop, author: event.author)
        case .noticeWithdrawn(let event):
            must(event.author == fact.actor, "authors withdraw their own notices")
            must(scheduled.removeValue(forKey: event.notice).map { fact.time < $0 } == true, "only a notice yet to appear is withdrawn")
        case .noticeLapsed(let event): end(event.notice, dueAt: event.dueAt, fact)
        case .noticePosted(let event):
            must(notices.insert(event.notice).inserted && scheduled[event.notice] == nil, "a notice is posted once")
            speakers[event.notice] = Speaker(shop: event.audience.shop, author: event.author)
            must(event.audience.shop.map { manages(fact.actor, $0) } ?? true, "only managers speak for a shop")
            must(event.audience.shop.map(trades) ?? true, "a suspended or closed shop posts no notice")
        case .noticeRead(let event):
            must(notices.contains(event.notice), "only a posted notice is read")
            let reading = Reading(notice: event.notice, account: event.account)
            must(event.account == fact.actor && readings.insert(reading).inserted, "an account reads a notice once, and only for itself")
        default: break
        }
    }

    private mutating func end(_ notice: NoticeID, dueAt: Instant?, _ fact: Fact) {
        let planned = scheduled.removeValue(forKey: notice)
        must(fact.actor == .system, "time alone makes a scheduled notice appear or lapse")
        must(planned != nil && planned == dueAt, "a notice appears or lapses once, with the time for which it was scheduled")
        must(dueAt.map { $0 <= fact.time } == true, "a notice neither appears nor lapses before it is due")
    }

    private mutating func enterSession(_ fact: Fact) {
        switch fact.event {
        case .sessionStarted(let event):
            must(families[event.session] == nil, "a session is started once")
            must(event.account == fact.actor, "people sign in for themselves")
            families[event.session] = Family(account: event.account, token: event.token, expiresAt: event.expiresAt)
        case .sessionRefreshed(let event):
            must(families[event.session]?.isEnded == false, "an ended session is never refreshed")
            must(families[event.session]?.token != event.token, "a refresh changes the token")
            if let spent = families[event.session]?.token { families[event.session]?.earlier.append(spent) }
            families[event.session]?.token = event.token
            families[event.session]?.expiresAt = event.expiresAt
        case .sessionEnded(let event):
            must(families[event.session]?.isEnded == false, "a session is ended once")
            let holder = families[event.session]?.account
            must(holder == fact.actor || suspended.contains { $0 == holder }, "an account or its suspension ends its sessions")
            families[event.session]?.isEnded = true
        default:
            must(false, "no ledger for \(fact.event)")
        }
    }
}
