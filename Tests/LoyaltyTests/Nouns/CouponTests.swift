import Loyalty
import Testing
import World

/// Coupons: each account may claim one per campaign. A claimed coupon is a card that is full from the start.
@Suite struct CouponTests {
    private static let (card, next) = (CardID(500), CardID(501))

    /// Both shops are open, and the owner's shop has a coupon campaign.
    private func giving(_ options: CampaignOptions = .none) -> Scenario {
        Scenario.registered.given(
            Sample.shopOpened(), Sample.shopOpened(Sample.rivalShop, by: Sample.rival), Sample.published(kind: .coupon, options: options)
        ).employing(Sample.staff)
    }

    private func claimed(_ card: CardID = card, terms: CardTerms = .none) -> LoyaltyEvent {
        Sample.opened(card, goal: 0, terms: terms)
    }

    // MARK: Terms of coupon campaigns

    @Test("A coupon campaign needs a reward, and drops a goal and caps")
    func needsReward() {
        let begun = Scenario.registered.given(Sample.shopOpened())
        let caps = StampCaps(stampsPerDayMax: 2, minimumGapSeconds: nil)
        begun.when(Sample.publish(kind: .coupon, goal: 10, caps: caps), by: Sample.owner).then(Sample.published(kind: .coupon))
        begun.when(Sample.publish(kind: .coupon, reward: ""), by: Sample.owner).thenInvalid("reward")
    }

    @Test("A coupon campaign may set the dates of its cards, but no options about collecting")
    func terms() {
        let begun = Scenario.registered.given(Sample.shopOpened())
        let dates = CampaignOptions(redeemUntil: Sample.afterDays(40), cardValidDays: 7)
        begun.when(Sample.publish(kind: .coupon, options: dates), by: Sample.owner).then(Sample.published(kind: .coupon, options: dates))
        let collecting = CampaignOptions(
            repeats: 1, welcomeStamps: 1, bonuses: [BonusHours(days: .all, fromMinute: 0, toMinute: 60, factor: 2)])
        begun.when(Sample.publish(kind: .coupon, options: collecting), by: Sample.owner)
            .thenInvalid("repeats", "welcomeStamps", "bonuses")
        let early = CampaignOptions(redeemUntil: Sample.afterDays(29))
        begun.when(Sample.publish(kind: .coupon, options: early), by: Sample.owner).thenInvalid("redeemUntil")
    }

    @Test("An edit of a coupon campaign drops a goal, accepts dates and rejects options about collecting")
    func editedTerms() {
        var dates = CampaignOptionChanges()
        dates.redeemUntil = .set(Sample.afterDays(40))
        giving().when(Sample.edit(Sample.campaign, goal: 3, options: dates), by: Sample.owner)
            .then(Sample.campaignEdited(goal: 0, options: CampaignOptions(redeemUntil: Sample.afterDays(40))))
        var repeats = CampaignOptionChanges()
        repeats.repeats = .set(2)
        giving().when(Sample.edit(Sample.campaign, options: repeats), by: Sample.owner).thenInvalid("repeats")
        let promotion = Sample.edit(Sample.promotion, options: dates)
        Scenario.running.when(promotion, by: Sample.owner).thenInvalid("redeemUntil")
    }

    // MARK: Claiming a coupon

    @Test("A claim opens a card that is full from the start")
    func aClaimOpensAFullCard() throws {
        let after = giving().when(Sample.claim(Self.card), by: Sample.customer).then(claimed())
        let card = try #require(after.world.cards[Self.card])
        #expect(card.status == .full)
        #expect(card.stamps == 0 && card.goal == 0 && card.room == 0)
        #expect(after.world.collectingCard(of: Sample.customer, in: Sample.campaign) == nil)
    }

    @Test("A claimed coupon has the dates that its campaign sets")
    func cardTerms() {
        let until = Sample.afterDays(40)
        let dated = giving(CampaignOptions(redeemUntil: until, cardValidDays: 7))
        let terms = CardTerms(expiresAt: Sample.afterDays(7), redeemUntil: until)
        dated.when(Sample.claim(Self.card), by: Sample.customer).then(claimed(terms: terms))
    }

    @Test("An account claims once for ever, also after it redeemed the coupon or threw it away")
    func once() {
        let first = giving().when(Sample.claim(Self.card), by: Sample.customer).then(claimed())
        first.when(Sample.claim(Self.next), by: Sample.customer).thenRejected(.couponClaimed)
        first.when(Sample.claim(Self.card), by: Sample.customer).thenNothing()
        let away = first.when(.discardCard(DiscardCard(card: Self.card)), by: Sample.customer).after
        away.when(Sample.claim(Self.next), by: Sample.customer).thenRejected(.couponClaimed)
        let redeemed = redeemed(first)
        redeemed.when(Sample.claim(Self.next), by: Sample.customer).thenRejected(.couponClaimed)
        let reopened = redeemed.given(Sample.ended()).when(Sample.reopen(), by: Sample.owner).after
        reopened.when(Sample.claim(Self.next), by: Sample.customer).thenRejected(.couponClaimed)
        // Another account may claim its own coupon, but may not use the id of an existing card.
        first.when(Sample.claim(Self.next), by: Sample.stranger).then(Sample.opened(Self.next, by: Sample.stranger, goal: 0))
        first.when(Sample.claim(Self.card), by: Sample.stranger).thenRejected(.notFound)
    }

