import Loyalty

/// Events of the examples, each with the parts that a test does not care about filled in.
extension Sample {
    static func registered(_ account: AccountID) -> LoyaltyEvent {
        .accountRegistered(AccountRegistered(account: account, phone: Secret(account.value), sealedPhone: Sealed([1, 2, 3])))
    }

    static func shopOpened(_ shop: ShopID = shop, by owner: AccountID = owner) -> LoyaltyEvent {
        .shopOpened(
            ShopOpened(shop: shop, owner: owner, name: "绿茶 GreenTea", phone: "+86 21 5555", address: "1 Tea Road", location: place))
    }

    static func published(
        _ campaign: CampaignID = campaign, at shop: ShopID = shop, kind: CampaignKind = .stampCard, goal: Int = 10
    ) -> LoyaltyEvent {
        .campaignPublished(
            CampaignPublished(
                campaign: campaign, shop: shop, kind: kind, title: "Ten cups", details: "", goal: kind == .stampCard ? goal : 0,
                reward: "The eleventh", startsAt: start, endsAt: afterDays(campaignDays)))
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

    static func opened(_ card: CardID = card, by holder: AccountID = customer, goal: Int = 10) -> LoyaltyEvent {
        .cardOpened(CardOpened(card: card, campaign: campaign, shop: shop, holder: holder, goal: goal, reward: "The eleventh"))
    }

    static func stamped(
        _ stamps: Int = 1, on card: CardID = card, with code: CodeID = code, by holder: AccountID = customer
    ) -> LoyaltyEvent {
        .cardStamped(CardStamped(card: card, code: code, campaign: campaign, shop: shop, holder: holder, stamps: stamps))
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

    static func reviewed(_ review: ReviewID = review, rating: Int? = 5, text: Sealed? = nil) -> LoyaltyEvent {
        .reviewPosted(ReviewPosted(review: review, shop: shop, author: customer, rating: rating, text: text))
    }

    static func replied(_ reply: ReviewID, to parent: ReviewID, by author: AccountID, depth: Int) -> LoyaltyEvent {
        .replyPosted(
            ReplyPosted(reply: reply, parent: parent, thread: review, shop: shop, author: author, depth: depth, text: Sealed([7])))
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

    /// A session of its own number.
    static func signedIn(_ account: AccountID = customer, as session: SessionID, expiresAt: Instant = afterDays(30)) -> LoyaltyEvent {
        .sessionStarted(
            SessionStarted(session: session, account: account, token: Secret(session.value), expiresAt: expiresAt))
    }

    static func signedIn(_ account: AccountID = customer, token: UInt128 = 1, expiresAt: Instant = afterDays(30)) -> LoyaltyEvent {
        .sessionStarted(SessionStarted(session: session, account: account, token: Secret(token), expiresAt: expiresAt))
    }
}
