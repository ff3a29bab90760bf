import Loyalty
import Testing
import World

/// A redemption made by mistake can be reversed once, within a day, at the shop's counter.
@Suite struct ReverseRedemptionTests {
    private let redeemed = Scenario.redemptionShown.given(Sample.redeemed())

    @Test(
        "A reversal by the owner or staff makes the card full again, and the redemption reversed", arguments: [Sample.owner, Sample.staff])
    func theCardIsFullAgain(_ actor: AccountID) throws {
        let reversed = redeemed.when(Sample.reverse(), by: actor, at: Sample.after(60)).then(Sample.reversed())
        let card = try #require(reversed.world.cards[Sample.card])
        #expect(card.status == .full && card.stamps == card.goal)
        #expect(card.history.last?.kind == .reversed)
        let redemption = try #require(reversed.world.redemptions[Sample.redemption])
        #expect(redemption.status(at: Sample.after(60), newest: card.newestRedemption, cardStatus: card.status) == .reversed)
    }

    @Test("The code of a reversed redemption never works again")
    func oldCode() {
        redeemed.given(Sample.reversed()).when(Sample.redeem(), by: Sample.owner, at: Sample.after(9)).thenRejected(.redemptionNotValid)
    }

    @Test("A card whose redemption was reversed can be redeemed anew, and that redemption can be reversed too")
    func redeemedAnew() {
        let again = redeemed.given(Sample.reversed())
            .when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer)
            .then(Sample.requested(RedemptionID(51), secret: Secret(9)))
            .when(Sample.redeem(Secret(9)), by: Sample.staff).then(Sample.redeemed(RedemptionID(51)))
        #expect(again.world.cards[Sample.card]?.status == .redeemed)
        // The first redemption was reversed already. The second redemption can be reversed within a day of its own time.
        again.when(Sample.reverse(), by: Sample.owner).thenRejected(.notReversible)
        again.when(Sample.reverse(RedemptionID(51)), by: Sample.owner).then(Sample.reversed(RedemptionID(51)))
    }

    @Test("A redemption is reversed once")
    func itIsReversedOnce() {
        redeemed.given(Sample.reversed()).when(Sample.reverse(reason: "Again"), by: Sample.staff).thenRejected(.notReversible)
    }

    @Test("A redemption is reversed within a day, and not later")
    func withinADay() {
        let last = Instant(microseconds: Sample.after(86_400).microseconds - 1)
        redeemed.when(Sample.reverse(), by: Sample.owner, at: last).thenAccepted()
        redeemed.when(Sample.reverse(), by: Sample.owner, at: Sample.after(86_400)).thenRejected(.notReversible)
    }

    @Test("A redemption that was only requested is not reversed, and an unknown one is not found")
    func onlyWhatWasRedeemed() {
        Scenario.redemptionShown.when(Sample.reverse(), by: Sample.owner).thenRejected(.notReversible)
        redeemed.when(Sample.reverse(RedemptionID(59)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A redeemed card that its holder discarded is full again after the reversal")
    func aDiscardedCardComesBack() {
        let reversed = redeemed.given(Sample.discarded()).when(Sample.reverse(), by: Sample.owner).then(Sample.reversed())
        #expect(reversed.world.cards[Sample.card]?.status == .full)
        reversed.when(Sample.reverse(), by: Sample.owner).thenRejected(.notReversible)
        reversed.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenAccepted()
        reversed.when(Sample.discard(), by: Sample.customer).then(Sample.discarded())
    }

    @Test("A card that was discarded while full stays discarded")
    func aFullCardStaysAway() {
        Scenario.redemptionShown.given(Sample.discarded()).when(Sample.reverse(), by: Sample.owner).thenRejected(.notReversible)
        redeemed.given(Sample.reversed(), Sample.discarded()).when(Sample.reverse(), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("Only people of the shop reverse a redemption, and none of their own cards")
    func onlyTheShop() {
        redeemed.when(Sample.reverse(), by: Sample.customer).thenRejected(.forbidden)
        for actor in [Sample.rival, Sample.stranger, Sample.ghost] { redeemed.when(Sample.reverse(), by: actor).thenRejected(.notFound) }
        redeemed.employing(Sample.customer).when(Sample.reverse(), by: Sample.customer).thenRejected(.ownCampaign)
        redeemed.employing(Sample.customer).when(Sample.reverse(), by: Sample.owner).thenAccepted()
    }

    @Test(
        "A reversal whose reason is blank, too long or has control characters is rejected",
        arguments: ["", " ", "\u{0}", String(repeating: "x", count: 501)])
    func withAReason(_ reason: String) {
        redeemed.when(Sample.reverse(reason: .clear(reason)), by: Sample.owner).thenInvalid("reason")
    }

    @Test("A suspended shop may reverse a redemption")
    func suspendedShop() {
        redeemed.given(Sample.suspended()).when(Sample.reverse(), by: Sample.owner).then(Sample.reversed())
    }
}
