import Loyalty
import Testing
import World

/// A code adds its stamps once, in its own campaign, before it expires and while the campaign runs, and never for the shop's own people.
@Suite struct StampTests {
    @Test func theFirstStampOpensACard() {
        Scenario.codeShown.when(Sample.stamp(), by: Sample.customer).then(Sample.opened(), Sample.stamped())
    }

    @Test func theNextGoesOnTheSameCard() {
        Scenario.codeShown.given(Sample.opened(), Sample.stamped(), Sample.issued(CodeID(31), secret: Secret(5), stamps: 3))
            .when(Sample.stamp(Secret(5), firstCard: CardID(999)), by: Sample.customer)
            .then(Sample.stamped(3, with: CodeID(31)))
    }

    @Test func aUsedCodeIsNotValidForItsUserEither() {
        let used = Scenario.codeShown.when(Sample.stamp(), by: Sample.customer).after
        used.when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
        used.when(Sample.stamp(firstCard: CardID(999)), by: Sample.stranger).thenRejected(.codeNotValid)
    }

    @Test func anUnknownCodeIsNotValid() {
        Scenario.codeShown.when(Sample.stamp(Secret(5)), by: Sample.customer).thenRejected(.codeNotValid)
    }

    @Test func aDestroyedCodeIsNotValid() {
        Scenario.codeShown.given(Sample.destroyed()).when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
    }

    @Test func aCodeIsValidUpToButNotAtItsExpiry() {
        let last = Instant(microseconds: Sample.after(600).microseconds - 1)
        Scenario.codeShown.when(Sample.stamp(), by: Sample.customer, at: last).thenAccepted()
        Scenario.codeShown.when(Sample.stamp(), by: Sample.customer, at: Sample.after(600)).thenRejected(.codeNotValid)
    }

    @Test func aCodeIsOfTheCampaignThatIsNamed() {
        Scenario.codeShown.when(Sample.stamp(campaign: Sample.campaign), by: Sample.customer).thenAccepted()
        Scenario.codeShown.when(Sample.stamp(campaign: Sample.rivalCampaign), by: Sample.customer).thenRejected(.codeNotValid)
    }

    @Test func ownerAndStaffDoNotStamp() {
        for actor in [Sample.owner, Sample.staff] {
            Scenario.codeShown.when(Sample.stamp(), by: actor).thenRejected(.ownCampaign)
        }
        Scenario.codeShown.when(Sample.stamp(), by: Sample.rival).thenAccepted()
    }

    @Test func whoIsHiredMeanwhileNoLongerStamps() {
        Scenario.codeShown.given(Sample.opened()).employing(Sample.customer)
            .when(Sample.stamp(), by: Sample.customer).thenRejected(.ownCampaign)
    }

    @Test func onlyWhileTheCampaignRuns() {
        let late = Scenario.running.given(Sample.issued(expiresAt: Sample.afterDays(31)))
        late.when(Sample.stamp(), by: Sample.customer, at: Sample.afterDays(30)).thenRejected(.campaignNotRunning)
        Scenario.codeShown.when(Sample.stamp(), by: Sample.customer, at: Sample.after(-1)).thenRejected(.campaignNotRunning)
    }

    /// The code is valid for ten minutes. The clock was five hours ahead when the code was issued, and was corrected later.
    @Test("A code that was issued while the clock was ahead is valid for at most a minute longer than stated")
    func aCodeFromAClockThatWasAhead() {
        let hours: Int64 = 5 * 3_600
        let ahead = Scenario.running.given([Sample.issued(expiresAt: Sample.after(hours + 600))], at: Sample.after(hours))
        ahead.when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
        ahead.when(Sample.stamp(), by: Sample.customer, at: Sample.after(hours - 61)).thenRejected(.codeNotValid)
        ahead.when(Sample.stamp(), by: Sample.customer, at: Sample.after(hours - 60)).thenAccepted()
        ahead.when(Sample.stamp(), by: Sample.customer, at: Sample.after(hours + 600)).thenRejected(.codeNotValid)
    }

    @Test func aCampaignThatEndedStampsNoMore() {
        Scenario.codeShown.given(Sample.ended()).when(Sample.stamp(), by: Sample.customer).thenRejected(.campaignNotRunning)
    }

