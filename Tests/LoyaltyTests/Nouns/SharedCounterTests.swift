import Loyalty
import Testing
import World

/// Codes, stamps and rewards at the counters of a campaign's shops, also after a shop no longer takes part in the campaign.
@Suite struct SharedCounterTests {
    private func issue(at shop: ShopID? = nil, by actor: AccountID, in scenario: Scenario = Branch.shared) -> Outcome {
        let issue = IssueCode(
            code: Sample.code, campaign: Sample.campaign, secret: Secret(Sample.code.value), attempt: 0, stamps: 1, validFor: 600,
            shop: shop)
        return scenario.when(.issueCode(issue), by: actor)
    }

    private func give(at shop: ShopID, by actor: AccountID, in scenario: Scenario) -> Outcome {
        let issue = IssueCode(
            code: Sample.code, campaign: Sample.campaign, secret: Secret(Sample.code.value), attempt: 0, stamps: 1, validFor: 600,
            shop: shop)
        let give = GiveStamps(issue: issue, holder: Sample.customer, isWaiting: false, firstCard: Sample.card)
        return scenario.when(.giveStamps(give), by: actor)
    }

    private static let atHome = Sample.issued(secret: Secret(Sample.code.value))

    // MARK: Codes of shared campaigns

    @Test("A person who works at one of the campaign's shops issues codes at that shop")
    func place() {
        issue(by: Branch.clerk).then(Branch.issued())
        issue(at: Branch.shop, by: Branch.clerk).then(Branch.issued())
        issue(by: Sample.staff).then(Self.atHome)
        issue(at: Branch.shop, by: Sample.owner).then(Branch.issued())
        issue(at: Sample.shop, by: Sample.owner).then(Self.atHome)
    }

    @Test("A person who works at the campaign's own shop need not name a shop, as before campaigns had other shops")
    func olderClients() {
        issue(by: Sample.owner).then(Self.atHome)
        issue(by: Branch.clerk, in: Branch.shared.employing(Branch.clerk)).then(Self.atHome)
        issue(by: Sample.owner, in: Branch.brand).then(Self.atHome)
        issue(by: Sample.owner, in: Branch.shared.given(Sample.suspended())).thenRejected(.suspended)
    }

    @Test("A person who works at several of the other shops must name one")
    func several() {
        let three = Branch.brand.given(Sample.campaignEdited(options: CampaignOptions(shops: [Branch.shop, Branch.third])))
            .employing(Branch.clerk, at: Branch.third)
        issue(by: Branch.clerk, in: three).thenRejected(.invalid([InvalidField(field: "shop", fault: .severalShops)]))
        issue(at: Branch.shop, by: Branch.clerk, in: three).then(Branch.issued())
        issue(by: Branch.clerk, in: three.given(Sample.suspended(Branch.third))).then(Branch.issued())
    }

    @Test("People of a shop that the campaign does not name can do nothing for the campaign")
    func foreign() {
        let third = Branch.shared.employing(Sample.stranger, at: Branch.third)
        issue(by: Sample.stranger, in: third).thenRejected(.forbidden)
        issue(at: Branch.third, by: Sample.stranger, in: third).thenRejected(.forbidden)
        issue(at: Branch.shop, by: Sample.stranger, in: third).thenRejected(.forbidden)
        issue(at: Branch.third, by: Sample.owner).thenInvalid("shop")
        issue(at: Sample.rivalShop, by: Sample.owner).thenInvalid("shop")
        issue(at: Branch.third, by: Sample.staff).thenInvalid("shop")
        issue(at: Branch.shop, by: Sample.staff).thenRejected(.forbidden)
        issue(at: Sample.shop, by: Branch.clerk).thenRejected(.forbidden)
        issue(by: Sample.rival).thenRejected(.forbidden)
    }

