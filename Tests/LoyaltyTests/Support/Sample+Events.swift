import Loyalty

/// Sample events, with default values for fields that a test does not care about.
extension Sample {
    static func registered(_ account: AccountID) -> LoyaltyEvent {
        .accountRegistered(AccountRegistered(account: account, phone: Secret(account.value), sealedPhone: Sealed([1, 2, 3])))
    }

    static func shopOpened(
        _ shop: ShopID = shop, by owner: AccountID = owner, schedule: ShopSchedule = ShopSchedule()
    ) -> LoyaltyEvent {
        let contact = ShopContact(name: "绿茶 GreenTea", phone: "+86 21 5555", address: "1 Tea Road", location: place)
        return .shopOpened(ShopOpened(shop: shop, owner: owner, contact: .clear(contact), schedule: schedule))
    }

    static func published(
        _ campaign: CampaignID = campaign, at shop: ShopID = shop, kind: CampaignKind = .stampCard, goal: Int = 10,
        options: CampaignOptions = .none
    ) -> LoyaltyEvent {
        .campaignPublished(
            CampaignPublished(
                campaign: campaign, shop: shop, kind: kind,
                terms: CampaignTerms(
                    title: "Ten cups", details: "", goal: kind == .stampCard ? goal : 0, reward: "The eleventh", startsAt: start,
                    endsAt: afterDays(campaignDays), options: options)))
    }

    static func ended(_ campaign: CampaignID = campaign) -> LoyaltyEvent {
        .campaignEnded(CampaignEnded(campaign: campaign, shop: shop))
    }

    static func issued(
        _ code: CodeID = code, of campaign: CampaignID = campaign, at shop: ShopID = shop, secret: Secret = secret, stamps: Int = 1,
        expiresAt: Instant = after(600)
    ) -> LoyaltyEvent {
        .codeIssued(
            CodeIssued(
                code: code, campaign: campaign, shop: shop, secret: secret, attempt: 0, stamps: stamps, expiresAt: expiresAt))
    }

    static func destroyed(_ code: CodeID = code) -> LoyaltyEvent {
        .codeDestroyed(CodeDestroyed(code: code, campaign: campaign, shop: shop))
    }

    static func opened(_ card: CardID = card, by holder: AccountID = customer, goal: Int = 10, terms: CardTerms = .none) -> LoyaltyEvent {
        .cardOpened(
            CardOpened(
                card: card, campaign: campaign, shop: shop, holder: holder, goal: goal, reward: "The eleventh", terms: terms))
    }

    static func stamped(
        _ stamps: Int = 1, on card: CardID = card, with code: CodeID = code, by holder: AccountID = customer, worth: Int? = nil
    ) -> LoyaltyEvent {
        .cardStamped(
            CardStamped(card: card, code: code, campaign: campaign, shop: shop, holder: holder, stamps: stamps, worth: worth))
    }

    static func discarded(_ card: CardID = card) -> LoyaltyEvent {
        .cardDiscarded(CardDiscarded(card: card, campaign: campaign, shop: shop, holder: customer))
    }

    static func requested(
        _ redemption: RedemptionID = redemption, for card: CardID = card, secret: Secret = redemptionSecret,
        expiresAt: Instant = after(300)
    ) -> LoyaltyEvent {
        .redemptionRequested(
            RedemptionRequested(
                redemption: redemption, card: card, campaign: campaign, shop: shop, holder: customer, secret: secret, attempt: 0,
                expiresAt: expiresAt))
    }

    static func redeemed(_ redemption: RedemptionID = redemption) -> LoyaltyEvent {
        .cardRedeemed(CardRedeemed(redemption: redemption, card: card, campaign: campaign, shop: shop, holder: customer))
    }

    static func milestoneRequested(
        _ milestone: Int, _ redemption: RedemptionID = redemption, secret: Secret = redemptionSecret, expiresAt: Instant = after(300)
    ) -> LoyaltyEvent {
        .milestoneRequested(
            MilestoneRequested(
                redemption: redemption, card: card, campaign: campaign, shop: shop, holder: customer, secret: secret,
                milestone: milestone, attempt: 0, expiresAt: expiresAt))
    }

    static func milestoneRedeemed(_ milestone: Int, _ redemption: RedemptionID = redemption) -> LoyaltyEvent {
        .milestoneRedeemed(
            MilestoneRedeemed(
                redemption: redemption, card: card, campaign: campaign, shop: shop, holder: customer, milestone: milestone))
    }

    static func milestoneReversed(
        _ milestone: Int, _ redemption: RedemptionID = redemption, reason: TypedText = "Wrong card"
    ) -> LoyaltyEvent {
        .milestoneReversed(
            MilestoneReversed(
                redemption: redemption, card: card, campaign: campaign, shop: shop, holder: customer, milestone: milestone,
                reason: reason))
    }

    static func reviewed(_ review: ReviewID = review, rating: Int? = 5, text: Sealed? = nil) -> LoyaltyEvent {
        .reviewPosted(ReviewPosted(review: review, shop: shop, author: customer, rating: rating, text: text))
    }

