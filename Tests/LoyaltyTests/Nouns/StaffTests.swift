import Loyalty
import Testing
import World

/// At the counter, staff act for the shop like its owner, and never as its customers. `InvitationTests` covers how an account becomes
/// staff.
@Suite struct StaffTests {
    private let hired = Scenario.running.given(Sample.hired(Sample.customer))

    @Test("Staff issue codes, destroy codes that they issued, and redeem cards")
    func counter() {
        hired.when(Sample.issue(), by: Sample.customer).thenAccepted()
        hired.when(Sample.issue(), by: Sample.customer).after.when(Sample.destroy(), by: Sample.customer).thenAccepted()
        Scenario.redemptionShown.given(Sample.hired(Sample.stranger)).when(Sample.redeem(), by: Sample.stranger)
            .then(Sample.redeemed())
    }

    @Test("Another shop's owner may work here without owning this shop")
    func otherOwner() {
        let both = Scenario.running.given(Sample.invited(Sample.rival)).when(Sample.accept(), by: Sample.rival)
            .then(Sample.joined(Sample.rival))
        both.when(Sample.issue(), by: Sample.rival).thenAccepted()
        both.when(Sample.edit(name: "Mine"), by: Sample.rival).thenRejected(.roleRequired)
    }

    @Test("A former member has no rights at the shop", arguments: [Sample.dismissed(), Sample.left()])
    func gone(_ end: LoyaltyEvent) {
        let gone = Scenario.redemptionShown.given(Sample.issued(CodeID(32), secret: Secret(7)), end)
        gone.when(Sample.issue(CodeID(33), secret: Secret(8)), by: Sample.staff).thenRejected(.forbidden)
        gone.when(Sample.destroy(CodeID(32)), by: Sample.staff).thenRejected(.notFound)
        gone.when(Sample.redeem(), by: Sample.staff).thenRejected(.redemptionNotValid)
    }

    /// The rule also applies to a card that was opened before the employment. The card can be used again after the employment ends.
    @Test("Staff neither collect, redeem nor review where they work")
    func noCustomers() {
        let withCard = Scenario.redemptionShown.given(Sample.issued(CodeID(31), secret: Secret(7)), Sample.hired(Sample.customer))
        withCard.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenRejected(.ownCampaign)
        withCard.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenRejected(.ownCampaign)
        withCard.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
        withCard.when(Sample.review(), by: Sample.customer).thenRejected(.ownShop)
        let left = withCard.given(Sample.left(Sample.customer))
        left.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenAccepted()
        left.when(Sample.redeem(), by: Sample.owner).then(Sample.redeemed())
    }

    // MARK: The end of an employment

    @Test("The owner removes staff, once")
    func removal() {
        let gone = Scenario.running.when(Sample.dismiss(Sample.staff), by: Sample.owner).then(Sample.left())
        gone.when(Sample.dismiss(Sample.staff), by: Sample.owner).thenNothing()
        #expect(gone.world.shops[Sample.shop]?.staff == [])
        Scenario.running.when(Sample.dismiss(Sample.staff), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            Scenario.running.when(Sample.dismiss(Sample.staff), by: actor).thenRejected(.forbidden)
        }
        Scenario.running.when(Sample.dismiss(Sample.owner), by: Sample.owner).thenNothing()
        Scenario.running.given(Sample.suspended()).when(Sample.dismiss(Sample.staff), by: Sample.owner).then(Sample.left())
    }

    @Test("Staff can leave a shop; the owner cannot, and for others there is nothing to leave")
    func leaving() {
        let gone = Scenario.running.when(Sample.leave(), by: Sample.staff).then(Sample.left())
        gone.when(Sample.leave(), by: Sample.staff).thenNothing()
        gone.when(Sample.issue(), by: Sample.staff).thenRejected(.forbidden)
        Scenario.running.when(Sample.leave(), by: Sample.owner).thenRejected(.forbidden)
        Scenario.running.when(Sample.leave(), by: Sample.customer).thenNothing()
        Scenario.running.when(Sample.leave(ShopID(19)), by: Sample.staff).thenRejected(.notFound)
        Scenario.running.given(Sample.suspended()).when(Sample.leave(), by: Sample.staff).then(Sample.left())
    }

    // MARK: Codes of members who leave

    private static let theirs = Scenario.running.when(Sample.issue(), by: Sample.staff).after

