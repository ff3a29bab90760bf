import Loyalty

/// Sample commands, each of which is accepted in the scenario that it is made for.
extension Sample {
    static func open(
        _ shop: ShopID = shop, name: String = "绿茶 GreenTea", phone: String = "+86 21 5555", address: String = "1 Tea Road",
        location: Coordinate = place, images: [ImageID] = [], schedule: ShopSchedule = ShopSchedule()
    ) -> Command {
        .openShop(
            OpenShop(
                shop: shop, name: name, phone: phone, address: address, location: location, images: images, schedule: schedule))
    }

    static func publish(
        _ campaign: CampaignID = campaign, at shop: ShopID = shop, kind: CampaignKind = .stampCard, title: String = "Ten cups",
        details: String = "", goal: Int = 10, reward: String = "The eleventh", from startsAt: Instant = start,
        to endsAt: Instant = afterDays(campaignDays), image: ImageID? = nil, caps: StampCaps = .none,
        options: CampaignOptions = .none
    ) -> Command {
        .publishCampaign(
            PublishCampaign(
                campaign: campaign, shop: shop, kind: kind,
                terms: CampaignTerms(
                    title: title, details: details, goal: goal, reward: reward, startsAt: startsAt, endsAt: endsAt, image: image,
                    caps: caps,
                    options: options)))
    }

    static func end(_ campaign: CampaignID = campaign) -> Command {
        .endCampaign(EndCampaign(campaign: campaign))
    }

    static func reopen(_ campaign: CampaignID = campaign) -> Command {
        .reopenCampaign(ReopenCampaign(campaign: campaign))
    }

    static func close(_ shop: ShopID = shop, redeemUntil: Instant = afterDays(30), reason: TypedText? = nil) -> Command {
        .closeShop(CloseShop(shop: shop, redeemUntil: redeemUntil, reason: reason))
    }

    static func takeBack(_ code: CodeID = code, _ stamps: Int? = nil, reason: TypedText = "Refunded") -> Command {
        .reverseStamp(ReverseStamp(code: code, stamps: stamps, reason: reason))
    }

    static func issue(
        _ code: CodeID = code, of campaign: CampaignID = campaign, secret: Secret = secret, attempt: Int = 0, stamps: Int = 1,
        validFor: Int = 600
    ) -> Command {
        .issueCode(
            IssueCode(code: code, campaign: campaign, secret: secret, attempt: attempt, stamps: stamps, validFor: validFor))
    }

    static func destroy(_ code: CodeID = code) -> Command {
        .destroyCode(DestroyCode(code: code))
    }

    static func claim(_ card: CardID = card, of campaign: CampaignID = campaign) -> Command {
        .claimCoupon(ClaimCoupon(campaign: campaign, card: card))
    }

    static func stamp(_ secret: Secret = secret, campaign: CampaignID? = nil, firstCard: CardID = card) -> Command {
        .stamp(Stamp(secret: secret, campaign: campaign, firstCard: firstCard))
    }

    static func discard(_ card: CardID = card) -> Command {
        .discardCard(DiscardCard(card: card))
    }

    static func request(
        _ redemption: RedemptionID = redemption, for card: CardID = card, secret: Secret = redemptionSecret, attempt: Int = 0
    ) -> Command {
        .requestRedemption(RequestRedemption(redemption: redemption, card: card, secret: secret, attempt: attempt))
    }

    static func requestMilestone(
        _ milestone: Int, _ redemption: RedemptionID = redemption, _ secret: Secret = redemptionSecret, for card: CardID = card
    ) -> Command {
        .requestRedemption(RequestRedemption(redemption: redemption, card: card, milestone: milestone, secret: secret, attempt: 0))
    }

    static func redeem(_ secret: Secret = redemptionSecret) -> Command {
        .redeem(Redeem(secret: secret))
    }

    static func review(_ review: ReviewID = review, rating: Int? = 5, text: Sealed? = nil, of shop: ShopID = shop) -> Command {
        .postReview(PostReview(review: review, shop: shop, rating: rating, text: text))
    }

    static func reply(_ reply: ReviewID, to parent: ReviewID = review, text: Sealed = Sealed([7])) -> Command {
        .postReply(PostReply(reply: reply, parent: parent, text: text))
    }

    static func remove(_ review: ReviewID = review, asOperator: Bool = false) -> Command {
        .removeReview(RemoveReview(review: review, asOperator: asOperator))
    }

    static func notify(
        _ notice: NoticeID = notice, to audience: NoticeAudience = .shop(shop), title: Int = 40, text: Int = 60,
        at publishAt: Instant? = nil
    ) -> Command {
        .postNotice(
            PostNotice(
                notice: notice, audience: audience, title: Sealed(Array(repeating: 5, count: title)),
                text: Sealed(Array(repeating: 6, count: text)), publishAt: publishAt))
    }

    static func withdrawNotice(_ notice: NoticeID = notice) -> Command {
        .withdrawNotice(WithdrawNotice(notice: notice))
    }

    static func publishNotice(_ notice: NoticeID = notice) -> Command {
        .publishNotice(PublishNotice(notice: notice))
    }

    static func read(_ notice: NoticeID = notice) -> Command {
        .readNotice(ReadNotice(notice: notice))
    }

    static func tell(_ bytes: Int = 40) -> Command {
        .giveFeedback(GiveFeedback(text: Sealed(Array(repeating: 4, count: bytes))))
    }

    static func takeDown(_ image: ImageID = ImageID(9), asOperator: Bool = false) -> Command {
        .takeDownImage(TakeDownImage(image: image, asOperator: asOperator))
    }

    static func favor(_ campaign: CampaignID = campaign) -> Command {
        .addFavorite(AddFavorite(campaign: campaign))
    }

    static func unfavor(_ campaign: CampaignID = campaign) -> Command {
        .removeFavorite(RemoveFavorite(campaign: campaign))
    }

    /// A sign-in; the default for `phone` is the number in the event `registered`.
    static func signIn(
        _ session: SessionID = session, expiresAt: Instant = afterDays(30), phone: Sealed = Sealed([1, 2, 3]), password: UInt64? = nil
    ) -> Command {
        .startSession(StartSession(session: session, token: Secret(1), expiresAt: expiresAt, phone: phone, password: password))
    }

    static func refresh(_ presented: UInt128, to next: UInt128, expiresAt: Instant = afterDays(31)) -> Command {
        .refreshSession(
            RefreshSession(session: session, presented: Secret(presented), next: Secret(next), expiresAt: expiresAt))
    }

    static func signOut(_ session: SessionID = session) -> Command {
        .endSession(EndSession(session: session))
    }

    static func editProfile(
        _ change: ProfileChange = ProfileChange(nickname: .set(Sealed([9]))), expected: ExpectedVersion = .any
    ) -> Command {
        .editProfile(EditProfile(change: change, expected: expected))
    }

    static func setPassword(_ hash: UInt8 = 5, replacing: UInt64? = nil, keeping: SessionID? = nil) -> Command {
        .setPassword(SetPassword(sealedHash: Sealed([hash]), replacing: replacing, keeping: keeping))
    }

    static func register(_ account: AccountID, phone: UInt128, sealed: Int = 40) -> Command {
        .registerAccount(
            RegisterAccount(account: account, phone: Secret(phone), sealedPhone: Sealed(Array(repeating: 7, count: sealed))))
    }
}
