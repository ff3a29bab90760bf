import Loyalty
import Testing
import World

@Suite struct ErasureTests {
    private let erase = Command.eraseAccount(EraseAccount())

    @Test("An erasure first ends the account's sessions, and its own event comes last")
    func certificate() {
        Scenario.registered.given(Sample.signedIn()).when(erase, by: Sample.customer)
            .then(Sample.signedOut(), Sample.erased())
    }

    @Test("A command by an erased account is rejected as not found", arguments: AccountTests.everyOtherCommand)
    func erasedActor(_ command: Command) {
        Scenario.redemptionShown.given(Sample.reviewed(), Sample.signedIn(), Sample.erased())
            .when(command, by: Sample.customer).thenRejected(.notFound)
    }

    @Test("An owner's erasure ends the campaigns of their shop and no others, and closes the shop")
    func ownCampaigns() {
        let running = Scenario.running.given(Sample.hired())
        running.when(erase, by: Sample.owner).then(
            Sample.ended(), Sample.ended(Sample.promotion), Sample.closed(redeemUntil: Sample.afterDays(30)), Sample.erased(Sample.owner))
    }

    @Test("The offers of an erased owner's shop end: those of work, and that of the shop itself")
    func offers() {
        let transfer = InvitationID(91)
        let offered = Scenario.running.given(Sample.invited(Sample.stranger), Sample.transferOffered(as: transfer))
        let erased = offered.when(erase, by: Sample.owner).then(
            Sample.ended(), Sample.ended(Sample.promotion), Sample.unInvited(Sample.stranger), Sample.unInvited(as: transfer),
            Sample.closed(redeemUntil: Sample.afterDays(30)), Sample.erased(Sample.owner))
        #expect([Sample.invitation, transfer].allSatisfy { erased.world.invitations[$0]?.answer == .ended })
        // An offer that has lapsed is not ended. The scheduler records the lapse of the shop's offer, if it is late, after the erasure.
        let late = offered.when(erase, by: Sample.owner, at: Sample.afterDays(60)).then(
            Sample.closed(redeemUntil: Sample.afterDays(90)), Sample.erased(Sample.owner))
        late.when(Sample.lapseTransfer(), by: .system, at: Sample.afterDays(60)).then(Sample.transferLapsed(as: transfer))
    }

    @Test("An owner's erasure does not end campaigns that are over already")
    func overAlready() {
        Scenario.running.when(erase, by: Sample.owner, at: Sample.afterDays(60)).then(
            Sample.closed(redeemUntil: Sample.afterDays(90)), Sample.erased(Sample.owner))
    }

    @Test("A shop without staff hands out nothing once its owner is erased")
    func nobodyIsLeft() {
        let alone = Scenario.running.given(Sample.dismissed())
        alone.when(erase, by: Sample.owner).then(
            Sample.ended(), Sample.ended(Sample.promotion), Sample.closed(redeemUntil: Sample.start), Sample.erased(Sample.owner))
    }

    @Test("An erased owner's shop keeps its reviews and its people, and none of its contact data and pictures")
    func contactData() throws {
        let shown = Scenario.running.given(Sample.shopEdited(images: [ImageID(1)]))
        let shop = try #require(shown.given(Sample.closed(redeemUntil: Sample.afterDays(30))).world.shops[Sample.shop])
        #expect(shop.contact == .erased && shop.name == "" && shop.location == nil && shop.images.isEmpty)
        let kept = shown.given(Sample.closed(redeemUntil: Sample.afterDays(30), erasesContact: false)).world.shops[Sample.shop]
        #expect(kept?.contact.open?.address == "1 Tea Road" && kept?.images == [ImageID(1)] && kept?.closing != nil)
    }

