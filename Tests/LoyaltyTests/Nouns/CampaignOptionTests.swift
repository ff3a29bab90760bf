import Loyalty
import Testing
import World

/// Optional terms of a campaign: the number of cards per account, welcome stamps, and a last day for rewards.
@Suite struct CampaignOptionTests {
    private static let (first, second, third) = (CodeID(71), CodeID(72), CodeID(73))
    private static let next = CardID(500)

    /// A running campaign with these options, and codes for the customer.
    private func running(_ options: CampaignOptions, goal: Int = 3) -> Scenario {
        Scenario.running.given(Sample.campaignEdited(goal: goal, options: options))
    }

    private func code(_ code: CodeID, stamps: Int = 1) -> LoyaltyEvent {
        Sample.issued(code, secret: Secret(code.value), stamps: stamps, expiresAt: Sample.after(86_400))
    }

    private func enter(_ code: CodeID, _ scenario: Scenario, opening card: CardID = Sample.card, by actor: AccountID = Sample.customer)
        -> Outcome
    {
        scenario.when(Sample.stamp(Secret(code.value), firstCard: card), by: actor)
    }

    // MARK: Welcome stamps

    @Test("An account's first code of a campaign gives the welcome stamps, and no later code does")
    func firstCode() {
        let begun = running(CampaignOptions(welcomeStamps: 2), goal: 10).given(code(Self.first, stamps: 3), code(Self.second))
        let welcomed = enter(Self.first, begun)
            .then(Sample.opened(), Sample.stamped(5, with: Self.first, worth: 3))
        enter(Self.second, welcomed).then(Sample.stamped(1, with: Self.second))
        // An account that discards its card is not treated as new again.
        enter(Self.second, welcomed.given(Sample.discarded()), opening: Self.next)
            .then(Sample.opened(Self.next), Sample.stamped(1, on: Self.next, with: Self.second))
        enter(Self.second, welcomed, opening: Self.next, by: Sample.stranger)
            .then(
                Sample.opened(Self.next, by: Sample.stranger),
                Sample.stamped(3, on: Self.next, with: Self.second, by: Sample.stranger, worth: 1))
    }

    @Test("Stamps beyond the goal go on a new card, and the last card uses up the code's last stamp")
    func aWelcomeOverTwoCards() {
        let begun = running(CampaignOptions(welcomeStamps: 2)).given(code(Self.first, stamps: 2))
        enter(Self.first, begun).then(
            Sample.opened(goal: 3), Sample.stamped(3, with: Self.first, worth: 1),
            Sample.opened(CardID(Sample.card.value + 1), goal: 3), Sample.stamped(1, on: CardID(Sample.card.value + 1), with: Self.first))
    }

    @Test("A refund of the first code takes back the welcome stamps, and the next code gives them again")
    func refund() {
        let begun = running(CampaignOptions(welcomeStamps: 2), goal: 10).given(code(Self.first), code(Self.second))
        let welcomed = enter(Self.first, begun).after
        let refunded = welcomed.when(Sample.takeBack(Self.first), by: Sample.owner).then(Sample.tookBack(3, with: Self.first))
        #expect(refunded.world.cards[Sample.card]?.stamps == 0)
        // The reversed code was the customer's only one, so the next code is treated as the first one again.
        enter(Self.second, refunded).then(Sample.stamped(3, with: Self.second, worth: 1))
    }

    @Test("Caps count bought stamps, not welcome stamps")
    func aWelcomeCountsForNoCap() {
        let capped = Scenario.running.given(
            Sample.campaignEdited(
                caps: StampCaps(stampsPerDayMax: 2, minimumGapSeconds: nil), options: CampaignOptions(welcomeStamps: 5)),
            code(Self.first), code(Self.second), code(Self.third))
        let two = enter(Self.second, enter(Self.first, capped).after)
        two.then(Sample.stamped(1, with: Self.second))
        enter(Self.third, two.after).thenRejected(.stampedTooOften(retryAfterSeconds: 86_400))
    }