    static func replied(_ reply: ReviewID, to parent: ReviewID, by author: AccountID, depth: Int) -> LoyaltyEvent {
        .replyPosted(
            ReplyPosted(reply: reply, parent: parent, thread: review, shop: shop, author: author, depth: depth, text: Sealed([7])))
    }

    static func removed(
        _ review: ReviewID = review, by author: AccountID = customer, byOperator: Bool = false
    ) -> LoyaltyEvent {
        .reviewRemoved(
            ReviewRemoved(review: review, thread: Sample.review, shop: shop, author: author, byOperator: byOperator))
    }

    static func notified(
        _ notice: NoticeID = notice, to audience: NoticeAudience = .shop(shop), by author: AccountID = owner, dueAt: Instant? = nil
    ) -> LoyaltyEvent {
        .noticePosted(
            NoticePosted(
                notice: notice, audience: audience, author: author, title: Sealed(Array(repeating: 5, count: 40)),
                text: Sealed(Array(repeating: 6, count: 60)), dueAt: dueAt))
    }

    static func scheduled(
        _ notice: NoticeID = notice, to audience: NoticeAudience = .shop(shop), by author: AccountID = owner, for publishAt: Instant
    ) -> LoyaltyEvent {
        .noticeScheduled(
            NoticeScheduled(
                notice: notice, audience: audience, author: author, title: Sealed(Array(repeating: 5, count: 40)),
                text: Sealed(Array(repeating: 6, count: 60)), publishAt: publishAt))
    }

    static func withdrawn(_ notice: NoticeID = notice, by author: AccountID = owner) -> LoyaltyEvent {
        .noticeWithdrawn(NoticeWithdrawn(notice: notice, author: author))
    }

    static func lapsed(_ notice: NoticeID = notice, by author: AccountID = owner, dueAt: Instant) -> LoyaltyEvent {
        .noticeLapsed(NoticeLapsed(notice: notice, author: author, dueAt: dueAt))
    }

    static func noticeRead(_ notice: NoticeID = notice, by account: AccountID = customer) -> LoyaltyEvent {
        .noticeRead(NoticeRead(notice: notice, account: account))
    }

    static func favored(_ campaign: CampaignID = campaign, by account: AccountID = customer) -> LoyaltyEvent {
        .favoriteAdded(FavoriteAdded(account: account, campaign: campaign))
    }

    static func unfavored(_ campaign: CampaignID = campaign, by account: AccountID = customer) -> LoyaltyEvent {
        .favoriteRemoved(FavoriteRemoved(account: account, campaign: campaign))
    }

    static func edited(_ account: AccountID = customer, _ change: ProfileChange) -> LoyaltyEvent {
        .profileEdited(ProfileEdited(account: account, change: change))
    }

    static func passwordSet(_ account: AccountID = customer, _ hash: UInt8 = 5) -> LoyaltyEvent {
        .passwordSet(PasswordSet(account: account, sealedHash: Sealed([hash])))
    }

    static func erased(_ account: AccountID = customer) -> LoyaltyEvent {
        .accountErased(AccountErased(account: account))
    }

    static func signedOut(_ session: SessionID = session, of account: AccountID = customer) -> LoyaltyEvent {
        .sessionEnded(SessionEnded(session: session, account: account, ending: .signedOut))
    }

    /// A sign-in with a separate token for each session.
    static func signedIn(_ account: AccountID = customer, as session: SessionID, expiresAt: Instant = afterDays(30)) -> LoyaltyEvent {
        .sessionStarted(
            SessionStarted(session: session, account: account, token: Secret(session.value), expiresAt: expiresAt))
    }

    static func signedIn(_ account: AccountID = customer, token: UInt128 = 1, expiresAt: Instant = afterDays(30)) -> LoyaltyEvent {
        .sessionStarted(SessionStarted(session: session, account: account, token: Secret(token), expiresAt: expiresAt))
    }

    static func hired(_ account: AccountID = staff, at shop: ShopID = shop) -> LoyaltyEvent {
        .staffAdded(StaffAdded(shop: shop, account: account))
    }

    static func dismissed(_ account: AccountID = staff, from shop: ShopID = shop) -> LoyaltyEvent {
        .staffRemoved(StaffRemoved(shop: shop, account: account))
    }

    static func invited(
        _ account: AccountID = customer, to shop: ShopID = shop, as invitation: InvitationID = invitation,
        until end: Instant = afterDays(7), role: Role = .counter
    ) -> LoyaltyEvent {
        .staffInvited(StaffInvited(invitation: invitation, shop: shop, account: account, expiresAt: end, role: role))
    }

    static func unInvited(_ account: AccountID = customer, as invitation: InvitationID = invitation) -> LoyaltyEvent {
        .invitationEnded(InvitationEnded(invitation: invitation, shop: shop, account: account))
    }

    static func joined(
        _ account: AccountID = customer, as invitation: InvitationID = invitation, role: Role = .counter
    ) -> LoyaltyEvent {
        .staffJoined(StaffJoined(invitation: invitation, shop: shop, account: account, role: role))
    }