    @Test("All codes of a strip belong to the shop at which their issuer works")
    func aStripIsOfOneShop() {
        let codes = (1...3).map { number in
            IssueCode(
                code: CodeID(UInt128(number)), campaign: Sample.campaign, secret: Secret(UInt128(number)), attempt: 0, stamps: 1,
                validFor: 600)
        }
        Branch.shared.when(.issueStrip(IssueStrip(codes: codes)), by: Branch.clerk)
            .then(Branch.issued(CodeID(1)), Branch.issued(CodeID(2)), Branch.issued(CodeID(3)))
        Branch.shared.when(.issueStrip(IssueStrip(codes: codes)), by: Sample.rival).thenRejected(.forbidden)
        Branch.shared.when(.issueStrip(IssueStrip(codes: codes)), by: Sample.owner)
            .then(
                Sample.issued(CodeID(1), secret: Secret(1)), Sample.issued(CodeID(2), secret: Secret(2)),
                Sample.issued(CodeID(3), secret: Secret(3)))
    }

    // MARK: Stamps of shared campaigns

    private func enter(_ scenario: Scenario, by actor: AccountID = Sample.customer, at now: Instant = Sample.start) -> Outcome {
        scenario.when(Sample.stamp(Secret(Sample.code.value)), by: actor, at: now)
    }

    @Test("A card collects at every shop of its campaign, and belongs to the campaign's own shop")
    func collect() {
        let first = enter(Branch.shared.given(Branch.issued())).then(Branch.opened(), Branch.stamped())
        #expect(first.world.cards[Sample.card]?.shop == Sample.shop)
        let second = first.given(Sample.issued(CodeID(31)))
        second.when(Sample.stamp(), by: Sample.customer).then(Sample.stamped(with: CodeID(31)))
    }

    @Test("Nobody who works at a shop of the campaign is its customer")
    func ownCampaign() {
        enter(Branch.shared.given(Branch.issued()), by: Sample.staff).thenRejected(.ownCampaign)
        enter(Branch.shared.given(Self.atHome), by: Branch.clerk).thenRejected(.ownCampaign)
        enter(Branch.shared.given(Self.atHome).employing(Sample.customer, at: Branch.third)).thenAccepted()
        // The people of a shop that was sold may be customers of the campaign.
        enter(Branch.shared.given(Self.atHome, Branch.sold), by: Branch.clerk).thenAccepted()
        enter(Branch.shared.given(Self.atHome, Sample.suspended(Branch.shop)), by: Branch.clerk).thenRejected(.ownCampaign)
    }

    @Test("Stamps are given at the counter of each shop")
    func give() {
        func give(by actor: AccountID, to holder: AccountID = Sample.customer) -> Outcome {
            let issue = IssueCode(
                code: Sample.code, campaign: Sample.campaign, secret: Secret(Sample.code.value), attempt: 0, stamps: 1, validFor: 600)
            return Branch.shared.when(
                .giveStamps(GiveStamps(issue: issue, holder: holder, isWaiting: false, firstCard: Sample.card)), by: actor)
        }
        give(by: Branch.clerk).then(Branch.issued(), Branch.opened(), Branch.stamped())
        give(by: Branch.clerk, to: Sample.staff).thenRejected(.ownCampaign)
        give(by: Sample.rival).thenRejected(.forbidden)
        give(by: Sample.owner).then(Self.atHome, Sample.opened(), Sample.stamped())
    }

    @Test("Bonus hours are judged in the local time of the shop that issued the code")
    func bonuses() {
        // Sample.start is 06:13 on a Wednesday in Shanghai, and 22:13 on the Tuesday before in London.
        let tuesday = BonusHours(days: Weekdays(rawValue: 1 << 1), fromMinute: 1_320, toMinute: 1_380, factor: 3)
        let options = CampaignOptions(bonuses: [tuesday], shops: [Branch.shop])
        let scenario = Branch.brand.knowing("Europe/London", ZoneOffsets(seconds: 0))
            .given(
                Sample.campaignEdited(options: options), Sample.shopEdited(Branch.shop, schedule: ShopSchedule(timeZone: "Europe/London")))
        enter(scenario.given(Branch.issued())).then(Branch.opened(), Branch.stamped(3, worth: 1))
        enter(scenario.given(Self.atHome)).then(Sample.opened(), Sample.stamped())
    }

