import Loyalty
import Testing
import World

/// An owner closes a shop for good. Full cards can be redeemed until the date that the owner chooses.
@Suite struct CloseShopTests {
    private let until = Sample.afterDays(30)
    private var closing: LoyaltyEvent { Sample.closed(redeemUntil: until, erasesContact: false) }
    private let shown = Scenario.cardFull.given(
        Sample.issued(CodeID(31), secret: Secret(7)), Sample.requested(expiresAt: Sample.afterDays(40)))

    @Test("A closing ends the shop's campaigns, employments and offers")
    func endsAll() throws {
        let invited = shown.given(Sample.invited(Sample.stranger))
        let closed = invited.when(Sample.close(), by: Sample.owner, at: Sample.after(60))
            .then(Sample.ended(), Sample.ended(Sample.promotion), Sample.left(), Sample.unInvited(Sample.stranger), closing)
        let shop = try #require(closed.world.shops[Sample.shop])
        #expect(shop.staff.isEmpty && shop.openOffers(at: Sample.after(60)).isEmpty && shop.contact != .erased)
        #expect(shop.closing == ShopClosing(closedAt: Sample.after(60), redeemUntil: until))
    }

    @Test("A closed shop's owner redeems full cards until the date that the closing named")
    func ownerRedeems() {
        let closed = shown.given(Sample.ended(), Sample.left(), closing)
        let last = Instant(microseconds: until.microseconds - 1)
        closed.when(Sample.redeem(), by: Sample.owner, at: last).then(Sample.redeemed())
        closed.when(Sample.redeem(), by: Sample.owner, at: until).thenRejected(.redemptionNotValid)
        closed.when(Sample.redeem(), by: Sample.staff, at: last).thenRejected(.redemptionNotValid)
    }

    @Test("A closed shop cannot publish, edit, invite, post notices or stamp, and its open codes are destroyed")
    func nothingElse() {
        let closed = shown.given(Sample.ended(), Sample.left(), closing)
        closed.when(Sample.publish(CampaignID(29)), by: Sample.owner).thenRejected(.shopClosed)
        closed.when(Sample.edit(name: "Tea"), by: Sample.owner).thenRejected(.shopClosed)
        closed.when(Sample.invite(Sample.stranger), by: Sample.owner).thenRejected(.shopClosed)
        closed.when(Sample.notify(), by: Sample.owner).thenRejected(.shopClosed)
        closed.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.stranger).thenRejected(.codeNotValid)
        #expect(closed.world.codes[CodeID(31)]?.status(at: Sample.start, of: closed.world.shops[Sample.shop]!, home: nil) == .destroyed)
    }

    @Test("The last date for rewards is neither past nor more than ninety days ahead")
    func dateLimit() {
        Scenario.running.when(Sample.close(redeemUntil: Sample.afterDays(90)), by: Sample.owner).thenAccepted()
        let late = Instant(microseconds: Sample.afterDays(90).microseconds + 1)
        Scenario.running.when(Sample.close(redeemUntil: late), by: Sample.owner).thenInvalid("redeemUntil")
        Scenario.running.when(Sample.close(redeemUntil: Sample.start), by: Sample.owner).thenAccepted()
        let past = Instant(microseconds: Sample.start.microseconds - 1)
        Scenario.running.when(Sample.close(redeemUntil: past), by: Sample.owner).thenInvalid("redeemUntil")
    }

    @Test("An empty reason is rejected, and a sealed one is in the closing's event")
    func theReasonIsChecked() {
        Scenario.running.when(Sample.close(reason: ""), by: Sample.owner).thenInvalid("reason")
        let sealed = Scenario.running.when(Sample.close(reason: .sealed(Sealed([7]))), by: Sample.owner).verdict
        guard case .success(let events) = sealed, case .shopClosed(let closed) = events.last else {
            Issue.record("not closed: \(sealed)")
            return
        }
        #expect(closed.reason == Sealed([7]))
    }

    @Test("A closed shop cannot be closed again")
    func itClosesOnce() {
        Scenario.running.given(closing).when(Sample.close(), by: Sample.owner).thenRejected(.shopClosed)
    }

    @Test("A suspended shop can be closed")
    func suspendedShop() {
        Scenario.running.given(Sample.suspended()).when(Sample.close(), by: Sample.owner).thenAccepted()
    }

    @Test("A shop is closed by its owner only, and an unknown shop is not found")
    func onlyOwner() {
        Scenario.running.when(Sample.close(), by: Sample.staff).thenRejected(.roleRequired)
        Scenario.running.when(Sample.close(), by: Sample.customer).thenRejected(.forbidden)
        Scenario.running.when(Sample.close(), by: Sample.ghost).thenRejected(.notFound)
        Scenario.running.when(Sample.close(ShopID(19)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("The closing keeps its date if the owner is erased later, and nobody is left to redeem")
    func anErasureKeepsTheDate() throws {
        let closed = shown.given(Sample.ended(), Sample.left(), closing)
        let erased = closed.when(.eraseAccount(EraseAccount()), by: Sample.owner).after
        #expect(erased.world.shops[Sample.shop]?.closing?.redeemUntil == until)
        #expect(erased.world.shops[Sample.shop]?.contact == .erased)
    }
}
