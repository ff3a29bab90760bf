import Loyalty
import Testing
import World

/// A code adds its stamps once, in its own campaign, before it expires and while the campaign runs, and never for the shop's own people.
@Suite struct StampTests {
    @Test("An account's first stamp opens a card")
    func firstStamp() {
        Scenario.codeShown.when(Sample.stamp(), by: Sample.customer).then(Sample.opened(), Sample.stamped())
    }

    @Test("The next stamps go on the same card")
    func sameCard() {
        Scenario.codeShown.given(Sample.opened(), Sample.stamped(), Sample.issued(CodeID(31), secret: Secret(5), stamps: 3))
            .when(Sample.stamp(Secret(5), firstCard: CardID(999)), by: Sample.customer)
            .then(Sample.stamped(3, with: CodeID(31)))
    }

    @Test("A used code is not valid, neither for its user nor for others")
    func usedCode() {
        let used = Scenario.codeShown.when(Sample.stamp(), by: Sample.customer).after
        used.when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
        used.when(Sample.stamp(firstCard: CardID(999)), by: Sample.stranger).thenRejected(.codeNotValid)
    }

    @Test("An unknown code is not valid")
    func unknownCode() {
        Scenario.codeShown.when(Sample.stamp(Secret(5)), by: Sample.customer).thenRejected(.codeNotValid)
    }

    @Test("A destroyed code is not valid")
    func destroyedCode() {
        Scenario.codeShown.given(Sample.destroyed()).when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
    }

    @Test("A code is valid until just before its expiry")
    func expiry() {
        let last = Instant(microseconds: Sample.after(600).microseconds - 1)
        Scenario.codeShown.when(Sample.stamp(), by: Sample.customer, at: last).thenAccepted()
        Scenario.codeShown.when(Sample.stamp(), by: Sample.customer, at: Sample.after(600)).thenRejected(.codeNotValid)
    }

    @Test("A code is not valid if the command names another campaign")
    func otherCampaign() {
        Scenario.codeShown.when(Sample.stamp(campaign: Sample.campaign), by: Sample.customer).thenAccepted()
        Scenario.codeShown.when(Sample.stamp(campaign: Sample.rivalCampaign), by: Sample.customer).thenRejected(.codeNotValid)
    }

    @Test("The owner and staff cannot collect stamps of their own shop")
    func ownPeople() {
        for actor in [Sample.owner, Sample.staff] {
            Scenario.codeShown.when(Sample.stamp(), by: actor).thenRejected(.ownCampaign)
        }
        Scenario.codeShown.when(Sample.stamp(), by: Sample.rival).thenAccepted()
    }

    @Test("A holder whom the shop has hired since collects no more stamps")
    func hiredHolder() {
        Scenario.codeShown.given(Sample.opened()).employing(Sample.customer)
            .when(Sample.stamp(), by: Sample.customer).thenRejected(.ownCampaign)
    }

    @Test("A code gives no stamps before its campaign's start, nor from its end on")
    func whileRunning() {
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

    @Test("A campaign that was ended early gives no more stamps")
    func endedCampaign() {
        Scenario.codeShown.given(Sample.ended()).when(Sample.stamp(), by: Sample.customer).thenRejected(.campaignNotRunning)
    }

    @Test("An invalid code is named before the actor's own shop, and that before the campaign's end")
    func rejectionOrder() {
        let over = Scenario.codeShown.given(Sample.ended())
        over.when(Sample.stamp(Secret(5)), by: Sample.owner).thenRejected(.codeNotValid)
        over.when(Sample.stamp(), by: Sample.owner).thenRejected(.ownCampaign)
    }

    @Test("The stamp that reaches the goal fills the card")
    func theGoalFillsTheCard() {
        let full = Scenario.running.given(Sample.opened(goal: 3), Sample.stamped(2, with: CodeID(1)), Sample.issued())
            .when(Sample.stamp(), by: Sample.customer).then(Sample.stamped(1))
        #expect(full.world.cards[Sample.card]?.status == .full)
        #expect(full.world.cards[Sample.card]?.room == 0)
    }

    @Test("Stamps beyond the goal go on a new card")
    func beyondGoal() {
        let second = CardID(500)
        Scenario.running.given(Sample.opened(), Sample.stamped(8, with: CodeID(1)), Sample.issued(stamps: 5))
            .when(Sample.stamp(firstCard: second), by: Sample.customer)
            .then(Sample.stamped(2), Sample.opened(second), Sample.stamped(3, on: second))
    }

    @Test("The next stamp after a full card opens a new card")
    func afterFull() {
        let second = CardID(500)
        Scenario.cardFull.given(Sample.issued(CodeID(31), secret: Secret(5)))
            .when(Sample.stamp(Secret(5), firstCard: second), by: Sample.customer)
            .then(Sample.opened(second), Sample.stamped(on: second, with: CodeID(31)))
    }

    @Test("A discarded card gets no more stamps, and the next stamp opens a new card")
    func discardedCard() {
        let second = CardID(500)
        Scenario.codeShown.given(Sample.opened(), Sample.stamped(with: CodeID(1)), Sample.discarded())
            .when(Sample.stamp(firstCard: second), by: Sample.customer).then(Sample.opened(second), Sample.stamped(on: second))
    }

    @Test("A code of ten stamps fills ten cards with a goal of one")
    func tenCards() throws {
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

    @Test("A new card has the goal and the reward of its campaign")
    func cardTerms() throws {
        let card = try #require(Scenario.codeShown.when(Sample.stamp(), by: Sample.customer).after.world.cards[Sample.card])
        #expect(card.goal == 10)
        #expect(card.reward == "The eleventh")
    }

    @Test("Two customers of a campaign have a card each")
    func twoCustomers() {
        let second = CardID(500)
        Scenario.codeShown.given(Sample.opened(), Sample.stamped(with: CodeID(1)))
            .when(Sample.stamp(firstCard: second), by: Sample.stranger)
            .then(Sample.opened(second, by: Sample.stranger), Sample.stamped(on: second, by: Sample.stranger))
    }

    @Test("A stamp that would open a card with an id in use is rejected")
    func takenID() {
        let taken = Scenario.codeShown.given(Sample.opened(by: Sample.stranger))
        taken.when(Sample.stamp(), by: Sample.customer).thenRejected(.notFound)
        let several = Scenario.registered.given(
            Sample.shopOpened(), Sample.published(goal: 2), Sample.issued(stamps: 6),
            Sample.opened(CardID(Sample.card.value + 2), by: Sample.stranger))
        several.when(Sample.stamp(), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("The card id after the largest one is zero")
    func idWrap() {
        let scenario = Scenario.registered.given(Sample.shopOpened(), Sample.published(goal: 1), Sample.issued(stamps: 2))
        scenario.when(Sample.stamp(firstCard: CardID(.max)), by: Sample.customer).then(
            Sample.opened(CardID(.max), goal: 1), Sample.stamped(on: CardID(.max)),
            Sample.opened(CardID(0), goal: 1), Sample.stamped(on: CardID(0)))
    }
}