    @Test("The end of an employment destroys the open codes that the member issued", arguments: [true, false])
    func codesEnd(_ isRemoved: Bool) throws {
        let end = isRemoved ? Sample.dismiss(Sample.staff) : Sample.leave()
        let gone = Self.theirs.when(end, by: isRemoved ? Sample.owner : Sample.staff, at: Sample.after(1)).after
        gone.when(Sample.stamp(), by: Sample.customer, at: Sample.after(2)).thenRejected(.codeNotValid)
        gone.when(Sample.destroy(), by: Sample.owner, at: Sample.after(2)).thenNothing()
        let (code, shop) = try #require(gone.world.codes[Sample.code].flatMap { code in gone.world.shops[Sample.shop].map { (code, $0) } })
        #expect(code.status(at: Sample.after(2), of: shop, home: nil) == .destroyed)
    }

    @Test("A code that was used before its issuer left stays used, and other people's codes stay valid")
    func otherCodes() throws {
        let used = Self.theirs.when(Sample.stamp(), by: Sample.customer).after
            .when(Sample.dismiss(Sample.staff), by: Sample.owner, at: Sample.after(1)).after
        let (code, shop) = try #require(used.world.codes[Sample.code].flatMap { code in used.world.shops[Sample.shop].map { (code, $0) } })
        #expect(code.status(at: Sample.after(2), of: shop, home: nil) == .used)
        Scenario.codeShown.when(Sample.dismiss(Sample.staff), by: Sample.owner, at: Sample.after(1)).after
            .when(Sample.stamp(), by: Sample.customer, at: Sample.after(2)).thenAccepted()
    }

    @Test("Destroyed codes stay destroyed when their issuer returns, and new codes work")
    func comingBack() {
        let back = Self.theirs.when(Sample.leave(), by: Sample.staff, at: Sample.after(1)).after
            .given([Sample.invited(Sample.staff), Sample.joined(Sample.staff)], at: Sample.after(2))
        back.when(Sample.stamp(), by: Sample.customer, at: Sample.after(3)).thenRejected(.codeNotValid)
        back.when(Sample.issue(CodeID(31), secret: Secret(5)), by: Sample.staff, at: Sample.after(3)).after
            .when(Sample.stamp(Secret(5)), by: Sample.customer, at: Sample.after(4)).thenAccepted()
    }

    @Test("The codes of a person who works at a shop again are valid, even if the clock was fast when the earlier work ended")
    func hiredAgainAfterAFastClock() {
        let hired = Scenario.running.given(Sample.left(), at: Sample.after(10_800))
            .given(Sample.invited(Sample.staff), Sample.joined(Sample.staff), at: Sample.after(600))
        func transferred(to account: AccountID, from former: AccountID) -> LoyaltyEvent {
            .shopTransferred(
                ShopTransferred(invitation: Sample.invitation, shop: Sample.shop, account: account, formerOwner: former))
        }
        let regained = Scenario.running.given(transferred(to: Sample.rival, from: Sample.owner), at: Sample.after(10_800))
            .given(transferred(to: Sample.owner, from: Sample.rival), at: Sample.after(600))
        for (scenario, issuer) in [(hired, Sample.staff), (regained, Sample.owner)] {
            scenario.when(Sample.issue(CodeID(31), secret: Secret(5)), by: issuer, at: Sample.after(660)).after
                .when(Sample.stamp(Secret(5)), by: Sample.customer, at: Sample.after(661)).thenAccepted()
        }
    }

    @Test("A StaffRemoved in an older log destroys no code")
    func olderLogs() {
        Self.theirs.given(Sample.dismissed(), at: Sample.after(1)).when(Sample.stamp(), by: Sample.customer, at: Sample.after(2))
            .thenAccepted()
    }

    @Test("Codes of a member or an owner who leaves become void even if the clock was set back before, or goes wrong afterwards")
    func leavingWithAWrongClock() {
        for (end, issuer) in [(Sample.left(), Sample.staff), (Sample.transferred(to: Sample.rival), Sample.owner)] {
            let issued = Scenario.running.when(Sample.issue(), by: issuer, at: Sample.after(30)).after
            let gone = issued.given(end, at: Sample.after(20))
            gone.when(Sample.stamp(), by: Sample.customer, at: Sample.after(40)).thenRejected(.codeNotValid)
            let hiredAgain = gone.given(Sample.invited(issuer), Sample.joined(issuer), at: Sample.after(25))
            hiredAgain.when(Sample.stamp(), by: Sample.customer, at: Sample.after(40)).thenRejected(.codeNotValid)
            // The end of another employment, while the clock is far ahead, does not make the shop forget this one.
            let later = gone.given(Sample.invited(Sample.stranger), Sample.joined(Sample.stranger), at: Sample.afterDays(3))
                .given(Sample.left(Sample.stranger), at: Sample.afterDays(3))
            later.when(Sample.stamp(), by: Sample.customer, at: Sample.after(40)).thenRejected(.codeNotValid)
        }
    }
}