    @Test func whatIsWrongWithTheCodeIsSaidFirst() {
        let over = Scenario.codeShown.given(Sample.ended())
        over.when(Sample.stamp(Secret(5)), by: Sample.owner).thenRejected(.codeNotValid)
        over.when(Sample.stamp(), by: Sample.owner).thenRejected(.ownCampaign)
    }

    @Test func theGoalFillsTheCard() {
        let full = Scenario.running.given(Sample.opened(goal: 3), Sample.stamped(2, with: CodeID(1)), Sample.issued())
            .when(Sample.stamp(), by: Sample.customer).then(Sample.stamped(1))
        #expect(full.world.cards[Sample.card]?.status == .full)
        #expect(full.world.cards[Sample.card]?.room == 0)
    }

    @Test func whatGoesBeyondTheGoalGoesOnANewCard() {
        let second = CardID(500)
        Scenario.running.given(Sample.opened(), Sample.stamped(8, with: CodeID(1)), Sample.issued(stamps: 5))
            .when(Sample.stamp(firstCard: second), by: Sample.customer)
            .then(Sample.stamped(2), Sample.opened(second), Sample.stamped(3, on: second))
    }

    @Test func afterAFullCardANewOneOpens() {
        let second = CardID(500)
        Scenario.cardFull.given(Sample.issued(CodeID(31), secret: Secret(5)))
            .when(Sample.stamp(Secret(5), firstCard: second), by: Sample.customer)
            .then(Sample.opened(second), Sample.stamped(on: second, with: CodeID(31)))
    }

    @Test func aDiscardedCardTakesNoStamps() {
        let second = CardID(500)
        Scenario.codeShown.given(Sample.opened(), Sample.stamped(with: CodeID(1)), Sample.discarded())
            .when(Sample.stamp(firstCard: second), by: Sample.customer).then(Sample.opened(second), Sample.stamped(on: second))
    }

    @Test func goalOneAndAWorthOfTenOpenTenCards() throws {
        let scenario = Scenario.registered.given(
            Sample.shopOpened(), Sample.published(goal: 1), Sample.issued(stamps: 10))
        let outcome = scenario.when(Sample.stamp(), by: Sample.customer)
        let expected = (0..<10).flatMap { number -> [LoyaltyEvent] in
            let card = CardID(Sample.card.value + UInt128(number))
            return [Sample.opened(card, goal: 1), Sample.stamped(1, on: card)]
        }
        #expect(outcome.verdict == .success(expected))
        #expect(outcome.after.world.cards.values.allSatisfy { $0.status == .full && $0.stamps == 1 })
        #expect(outcome.after.world.cards.count == 10)
    }

    @Test func aCardKeepsTheGoalAndRewardOfItsOpening() throws {
        let card = try #require(Scenario.codeShown.when(Sample.stamp(), by: Sample.customer).after.world.cards[Sample.card])
        #expect(card.goal == 10)
        #expect(card.reward == "The eleventh")
    }

    @Test func twoCustomersHaveTwoCards() {
        let second = CardID(500)
        Scenario.codeShown.given(Sample.opened(), Sample.stamped(with: CodeID(1)))
            .when(Sample.stamp(firstCard: second), by: Sample.stranger)
            .then(Sample.opened(second, by: Sample.stranger), Sample.stamped(on: second, by: Sample.stranger))
    }

    @Test func aNewCardNeverTakesAnOthersID() {
        let taken = Scenario.codeShown.given(Sample.opened(by: Sample.stranger))
        taken.when(Sample.stamp(), by: Sample.customer).thenRejected(.notFound)
        let several = Scenario.registered.given(
            Sample.shopOpened(), Sample.published(goal: 2), Sample.issued(stamps: 6),
            Sample.opened(CardID(Sample.card.value + 2), by: Sample.stranger))
        several.when(Sample.stamp(), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func theLastIDWrapsRatherThanTraps() {
        let scenario = Scenario.registered.given(Sample.shopOpened(), Sample.published(goal: 1), Sample.issued(stamps: 2))
        scenario.when(Sample.stamp(firstCard: CardID(.max)), by: Sample.customer).then(
            Sample.opened(CardID(.max), goal: 1), Sample.stamped(on: CardID(.max)),
            Sample.opened(CardID(0), goal: 1), Sample.stamped(on: CardID(0)))
    }
}