    @Test("The cards of an erased customer stay as they are, and nobody redeems them")
    func theCardsOfAnErasedCustomerStay() {
        let erased = Scenario.redemptionShown.given(Sample.erased())
        #expect(erased.world.cards == Scenario.redemptionShown.world.cards)
        erased.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("Nobody acts for a shop whose owner was erased before closings were recorded")
    func staffOfAnErasedOwnerAreStaffOfNothing() {
        let ownerless = Scenario.redemptionShown.given(Sample.issued(CodeID(31), secret: Secret(7)), Sample.erased(Sample.owner))
        ownerless.when(Sample.redeem(), by: Sample.staff).thenRejected(.shopClosed)
        ownerless.when(Sample.issue(CodeID(32), secret: Secret(8)), by: Sample.staff).thenRejected(.shopClosed)
        ownerless.when(Sample.destroy(CodeID(31)), by: Sample.staff).thenRejected(.roleRequired)
        ownerless.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenRejected(.shopClosed)
        ownerless.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenRejected(.shopClosed)
        let redeemed = Scenario.redemptionShown.given(Sample.redeemed(), Sample.erased(Sample.owner))
        redeemed.when(Sample.reverse(), by: Sample.staff).thenRejected(.shopClosed)
        // Customers keep control of their own cards and reviews.
        ownerless.when(Sample.discard(), by: Sample.customer).thenAccepted()
        ownerless.when(Sample.review(), by: Sample.customer).thenAccepted()
    }

    @Test("Staff may still redeem at a shop whose owner was erased")
    func staffRedeem() {
        Scenario.redemptionShown.given(Sample.closed(redeemUntil: Sample.afterDays(30)), Sample.erased(Sample.owner))
            .when(Sample.redeem(), by: Sample.staff).thenAccepted()
    }

    @Test("Staff of an erased owner redeem nothing after the date that the closing named")
    func staffEnd() {
        Scenario.redemptionShown.given(Sample.closed(redeemUntil: Sample.start), Sample.erased(Sample.owner))
            .when(Sample.redeem(), by: Sample.staff).thenRejected(.redemptionNotValid)
    }

    @Test("The open codes of an erased owner's shop are destroyed, also those that the shop's staff issued")
    func codes() throws {
        let gone = Scenario.running.when(Sample.issue(), by: Sample.staff).after.when(erase, by: Sample.owner).after
        let shop = try #require(gone.world.shops[Sample.shop])
        #expect(gone.world.codes[Sample.code]?.status(at: Sample.start, of: shop, home: nil) == .destroyed)
        gone.when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
        gone.when(Sample.destroy(), by: Sample.staff).thenNothing()
    }

    @Test("Erasing an account ends its work for a shop, and its open codes become void")
    func work() {
        let theirs = Scenario.running.when(Sample.issue(), by: Sample.staff).after
        let gone = theirs.when(erase, by: Sample.staff, at: Sample.after(1)).then(Sample.left(), Sample.erased(Sample.staff))
        #expect(gone.world.shops[Sample.shop]?.staff == [])
        gone.when(Sample.stamp(), by: Sample.customer, at: Sample.after(2)).thenRejected(.codeNotValid)
        // No other member of the shop is left to redeem cards, so the shop hands out no rewards from now on.
        gone.when(erase, by: Sample.owner, at: Sample.after(2)).then(
            Sample.ended(), Sample.ended(Sample.promotion), Sample.closed(redeemUntil: Sample.after(2)), Sample.erased(Sample.owner))
    }

    @Test("An owner who works for another shop leaves that one and closes their own")
    func workElsewhere() {
        let both = Scenario.running.given(Sample.hired(Sample.rival))
        let gone = both.when(erase, by: Sample.rival).then(
            Sample.left(Sample.rival), .campaignEnded(CampaignEnded(campaign: Sample.rivalCampaign, shop: Sample.rivalShop)),
            Sample.closed(Sample.rivalShop, redeemUntil: Sample.start), Sample.erased(Sample.rival))
        #expect(gone.world.shops[Sample.shop]?.staff == [Sample.staff])
    }

    @Test("Erasing an owner closes all of their shops, and erases the contact data of shops that had closed before")
    func severalShops() {
        let (second, third) = (ShopID(12), ShopID(13))
        let three = Scenario.running.given(
            Sample.shopOpened(second), Sample.shopOpened(third), Sample.published(CampaignID(28), at: second), Sample.left(),
            Sample.closed(third, redeemUntil: Sample.afterDays(9), erasesContact: false))
        let gone = three.when(erase, by: Sample.owner).then(
            Sample.ended(), Sample.ended(Sample.promotion), .campaignEnded(CampaignEnded(campaign: CampaignID(28), shop: second)),
            Sample.closed(redeemUntil: Sample.start), Sample.closed(second, redeemUntil: Sample.start),
            Sample.closed(third, redeemUntil: Sample.afterDays(9)), Sample.erased(Sample.owner))
        #expect([Sample.shop, second, third].allSatisfy { gone.world.shops[$0]?.contact == .erased })
    }

    @Test("The erasure of an owner is prepared by closing one shop after the other, and each step reads one shop's campaigns")
    func steps() {
        let second = ShopID(12)
        let close = Command.eraseAccount(EraseAccount(closing: second))
        let two = Scenario.running.given(Sample.shopOpened(second), Sample.published(CampaignID(28), at: second))
        var world = two.world
        let step = EraseAccount(closing: second).situation(in: &world, by: Sample.owner)
        #expect(step.campaigns.map(\.id) == [CampaignID(28)])
        let one = two.when(close, by: Sample.owner).then(
            .campaignEnded(CampaignEnded(campaign: CampaignID(28), shop: second)),
            Sample.closed(second, redeemUntil: Sample.start, erasesContact: false))
        #expect(one.world.shops[second]?.contact != .erased && one.world.account(Sample.owner) != nil)
        one.when(close, by: Sample.owner).thenNothing()
        world = one.world
        let last = EraseAccount().situation(in: &world, by: Sample.owner)
        #expect(last.campaigns.allSatisfy { $0.shop == Sample.shop })
        one.when(erase, by: Sample.owner, at: Sample.after(60)).then(
            Sample.ended(), Sample.ended(Sample.promotion), Sample.closed(redeemUntil: Sample.after(30 * 86_400 + 60)),
            Sample.closed(second, redeemUntil: Sample.start), Sample.erased(Sample.owner))
    }

    @Test("Nobody closes another owner's shop by preparing an erasure")
    func othersShops() {
        for actor in [Sample.rival, Sample.staff, Sample.customer] {
            Scenario.running.when(.eraseAccount(EraseAccount(closing: Sample.shop)), by: actor).thenNothing()
        }
        Scenario.running.when(.eraseAccount(EraseAccount(closing: Sample.shop)), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("The hash of an erased account's phone number is never registered again")
    func erasedHash() {
        let erased = Scenario.registered.given(Sample.erased())
        erased.when(Sample.register(AccountID(7), phone: Sample.customer.value), by: AccountID(7)).thenRejected(.secretTaken)
        erased.when(Sample.register(AccountID(7), phone: 7), by: AccountID(7)).thenAccepted()
    }
}