    private func redeemed(_ scenario: Scenario) -> Scenario {
        let asked = scenario.when(Sample.request(for: Self.card), by: Sample.customer)
        asked.thenAccepted()
        let redeemed = asked.after.when(Sample.redeem(), by: Sample.owner)
        redeemed.thenAccepted()
        return redeemed.after
    }

    @Test("A coupon is redeemed like a full card, and is full again after a reversal")
    func redeemAndReverse() {
        let first = giving().when(Sample.claim(Self.card), by: Sample.customer).then(claimed())
        let redeemed = redeemed(first)
        #expect(redeemed.world.cards[Self.card]?.status == .redeemed)
        redeemed.when(Sample.request(RedemptionID(51), for: Self.card, secret: Secret(51)), by: Sample.customer)
            .thenRejected(.cardNotFull)
        let reversed = redeemed.when(Sample.reverse(Sample.redemption, reason: "Wrong card"), by: Sample.owner).after
        #expect(reversed.world.cards[Self.card]?.status == .full)
        reversed.when(Sample.claim(Self.next), by: Sample.customer).thenRejected(.couponClaimed)
    }

    @Test("The last day for rewards also applies to coupons")
    func redeemUntil() {
        let until = Sample.afterDays(31)
        let first = giving(CampaignOptions(redeemUntil: until)).when(Sample.claim(Self.card), by: Sample.customer).after
        first.when(Sample.request(for: Self.card), by: Sample.customer, at: until.advanced(bySeconds: -1)).thenAccepted()
        first.when(Sample.request(for: Self.card), by: Sample.customer, at: until).thenRejected(.campaignOver)
    }

    @Test("A coupon is claimed only while its campaign runs")
    func whileRunning() {
        let end = Sample.afterDays(Sample.campaignDays)
        giving().when(Sample.claim(Self.card), by: Sample.customer, at: Sample.after(-1)).thenRejected(.campaignNotRunning)
        giving().when(Sample.claim(Self.card), by: Sample.customer, at: end.advanced(bySeconds: -1)).then(claimed())
        giving().when(Sample.claim(Self.card), by: Sample.customer, at: end).thenRejected(.campaignNotRunning)
        giving().given(Sample.ended()).when(Sample.claim(Self.card), by: Sample.customer).thenRejected(.campaignNotRunning)
    }

    @Test("People who work at the shop cannot claim its coupons")
    func ownPeople() {
        for actor in [Sample.owner, Sample.staff] {
            giving().when(Sample.claim(Self.card), by: actor).thenRejected(.ownCampaign)
        }
        giving().when(Sample.claim(Self.card), by: Sample.rival).thenAccepted()
    }

    @Test("No coupon is claimed at a suspended shop, by a suspended account or by an unknown one")
    func suspensions() {
        let suspended = giving().when(Sample.suspend(Sample.shop), by: Sample.rival).after
        suspended.when(Sample.claim(Self.card), by: Sample.customer).thenRejected(.suspended)
        let barred = giving().when(Sample.suspend(Sample.customer), by: Sample.rival).after
        barred.when(Sample.claim(Self.card), by: Sample.customer).thenRejected(.accountSuspended)
        giving().when(Sample.claim(Self.card), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("A claim in a campaign that has no coupons, or with another card's id, is not found")
    func notACoupon() {
        for campaign in [Sample.campaign, Sample.promotion, CampaignID(999)] {
            Scenario.running.when(Sample.claim(Self.card, of: campaign), by: Sample.customer).thenRejected(.notFound)
        }
        Scenario.running.given(Sample.published(CampaignID(23), kind: .coupon), Sample.opened(Self.card))
            .when(Sample.claim(Self.card, of: CampaignID(23)), by: Sample.customer).thenRejected(.notFound)
    }

    // MARK: Stamps and coupons

    @Test("For a coupon there are no codes, no stamps at the counter and no adjustments")
    func nothingIsCollected() {
        giving().when(Sample.issue(), by: Sample.owner).thenRejected(.campaignNotRunning)
        let issue = IssueCode(
            code: Sample.code, campaign: Sample.campaign, secret: Sample.secret, attempt: 0, stamps: 1, validFor: 1)
        let give = GiveStamps(issue: issue, holder: Sample.customer, isWaiting: false, firstCard: Self.card)
        giving().when(.giveStamps(give), by: Sample.owner).thenRejected(.campaignNotRunning)
        // The program never issues a code for a coupon campaign. But even such a code would give no stamps.
        giving().given(Sample.issued()).when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
        let first = giving().when(Sample.claim(Self.card), by: Sample.customer).after
        for stamps in [-1, 1] { first.when(Sample.adjust(Self.card, by: stamps), by: Sample.owner).thenInvalid("stamps") }
    }
}