    @Test("The first stamps given at the counter include the welcome stamps")
    func atCounter() {
        let give = GiveStamps(
            issue: IssueCode(
                code: Self.first, campaign: Sample.campaign, secret: Secret(Self.first.value), attempt: 0, stamps: 1, validFor: 1),
            holder: Sample.customer, isWaiting: false, firstCard: Sample.card)
        running(CampaignOptions(welcomeStamps: 2), goal: 10).when(.giveStamps(give), by: Sample.owner).then(
            Sample.issued(Self.first, secret: Secret(Self.first.value), expiresAt: Sample.after(1)), Sample.opened(),
            Sample.stamped(3, with: Self.first, worth: 1))
    }

    // MARK: The limit of cards per account

    @Test("An account whose allowed cards are all full gets no more stamps, and its code stays unused")
    func limitReached() {
        let begun = running(CampaignOptions(repeats: 2)).given(
            code(Self.first, stamps: 3), code(Self.second, stamps: 3), code(Self.third))
        let one = enter(Self.first, begun).after
        let two = enter(Self.second, one, opening: Self.next)
        two.thenAccepted()
        enter(Self.third, two.after, opening: CardID(600)).thenRejected(.cardLimitReached)
        #expect(two.after.world.codes[Self.third]?.isUsed == false, "a refused code is not spent")
        enter(Self.third, two.after, opening: CardID(600), by: Sample.stranger).thenAccepted()
    }

    @Test("Filled cards use up the limit even after they were redeemed or discarded, but not once their stamps are taken back")
    func filledCardsCount() {
        let full = enter(Self.first, running(CampaignOptions(repeats: 1)).given(code(Self.first, stamps: 3), code(Self.second))).after
        enter(Self.second, full, opening: Self.next).thenRejected(.cardLimitReached)
        enter(Self.second, full.given(Sample.discarded()), opening: Self.next).thenRejected(.cardLimitReached)
        let redeemed = full.given(Sample.requested(), Sample.redeemed())
        enter(Self.second, redeemed, opening: Self.next).thenRejected(.cardLimitReached)
        let refunded = full.when(Sample.takeBack(Self.first), by: Sample.owner).after
        enter(Self.second, refunded).then(Sample.stamped(1, with: Self.second))
    }

    @Test("Stamps beyond the last allowed card lapse, and a refund takes back only the stamps given")
    func lastCard() {
        let begun = running(CampaignOptions(repeats: 1)).given(code(Self.first, stamps: 2), code(Self.second, stamps: 5))
        let two = enter(Self.first, begun).after
        let full = enter(Self.second, two, opening: Self.next).then(Sample.stamped(1, with: Self.second, worth: 5))
        #expect(full.world.cards[Sample.card]?.status == .full)
        #expect(full.world.cards[Self.next] == nil)
        full.when(Sample.takeBack(Self.second), by: Sample.owner).then(Sample.tookBack(1, with: Self.second))
    }

    @Test("A collecting card can be filled although an edit has lowered the number of cards per account")
    func lowerLimit() {
        let begun = running(CampaignOptions(repeats: 2)).given(code(Self.first, stamps: 4), code(Self.second, stamps: 2))
        let two = enter(Self.first, begun).after.given(Sample.campaignEdited(goal: 3, options: CampaignOptions(repeats: 1)))
        enter(Self.second, two, opening: Self.next).thenAccepted()
    }

    // MARK: The last day for rewards

    private static let lastDay = Sample.afterDays(Sample.campaignDays + 30)

    @Test("A full card is redeemed until the last day that its campaign named when the card was opened")
    func untilLastDay() {
        let options = CampaignOptions(redeemUntil: Self.lastDay)
        let terms = CardTerms(expiresAt: nil, redeemUntil: Self.lastDay)
        let full = enter(Self.first, running(options).given(code(Self.first, stamps: 3))).then(
            Sample.opened(goal: 3, terms: terms), Sample.stamped(3, with: Self.first))
        let before = Self.lastDay.advanced(bySeconds: -100)
        let shown = full.when(Sample.request(), by: Sample.customer, at: before).then(Sample.requested(expiresAt: Self.lastDay))
        shown.when(Sample.redeem(), by: Sample.owner, at: Self.lastDay.advanced(bySeconds: -1)).then(Sample.redeemed())
        shown.when(Sample.redeem(), by: Sample.owner, at: Self.lastDay).thenRejected(.redemptionNotValid)
        full.when(Sample.request(), by: Sample.customer, at: Self.lastDay).thenRejected(.campaignOver)
        // The card keeps the last day with which it was opened, although the campaign has no last day any more.
        let edited = full.given(Sample.campaignEdited(goal: 3))
        edited.when(Sample.request(), by: Sample.customer, at: Self.lastDay).thenRejected(.campaignOver)
    }