    @Test("A code still works after its shop was taken out of the campaign, but the shop issues no more codes")
    func removedShop() {
        let removed = Branch.shared.given(Branch.issued(), Sample.campaignEdited())
        enter(removed).then(Branch.opened(), Branch.stamped())
        enter(removed, by: Branch.clerk).thenRejected(.ownCampaign)
        enter(removed, at: Sample.after(600)).thenRejected(.codeNotValid)
        issue(by: Branch.clerk, in: removed).thenRejected(.forbidden)
        issue(at: Branch.shop, by: Sample.owner, in: removed).thenInvalid("shop")
    }

    // MARK: Shops that no longer take part in the campaign

    @Test("A card's holder is reminded as long as the campaign's own shop hands out rewards, wherever the card was opened")
    func reminders() {
        let end = Sample.afterDays(20)
        let opened = CardOpened(
            card: Sample.card, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop, holder: Sample.customer, goal: 10,
            reward: "One free cup", terms: CardTerms(expiresAt: end, redeemUntil: nil))
        let begun = Branch.shared.given(Branch.issued(), .cardOpened(opened), Branch.stamped())
        let reminded = Sample.reminded(14, before: end)
        begun.given(Branch.closed).when(Sample.age(), by: .system, at: Sample.afterDays(6)).then(reminded)
        begun.given(Branch.sold).when(Sample.age(), by: .system, at: Sample.afterDays(6)).then(reminded)
        let open = Sample.closed(redeemUntil: Sample.afterDays(7), erasesContact: false)
        begun.given(open).when(Sample.age(), by: .system, at: Sample.afterDays(6)).then(reminded)
        let over = Sample.closed(redeemUntil: Sample.afterDays(6), erasesContact: false)
        begun.given(over).when(Sample.age(), by: .system, at: Sample.afterDays(6)).thenNothing()
    }

    @Test("A code of another shop is destroyed when that shop closes, and also when the campaign's own shop closes")
    func closedWithHome() {
        let closed = Sample.closed(redeemUntil: Sample.afterDays(5), erasesContact: false)
        let open = Branch.shared.given(Branch.issued())
        enter(open.given(Branch.closed)).thenRejected(.codeNotValid)
        enter(open.given(closed)).thenRejected(.codeNotValid)
        enter(open.given(Sample.closed(redeemUntil: Sample.afterDays(5)))).thenRejected(.codeNotValid)
        let destroy = Command.destroyCode(DestroyCode(code: Sample.code))
        let destroyAll = Command.destroyCodes(DestroyCodes(shop: Branch.shop, issuer: Sample.owner, codes: [Sample.code]))
        for command in [destroy, destroyAll] {
            open.when(command, by: Sample.owner).thenAccepted()
            open.given(closed).when(command, by: Sample.owner).thenNothing()
        }
    }

    @Test("A shop that was sold issues no more codes of the campaign")
    func soldShop() {
        let sold = Branch.shared.given(Branch.sold)
        issue(by: Branch.clerk, in: sold).thenRejected(.forbidden)
        issue(at: Branch.shop, by: Sample.rival, in: sold).thenRejected(.forbidden)
        issue(at: Branch.shop, by: Sample.owner, in: sold).thenInvalid("shop")
        issue(by: Sample.owner, in: sold).then(Self.atHome)
    }

    @Test("A sold shop takes part again once the campaign's own shop was sold to the same owner")
    func soldTogether() {
        let first = ShopTransferred(
            invitation: InvitationID(91), shop: Sample.shop, account: Sample.rival, formerOwner: Sample.owner)
        let both = Branch.shared.given(Branch.sold, .shopTransferred(first))
        issue(by: Branch.clerk, in: both).thenAccepted()
    }

    @Test("Suspended and closed shops issue no codes of a campaign, while the campaign's own shop still does")
    func inactiveShops() {
        let suspended = Branch.shared.given(Sample.suspended(Branch.shop))
        issue(by: Branch.clerk, in: suspended).thenRejected(.suspended)
        issue(by: Sample.owner, in: suspended).then(Self.atHome)
        let closed = Branch.shared.given(Branch.closed)
        issue(at: Branch.shop, by: Sample.owner, in: closed).thenRejected(.shopClosed)
        give(at: Branch.shop, by: Sample.owner, in: closed).thenRejected(.shopClosed)
        issue(by: Sample.owner, in: closed).then(Self.atHome)
    }

