import Loyalty
import Testing
import World

/// A suspended shop only hands out rewards, and takes rewards and stamps back. Cards keep their stamps until the shop is reinstated.
@Suite struct SuspensionTests {
    private let suspended = Scenario.redemptionShown.given(Sample.issued(CodeID(31), secret: Secret(7)), Sample.suspended())

    @Test("An operator suspends and reinstates a shop, and a repeated command records nothing")
    func turns() {
        let closed = Scenario.running.when(Sample.suspend(), by: Sample.stranger).then(Sample.suspended())
        closed.when(Sample.suspend(reason: "Still"), by: Sample.stranger).thenNothing()
        let open = closed.when(Sample.reinstate(), by: Sample.stranger).then(Sample.reinstated())
        open.when(Sample.reinstate(), by: Sample.stranger).thenNothing()
        #expect(open.world.shops[Sample.shop]?.isSuspended == false)
    }

    @Test("Suspensions and reinstatements need a valid reason, an existing shop and an existing account")
    func withAReasonThatFits() {
        Scenario.running.when(Sample.suspend(reason: ""), by: Sample.stranger).thenInvalid("reason")
        suspended.when(Sample.reinstate(reason: "\u{0}"), by: Sample.stranger).thenInvalid("reason")
        Scenario.running.when(Sample.suspend(ShopID(19)), by: Sample.stranger).thenRejected(.notFound)
        Scenario.running.when(Sample.reinstate(), by: Sample.ghost).thenRejected(.notFound)
    }

    /// Commands that the suspension forbids, each with an account that may normally give it at this shop.
    private static let trade: [(Command, AccountID)] = [
        (Sample.issue(CodeID(32), secret: Secret(8)), Sample.owner),
        (Sample.issue(CodeID(32), secret: Secret(8)), Sample.staff),
        (Sample.destroy(CodeID(31)), Sample.owner),
        (Sample.stamp(Secret(7), firstCard: CardID(600)), Sample.customer),
        (Sample.edit(name: "Honest"), Sample.owner),
        (Sample.invite(Sample.stranger), Sample.owner),
        (Sample.publish(CampaignID(23)), Sample.owner),
        (Sample.edit(Sample.campaign, goal: 3), Sample.owner),
        (Sample.end(), Sample.owner),
        (Sample.notify(), Sample.owner),
        (Sample.reply(ReviewID(61)), Sample.owner),
        (Sample.reply(ReviewID(61)), Sample.staff),
    ]

    @Test("At a suspended shop nobody trades", arguments: trade)
    func nothingElseHappens(_ command: Command, _ actor: AccountID) {
        let reviewed = suspended.given(Sample.reviewed())
        reviewed.when(command, by: actor).thenRejected(.suspended)
        // Without the suspension the command is accepted.
        reviewed.given(Sample.reinstated()).when(command, by: actor).thenAccepted()
    }

    @Test("Full cards are redeemed at a suspended shop, and rewards are taken back")
    func whatIsFullIsRedeemed() {
        let redeemed = suspended.when(Sample.redeem(), by: Sample.staff).then(Sample.redeemed())
        redeemed.when(Sample.reverse(), by: Sample.staff).then(Sample.reversed())
        suspended.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenAccepted()
    }

    @Test("Accounts without rights and unknown codes get the usual rejection, which does not reveal the suspension")
    func nobodyElseLearnsOfIt() {
        suspended.when(Sample.stamp(Secret(404)), by: Sample.customer).thenRejected(.codeNotValid)
        suspended.when(Sample.issue(CodeID(32), secret: Secret(8)), by: Sample.rival).thenRejected(.forbidden)
        suspended.when(Sample.edit(name: "Honest"), by: Sample.rival).thenRejected(.forbidden)
        suspended.when(Sample.redeem(), by: Sample.rival).thenRejected(.redemptionNotValid)
        suspended.when(Sample.redeem(Secret(404)), by: Sample.staff).thenRejected(.redemptionNotValid)
        suspended.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.stranger).thenRejected(.notFound)
        suspended.when(Sample.issue(CodeID(32), of: Sample.rivalCampaign, secret: Secret(8)), by: Sample.rival).thenAccepted()
    }

    @Test("Customers and operators act as before at a suspended shop, and its owner may be erased")
    func everythingElseGoesOn() {
        suspended.when(Sample.discard(), by: Sample.customer).thenAccepted()
        suspended.when(Sample.review(), by: Sample.customer).thenAccepted()
        suspended.given(Sample.reviewed()).when(Sample.reply(ReviewID(61)), by: Sample.stranger).thenAccepted()
        suspended.when(Sample.adjust(by: -1), by: Sample.stranger).thenAccepted()
        suspended.when(.eraseAccount(EraseAccount()), by: Sample.owner).thenAccepted()
    }

    @Test("Codes and redemptions work again after the shop's reinstatement")
    func workAgain() {
        let open = suspended.given(Sample.reinstated())
        open.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenAccepted()
        open.when(Sample.redeem(), by: Sample.staff).then(Sample.redeemed())
    }
}
