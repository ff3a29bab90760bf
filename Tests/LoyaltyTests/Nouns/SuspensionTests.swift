import Loyalty
import Testing

/// At a suspended shop nothing is collected and nothing redeemed; everything keeps its worth until it is reinstated.
@Suite struct SuspensionTests {
    private let suspended = Scenario.redemptionShown.given(Sample.issued(CodeID(31), secret: Secret(7)), Sample.suspended())

    @Test func anOperatorSuspendsAndReinstates() {
        let closed = Scenario.running.when(Sample.suspend(), by: Sample.stranger).then(Sample.suspended())
        closed.when(Sample.suspend(reason: "Still"), by: Sample.stranger).thenNothing()
        let open = closed.when(Sample.reinstate(), by: Sample.stranger).then(Sample.reinstated())
        open.when(Sample.reinstate(), by: Sample.stranger).thenNothing()
        #expect(open.world.shops[Sample.shop]?.isSuspended == false)
    }

    @Test func withAReasonThatFits() {
        Scenario.running.when(Sample.suspend(reason: ""), by: Sample.stranger).thenInvalid("reason")
        suspended.when(Sample.reinstate(reason: "\u{0}"), by: Sample.stranger).thenInvalid("reason")
        Scenario.running.when(Sample.suspend(ShopID(19)), by: Sample.stranger).thenRejected(.notFound)
        Scenario.running.when(Sample.reinstate(), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test func nothingIsCollectedOrRedeemedMeanwhile() {
        suspended.when(Sample.issue(CodeID(32), secret: Secret(8)), by: Sample.owner).thenRejected(.suspended)
        suspended.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenRejected(.suspended)
        suspended.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenRejected(.suspended)
        suspended.when(Sample.redeem(), by: Sample.staff).thenRejected(.suspended)
    }

    /// Whoever has no business there hears what they would hear anyway.
    @Test func nobodyElseLearnsOfIt() {
        suspended.when(Sample.stamp(Secret(404)), by: Sample.customer).thenRejected(.codeNotValid)
        suspended.when(Sample.issue(CodeID(32), secret: Secret(8)), by: Sample.rival).thenRejected(.forbidden)
        suspended.when(Sample.redeem(), by: Sample.rival).thenRejected(.redemptionNotValid)
        suspended.when(Sample.redeem(Secret(404)), by: Sample.staff).thenRejected(.redemptionNotValid)
        suspended.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.stranger).thenRejected(.notFound)
        suspended.when(Sample.issue(CodeID(32), of: Sample.rivalCampaign, secret: Secret(8)), by: Sample.rival).thenAccepted()
    }

    @Test func everythingElseGoesOn() {
        suspended.when(Sample.destroy(CodeID(31)), by: Sample.owner).thenAccepted()
        suspended.when(Sample.discard(), by: Sample.customer).thenAccepted()
        suspended.when(Sample.edit(name: "Honest"), by: Sample.owner).thenAccepted()
        suspended.when(Sample.review(), by: Sample.customer).thenAccepted()
    }

    @Test func afterwardsCodesAndCardsAreAsGoodAsTheirTime() {
        let open = suspended.given(Sample.reinstated())
        open.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenAccepted()
        open.when(Sample.redeem(), by: Sample.staff).then(Sample.redeemed())
    }
}
