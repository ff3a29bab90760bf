import Loyalty
import Testing

@Suite struct RequestRedemptionTests {
    @Test func theHolderOfAFullCardAsks() {
        Scenario.cardFull.when(Sample.request(), by: Sample.customer, at: Sample.after(60))
            .then(Sample.requested(expiresAt: Sample.after(360)))
    }

    @Test func onlyTheHolderAsks() {
        for actor in [Sample.owner, Sample.staff, Sample.stranger] {
            Scenario.cardFull.when(Sample.request(), by: actor).thenRejected(.notFound)
        }
        Scenario.cardFull.when(Sample.request(for: CardID(9)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func whoIsHiredMeanwhileDoesNotRedeem() {
        Scenario.cardFull.employing(Sample.customer).when(Sample.request(), by: Sample.customer).thenRejected(.ownCampaign)
    }

    @Test func onlyAFullCard() {
        let collecting = Scenario.running.given(Sample.opened(), Sample.stamped(9))
        collecting.when(Sample.request(), by: Sample.customer).thenRejected(.cardNotFull)
        Scenario.cardFull.given(Sample.discarded()).when(Sample.request(), by: Sample.customer).thenRejected(.cardNotFull)
        Scenario.redemptionShown.given(Sample.redeemed())
            .when(Sample.request(RedemptionID(51), secret: Secret(5)), by: Sample.customer).thenRejected(.cardNotFull)
    }

    @Test func theSameRequestAgainIsNothing() {
        Scenario.redemptionShown.when(Sample.request(), by: Sample.customer, at: Sample.after(9_999)).thenNothing()
    }

    @Test func anotherCardsRedemptionIDIsNotFound() {
        let second = CardID(500)
        Scenario.cardFull.given(Sample.opened(second), Sample.stamped(10, on: second), Sample.requested(for: second))
            .when(Sample.request(secret: Secret(5)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func aSecretIsNeverGivenTwice() {
        Scenario.redemptionShown.when(Sample.request(RedemptionID(51)), by: Sample.customer).thenRejected(.secretTaken)
    }

    @Test func theDerivationHasABound() {
        Scenario.cardFull.when(Sample.request(attempt: -1), by: Sample.customer).thenInvalid("attempt")
        Scenario.cardFull.when(Sample.request(attempt: 256), by: Sample.customer).thenInvalid("attempt")
    }

    @Test func aFullCardKeepsItsPromiseWhenTheCampaignIsOver() {
        Scenario.cardFull.given(Sample.ended()).when(Sample.request(), by: Sample.customer).thenAccepted()
        Scenario.cardFull.when(Sample.request(), by: Sample.customer, at: Sample.afterDays(900)).thenAccepted()
    }
}