    /// A change of a role. With an invitation, the change is the result of an accepted offer.
    static func became(_ role: Role, _ account: AccountID = staff, by invitation: InvitationID? = nil) -> LoyaltyEvent {
        .roleChanged(RoleChanged(shop: shop, account: account, invitation: invitation, role: role))
    }

    static func transferOffered(
        to account: AccountID = customer, as invitation: InvitationID = invitation, until end: Instant = afterDays(7)
    ) -> LoyaltyEvent {
        .transferOffered(TransferOffered(invitation: invitation, shop: shop, account: account, expiresAt: end))
    }

    static func transferLapsed(
        of account: AccountID = customer, as invitation: InvitationID = invitation, dueAt: Instant = afterDays(7)
    ) -> LoyaltyEvent {
        .transferLapsed(TransferLapsed(invitation: invitation, shop: shop, account: account, dueAt: dueAt))
    }

    static func transferred(
        to account: AccountID = customer, from former: AccountID = owner, as invitation: InvitationID = invitation
    ) -> LoyaltyEvent {
        .shopTransferred(ShopTransferred(invitation: invitation, shop: shop, account: account, formerOwner: former))
    }

    static func left(_ account: AccountID = staff) -> LoyaltyEvent {
        .employmentEnded(EmploymentEnded(shop: shop, account: account))
    }

    static func muted(_ shop: ShopID = shop, by account: AccountID = customer) -> LoyaltyEvent {
        .shopMuted(ShopMuted(shop: shop, account: account))
    }

    static func unmuted(_ shop: ShopID = shop, by account: AccountID = customer) -> LoyaltyEvent {
        .shopUnmuted(ShopUnmuted(shop: shop, account: account))
    }

    static func suspended(_ shop: ShopID = shop) -> LoyaltyEvent {
        .shopSuspended(ShopSuspended(shop: shop, reason: "Sells stamps"))
    }

    static func reinstated(_ shop: ShopID = shop) -> LoyaltyEvent {
        .shopReinstated(ShopReinstated(shop: shop, reason: ""))
    }

    static func closed(_ shop: ShopID = shop, redeemUntil: Instant, erasesContact: Bool = true) -> LoyaltyEvent {
        .shopClosed(ShopClosed(shop: shop, redeemUntil: redeemUntil, erasesContact: erasesContact))
    }

    static func shopEdited(
        _ shop: ShopID = shop, name: String = "绿茶 GreenTea", images: [ImageID] = [], schedule: ShopSchedule = ShopSchedule(),
        look: ShopLook = .plain
    ) -> LoyaltyEvent {
        let contact = ShopContact(name: name, phone: "+86 21 5555", address: "1 Tea Road", location: place)
        return .shopEdited(ShopEdited(shop: shop, contact: .clear(contact), images: images, schedule: schedule, look: look))
    }

    static func campaignEdited(
        _ campaign: CampaignID = campaign, title: String = "Ten cups", details: String = "", goal: Int = 10,
        reward: String = "The eleventh", from startsAt: Instant = start, to endsAt: Instant = afterDays(campaignDays),
        image: ImageID? = nil, caps: StampCaps = .none, options: CampaignOptions = .none
    ) -> LoyaltyEvent {
        .campaignEdited(
            CampaignEdited(
                campaign: campaign, shop: shop,
                terms: CampaignTerms(
                    title: .clear(title), details: .clear(details), goal: goal, reward: .clear(reward), startsAt: startsAt, endsAt: endsAt,
                    image: image, caps: caps, options: options)))
    }

    static func expired(_ card: CardID = card, at dueAt: Instant) -> LoyaltyEvent {
        .cardExpired(CardExpired(card: card, campaign: campaign, shop: shop, holder: customer, dueAt: dueAt))
    }

    static func reminded(
        _ days: Int, of card: CardID = card, before end: Instant, notice: NoticeID = notice
    ) -> LoyaltyEvent {
        .cardReminded(
            CardReminded(
                card: card, campaign: campaign, shop: shop, holder: customer, notice: notice, daysLeft: days,
                dueAt: end.advanced(bySeconds: -Int64(days) * 86_400)))
    }

    static func adjusted(_ stamps: Int, on card: CardID = card) -> LoyaltyEvent {
        .cardAdjusted(
            CardAdjusted(card: card, campaign: campaign, shop: shop, holder: customer, stamps: stamps, reason: "Miscounted"))
    }

    static func tookBack(
        _ stamps: Int = 1, from card: CardID = card, with code: CodeID = code, leaving left: Int = 0
    ) -> LoyaltyEvent {
        .stampReversed(
            StampReversed(
                card: card, code: code, campaign: campaign, shop: shop, holder: customer, stamps: stamps, reason: "Refunded", left: left))
    }

    static func reopened(_ campaign: CampaignID = campaign) -> LoyaltyEvent {
        .campaignReopened(CampaignReopened(campaign: campaign, shop: shop, endsAt: afterDays(campaignDays)))
    }

    static func reversed(_ redemption: RedemptionID = redemption) -> LoyaltyEvent {
        .redemptionReversed(
            RedemptionReversed(
                redemption: redemption, card: card, campaign: campaign, shop: shop, holder: customer, reason: "Wrong card"))
    }
}