    @Test("A full card without a last day stays redeemable long after its campaign's end")
    func noLastDay() {
        let late = Sample.afterDays(Sample.campaignDays + 3_000)
        Scenario.cardFull.when(Sample.request(), by: Sample.customer, at: late).thenAccepted()
    }

    @Test("A new card expires after the number of days that its campaign sets")
    func validDays() {
        let begun = running(CampaignOptions(cardValidDays: 2)).given(code(Self.first))
        let terms = CardTerms(expiresAt: Sample.afterDays(2), redeemUntil: nil)
        enter(Self.first, begun).then(Sample.opened(goal: 3, terms: terms), Sample.stamped(1, with: Self.first))
    }

    // MARK: Permitted values and edits of options

    @Test("Options outside their limits are rejected, and so are options about stamps for a promotion")
    func limits() {
        let end = Sample.afterDays(Sample.campaignDays)
        func publish(_ options: CampaignOptions, kind: CampaignKind = .stampCard) -> Outcome {
            Scenario.running.when(Sample.publish(CampaignID(29), kind: kind, options: options), by: Sample.owner)
        }
        publish(CampaignOptions(repeats: 100, welcomeStamps: 9, redeemUntil: end, cardValidDays: 1)).thenAccepted()
        for repeats in [0, -1, 101] { publish(CampaignOptions(repeats: repeats)).thenInvalid("repeats") }
        for stamps in [0, -1, 11] {
            publish(CampaignOptions(welcomeStamps: stamps)).thenInvalid(
                stamps > 10 ? ["welcomeStamps", "welcomeStamps"] : ["welcomeStamps"])
        }
        publish(CampaignOptions(welcomeStamps: 10)).thenInvalid("welcomeStamps")
        let early = Instant(microseconds: end.microseconds - 1)
        publish(CampaignOptions(redeemUntil: early)).thenInvalid("redeemUntil")
        publish(CampaignOptions(redeemUntil: end.advanced(bySeconds: 6 * 366 * 86_400))).thenInvalid("redeemUntil")
        for days in [0, 1_828] { publish(CampaignOptions(cardValidDays: days)).thenInvalid("cardValidDays") }
        publish(CampaignOptions(repeats: 1, welcomeStamps: 1), kind: .promotion).thenInvalid("repeats", "welcomeStamps")
    }

    @Test("An edit changes the options that it names and keeps the others, and the result must be consistent")
    func editedOptions() {
        let known = running(CampaignOptions(repeats: 2, welcomeStamps: 1))
        var changes = CampaignOptionChanges()
        changes.repeats = .removed
        changes.redeemUntil = .set(Self.lastDay)
        known.when(Sample.edit(Sample.campaign, options: changes), by: Sample.owner).then(
            Sample.campaignEdited(goal: 3, options: CampaignOptions(welcomeStamps: 1, redeemUntil: Self.lastDay)))
        known.when(Sample.edit(Sample.campaign, options: .none), by: Sample.owner).thenNothing()
        // An edit is rejected if the welcome stamps alone would fill a card, or if the campaign would end after the last day.
        known.when(Sample.edit(Sample.campaign, goal: 1), by: Sample.owner).thenInvalid("welcomeStamps")
        let dated = running(CampaignOptions(redeemUntil: Sample.afterDays(Sample.campaignDays)))
        dated.when(Sample.edit(Sample.campaign, to: Self.lastDay), by: Sample.owner).thenInvalid("redeemUntil")
    }
}