    @Test("If the campaign's own shop is suspended or closed, the campaign's other shops issue and stamp nothing")
    func home() {
        issue(by: Branch.clerk, in: Branch.shared.given(Sample.suspended())).thenRejected(.suspended)
        enter(Branch.shared.given(Branch.issued(), Sample.suspended())).thenRejected(.suspended)
        issue(by: Branch.clerk, in: Branch.shared.given(Sample.ended())).thenRejected(.campaignNotRunning)
        let closed = Branch.shared.given(Sample.closed(redeemUntil: Sample.afterDays(5), erasesContact: false))
        issue(by: Branch.clerk, in: closed).thenRejected(.shopClosed)
        give(at: Branch.shop, by: Branch.clerk, in: closed).thenRejected(.shopClosed)
    }

    // MARK: Rewards of shared campaigns

    private static let shown = Branch.shared.given(Branch.issued(stamps: 10), Branch.opened(), Branch.stamped(10), Sample.requested())

    private func redeem(
        at shop: ShopID? = nil, by actor: AccountID, in scenario: Scenario = shown, after seconds: Int64 = 0
    ) -> Outcome {
        scenario.when(.redeem(Redeem(secret: Sample.redemptionSecret, shop: shop)), by: actor, at: Sample.after(seconds))
    }

    @Test("A card is redeemed at any shop of its campaign, and once")
    func redeem() {
        let after = redeem(by: Branch.clerk).then(Branch.redeemed)
        redeem(by: Sample.staff).then(Sample.redeemed())
        redeem(at: Branch.shop, by: Sample.owner).then(Branch.redeemed)
        redeem(by: Sample.staff, in: after).thenRejected(.redemptionNotValid)
        redeem(by: Sample.owner).then(Sample.redeemed())
    }

    @Test("A shop that takes no part in the campaign, or no longer does, redeems no cards")
    func notTakingPart() {
        redeem(by: Sample.rival).thenRejected(.redemptionNotValid)
        redeem(at: Branch.third, by: Sample.owner).thenInvalid("shop")
        redeem(at: Sample.shop, by: Branch.clerk).thenRejected(.redemptionNotValid)
        redeem(by: Branch.clerk, in: Self.shown.given(Branch.sold)).thenRejected(.redemptionNotValid)
        redeem(by: Branch.clerk, in: Self.shown.given(Sample.suspended(Branch.shop))).thenRejected(.redemptionNotValid)
        redeem(at: Branch.shop, by: Sample.owner, in: Self.shown.given(Branch.closed)).thenRejected(.redemptionNotValid)
        redeem(by: Branch.clerk, in: Self.shown.given(Sample.campaignEdited())).thenRejected(.redemptionNotValid)
        redeem(by: Sample.staff, in: Self.shown.given(Sample.campaignEdited())).then(Sample.redeemed())
    }

    @Test("Another shop redeems cards while the campaign's own shop is suspended, and until the date that its closing named")
    func homeRedeems() {
        redeem(by: Branch.clerk, in: Self.shown.given(Sample.suspended())).then(Branch.redeemed)
        let closed = Self.shown.given(Sample.closed(redeemUntil: Sample.after(60), erasesContact: false))
        redeem(by: Branch.clerk, in: closed, after: 59).then(Branch.redeemed)
        redeem(by: Branch.clerk, in: closed, after: 60).thenRejected(.redemptionNotValid)
    }

    @Test("A holder who was hired by another of the campaign's shops gets no reward")
    func hiredElsewhere() {
        let hired = Self.shown.employing(Sample.customer, at: Branch.shop)
        redeem(by: Sample.staff, in: hired).thenRejected(.redemptionNotValid)
        hired.when(Sample.request(RedemptionID(51)), by: Sample.customer, at: Sample.after(60)).thenRejected(.ownCampaign)
        redeem(by: Sample.staff, in: Self.shown.employing(Sample.customer, at: Branch.third)).then(Sample.redeemed())
    }

