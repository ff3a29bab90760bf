import Loyalty
import Testing

/// Staff act for the shop as its owner does at the counter, and never as its customers.
@Suite struct StaffTests {
    private let hired = Scenario.running.given(Sample.hired(Sample.customer))

    @Test func theOwnerHiresAndDismisses() {
        let hired = Scenario.running.when(Sample.hire(Sample.customer), by: Sample.owner).then(Sample.hired(Sample.customer))
        hired.when(Sample.hire(Sample.customer), by: Sample.owner).thenNothing()
        let gone = hired.when(Sample.dismiss(Sample.customer), by: Sample.owner).then(Sample.dismissed(Sample.customer))
        gone.when(Sample.dismiss(Sample.customer), by: Sample.owner).thenNothing()
        #expect(gone.world.shops[Sample.shop]?.staff == [Sample.staff])
    }

    @Test func onlyTheOwnerDoes() {
        for actor in [Sample.staff, Sample.customer, Sample.rival] {
            Scenario.running.when(Sample.hire(Sample.customer), by: actor).thenRejected(.forbidden)
            Scenario.running.when(Sample.dismiss(Sample.staff), by: actor).thenRejected(.forbidden)
        }
        Scenario.running.when(Sample.hire(Sample.customer, at: ShopID(19)), by: Sample.owner).thenRejected(.notFound)
        Scenario.running.when(Sample.hire(Sample.ghost), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func theOwnerIsNeitherHiredNorDismissed() {
        Scenario.running.when(Sample.hire(Sample.owner), by: Sample.owner).thenNothing()
        Scenario.running.when(Sample.dismiss(Sample.owner), by: Sample.owner).thenNothing()
    }

    @Test func anotherShopsOwnerMayWorkHereToo() {
        let both = Scenario.running.when(Sample.hire(Sample.rival), by: Sample.owner).then(Sample.hired(Sample.rival))
        both.when(Sample.issue(), by: Sample.rival).thenAccepted()
        both.when(Sample.edit(name: "Mine"), by: Sample.rival).thenRejected(.forbidden)
    }

    @Test func staffStandAtTheCounter() {
        hired.when(Sample.issue(), by: Sample.customer).thenAccepted()
        hired.given(Sample.issued()).when(Sample.destroy(), by: Sample.customer).thenAccepted()
        Scenario.redemptionShown.given(Sample.hired(Sample.stranger)).when(Sample.redeem(), by: Sample.stranger)
            .then(Sample.redeemed())
    }

    @Test func whoWasDismissedStandsThereNoMore() {
        let gone = Scenario.redemptionShown.given(Sample.issued(CodeID(32), secret: Secret(7)), Sample.dismissed())
        gone.when(Sample.issue(CodeID(33), secret: Secret(8)), by: Sample.staff).thenRejected(.forbidden)
        gone.when(Sample.destroy(CodeID(32)), by: Sample.staff).thenRejected(.notFound)
        gone.when(Sample.redeem(), by: Sample.staff).thenRejected(.redemptionNotValid)
    }

    /// With a card from the days before, too; it waits until they leave.
    @Test func staffAreNoCustomers() {
        let withCard = Scenario.redemptionShown.given(Sample.issued(CodeID(31), secret: Secret(7)), Sample.hired(Sample.customer))
        withCard.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenRejected(.ownCampaign)
        withCard.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenRejected(.ownCampaign)
        withCard.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
        withCard.when(Sample.review(), by: Sample.customer).thenRejected(.ownShop)
        let left = withCard.given(Sample.dismissed(Sample.customer))
        left.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenAccepted()
        left.when(Sample.redeem(), by: Sample.owner).then(Sample.redeemed())
    }

    @Test func aShopHasAHundredAtMost() {
        let people = (0..<100).map { AccountID(UInt128(1_000 + $0)) }
        let full = Scenario.running.given(people.map { Sample.registered($0) } + people.dropLast().map { Sample.hired($0) })
        full.when(Sample.hire(people[99]), by: Sample.owner).thenInvalid("account")
        full.given(Sample.dismissed()).when(Sample.hire(people[99]), by: Sample.owner).then(Sample.hired(people[99]))
    }
}