    // MARK: Taking stamps and rewards back

    @Test("People of any of the campaign's shops take stamps back, and the event names the shop that gave them")
    func reverse() {
        let stamped = Branch.shared.given(Branch.issued(), Branch.opened(), Branch.stamped())
        let reversed = LoyaltyEvent.stampReversed(
            StampReversed(
                card: Sample.card, code: Sample.code, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop,
                holder: Sample.customer, stamps: 1, reason: "Refunded"))
        stamped.when(Sample.takeBack(), by: Branch.clerk).then(reversed)
        stamped.when(Sample.takeBack(), by: Sample.staff).then(reversed)
        stamped.when(Sample.takeBack(), by: Sample.rival).thenRejected(.notFound)
        stamped.given(Sample.campaignEdited()).when(Sample.takeBack(), by: Branch.clerk).then(reversed)
        let third = stamped.employing(Sample.stranger, at: Branch.third)
        third.when(Sample.takeBack(), by: Sample.stranger).thenRejected(.notFound)
        stamped.given(.employmentEnded(EmploymentEnded(shop: Branch.shop, account: Branch.clerk)))
            .when(Sample.takeBack(), by: Branch.clerk).thenRejected(.notFound)
    }

    @Test("A reward is taken back by people of any of the campaign's shops")
    func rewardTakenBack() {
        let redeemed = Self.shown.given(Branch.redeemed)
        let reversed = LoyaltyEvent.redemptionReversed(
            RedemptionReversed(
                redemption: Sample.redemption, card: Sample.card, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop,
                holder: Sample.customer, reason: "Wrong card"))
        let takeBack = Command.reverseRedemption(ReverseRedemption(redemption: Sample.redemption, reason: "Wrong card"))
        for actor in [Branch.clerk, Sample.staff, Sample.owner] {
            guard case .success(let events) = redeemed.when(takeBack, by: actor).verdict else {
                Issue.record("the reversal was refused")
                continue
            }
            #expect(events == [reversed])
        }
        redeemed.when(takeBack, by: Sample.rival).thenRejected(.notFound)
    }

    @Test("People of the campaign's own shop take back stamps and rewards that another shop gave before it closed")
    func closedSince() {
        let closed = LoyaltyEvent.shopClosed(ShopClosed(shop: Branch.shop, redeemUntil: Sample.after(1), erasesContact: false))
        let stamped = Branch.shared.given(Branch.issued(), Branch.opened(), Branch.stamped(), closed)
        let redeemed = Self.shown.given(Branch.redeemed, closed)
        for (scenario, command) in [(stamped, Sample.takeBack()), (redeemed, Sample.reverse())] {
            scenario.when(command, by: Sample.staff, at: Sample.after(2)).thenAccepted()
            scenario.when(command, by: Sample.owner, at: Sample.after(2)).thenAccepted()
            scenario.when(command, by: Branch.clerk, at: Sample.after(2)).thenRejected(.shopClosed)
            let home = scenario.given(Sample.closed(redeemUntil: Sample.after(1), erasesContact: false))
            home.when(command, by: Sample.staff, at: Sample.after(2)).thenRejected(.shopClosed)
        }
    }

    @Test("A coupon is redeemed at another of the campaign's shops, whose own people cannot claim it")
    func sharedCoupon() {
        let options = CampaignOptions(shops: [Branch.shop])
        let coupon = Branch.brand.given(Sample.published(CampaignID(29), kind: .coupon, options: options))
        let claimed = coupon.when(Sample.claim(of: CampaignID(29)), by: Sample.customer).after
        let shown = claimed.when(Sample.request(), by: Sample.customer).after
        redeem(by: Branch.clerk, in: shown).thenAccepted()
        coupon.when(Sample.claim(of: CampaignID(29)), by: Branch.clerk).thenRejected(.ownCampaign)
    }
}
