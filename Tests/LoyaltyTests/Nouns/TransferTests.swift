import Loyalty
import Testing
import World

/// A shop changes its owner: the owner offers it, and the other account accepts.
@Suite struct TransferTests {
    private static let offered = Scenario.running.given(Sample.transferOffered())
    private static let gone = offered.given(Sample.transferred())
    private let second = InvitationID(91)

    // MARK: Offers of a shop

    @Test("The owner offers the shop, and nothing changes until the offer is accepted")
    func offer() {
        let offered = Scenario.running.when(Sample.transfer(), by: Sample.owner).then(Sample.transferOffered())
        offered.when(Sample.edit(name: "Mine"), by: Sample.customer).thenRejected(.forbidden)
        offered.when(Sample.edit(name: "Mine"), by: Sample.owner).thenAccepted()
        offered.when(Sample.transfer(as: second), by: Sample.owner).thenNothing()
    }

    @Test("Only the owner offers the shop, and only while it is open")
    func others() {
        Scenario.running.when(Sample.transfer(), by: Sample.staff).thenRejected(.roleRequired)
        Scenario.running.when(Sample.transfer(), by: Sample.customer).thenRejected(.forbidden)
        Scenario.running.when(Sample.transfer(), by: Sample.ghost).thenRejected(.notFound)
        Scenario.running.when(Sample.transfer(ShopID(19)), by: Sample.owner).thenRejected(.notFound)
        Scenario.running.given(Sample.suspended()).when(Sample.transfer(), by: Sample.owner).thenRejected(.suspended)
        let closed = Scenario.running.given(Sample.closed(redeemUntil: Sample.afterDays(9), erasesContact: false))
        closed.when(Sample.transfer(), by: Sample.owner).thenRejected(.shopClosed)
    }

    @Test("An offer to an unregistered account is recorded like any other, and an offer to oneself does nothing")
    func nobody() {
        Scenario.running.when(Sample.transfer(to: Sample.ghost), by: Sample.owner).then(Sample.transferOffered(to: Sample.ghost))
        Scenario.running.when(Sample.transfer(to: Sample.owner), by: Sample.owner).thenNothing()
    }

    @Test("A shop has one open offer: an offer to another account replaces it")
    func replaced() {
        let next = Self.offered.when(Sample.transfer(to: Sample.stranger, as: second), by: Sample.owner)
            .then(Sample.unInvited(), Sample.transferOffered(to: Sample.stranger, as: second))
        next.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        next.when(Sample.accept(second), by: Sample.stranger).thenAccepted()
    }

    @Test("The owner withdraws the offer by naming the shop or the offer's id")
    func withdrawn() {
        let kept = Self.offered.when(Sample.keep(), by: Sample.owner).then(Sample.unInvited())
        kept.when(Sample.keep(), by: Sample.owner).thenNothing()
        kept.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        Self.offered.when(Sample.withdraw(), by: Sample.owner).then(Sample.unInvited())
        Self.offered.when(Sample.keep(), by: Sample.staff).thenRejected(.roleRequired)
        Self.offered.when(Sample.keep(), by: Sample.customer).thenRejected(.forbidden)
        Self.offered.given(Sample.suspended()).when(Sample.keep(), by: Sample.owner).thenAccepted()
    }

    @Test("A suspended owner's shop does not change hands")
    func suspendedOwner() {
        let barred = Self.offered.given(.accountSuspended(AccountSuspended(account: Sample.owner, reason: "Sells stamps")))
        barred.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        let back = barred.given(.accountReinstated(AccountReinstated(account: Sample.owner, reason: "")))
        back.when(Sample.accept(), by: Sample.customer).thenAccepted()
    }

    @Test("The other account declines the offer")
    func declined() {
        let no = Self.offered.when(Sample.decline(), by: Sample.customer).then(Sample.unInvited())
        no.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        #expect(no.world.shops[Sample.shop]?.transfer == nil)
    }

    // MARK: Acceptance of an offer

    @Test("The new owner has all rights, and the former owner none")
    func accepted() throws {
        let gone = Self.offered.when(Sample.accept(), by: Sample.customer, at: Sample.after(60)).then(Sample.transferred())
        gone.when(Sample.accept(), by: Sample.customer).thenNothing()
        gone.when(Sample.edit(name: "Mine"), by: Sample.customer).thenAccepted()
        gone.when(Sample.edit(name: "Mine"), by: Sample.owner).thenRejected(.forbidden)
        gone.when(Sample.issue(), by: Sample.owner).thenRejected(.forbidden)
        let shop = try #require(gone.world.shops[Sample.shop])
        #expect(shop.role(of: Sample.owner) == nil && shop.role(of: Sample.staff) == .counter && shop.ownerSince == Sample.after(60))
        #expect(gone.world.shops(ownedBy: Sample.owner).isEmpty && gone.world.shops(ownedBy: Sample.customer).map(\.id) == [Sample.shop])
    }

    @Test("An offer of the shop lapses after a week, judged when it is accepted")
    func lapsed() {
        let last = Instant(microseconds: Sample.afterDays(7).microseconds - 1)
        Self.offered.when(Sample.accept(), by: Sample.customer, at: last).thenAccepted()
        Self.offered.when(Sample.accept(), by: Sample.customer, at: Sample.afterDays(7)).thenRejected(.offerNotOpen)
        Self.offered.when(Sample.decline(), by: Sample.customer, at: Sample.afterDays(7)).thenRejected(.offerNotOpen)
        Self.offered.when(Sample.transfer(as: second), by: Sample.owner, at: Sample.afterDays(7)).thenAccepted()
    }

    @Test("Only the invited account may know of the offer")
    func secret() {
        for actor in [Sample.owner, Sample.staff, Sample.stranger] {
            Self.offered.when(Sample.accept(), by: actor).thenRejected(.notFound)
            Self.offered.when(Sample.decline(), by: actor).thenRejected(.notFound)
        }
    }

    @Test("A shop that closes or is suspended meanwhile does not change hands")
    func closing() {
        let closed = Self.offered.when(Sample.close(), by: Sample.owner).after
        closed.when(Sample.accept(), by: Sample.customer).thenRejected(.shopClosed)
        #expect(closed.world.invitations[Sample.invitation]?.answer == .ended)
        Self.offered.given(Sample.suspended()).when(Sample.accept(), by: Sample.customer).thenRejected(.suspended)
        let erased = Self.offered.when(.eraseAccount(EraseAccount()), by: Sample.owner).after
        erased.when(Sample.accept(), by: Sample.customer).thenRejected(.shopClosed)
        #expect(erased.world.invitations[Sample.invitation]?.answer == .ended)
    }

    @Test("Nobody takes over more open shops than one may own")
    func limit() {
        let many = Self.offered.given((0..<100).map { Sample.shopOpened(ShopID(UInt128(100 + $0)), by: Sample.customer) })
        many.when(Sample.accept(), by: Sample.customer).thenRejected(.alreadyMerchant)
        many.given(Sample.closed(ShopID(100), redeemUntil: Sample.start, erasesContact: false))
            .when(Sample.accept(), by: Sample.customer).thenAccepted()
    }

    @Test("The refusal to take over a shop beyond the thousand that one may own names that limit, even if all of them are closed")
    func limitWithClosedShops() {
        let shops = (0..<1_000).map { ShopID(UInt128(1_000 + $0)) }
        let ever = shops.flatMap { shop -> [LoyaltyEvent] in
            [Sample.shopOpened(shop, by: Sample.customer), Sample.closed(shop, redeemUntil: Sample.start, erasesContact: false)]
        }
        Self.offered.given(ever).when(Sample.accept(), by: Sample.customer).thenRejected(.alreadyMerchant)
        Self.offered.given(Array(ever.dropLast(2))).when(Sample.accept(), by: Sample.customer).thenAccepted()
    }

    @Test("A shop changes hands a hundred times at most")
    func often() {
        let often = Scenario.running.given(
            (0..<50).flatMap { _ in [Sample.transferred(), Sample.transferred(to: Sample.owner, from: Sample.customer)] })
        often.when(Sample.transfer(), by: Sample.owner).thenInvalid("")
    }

    // MARK: The record of a lapse

    @Test("The lapse of an unanswered offer is recorded once, with the time at which the offer ended, however late")
    func recordedLapse() {
        let end = Sample.afterDays(7)
        Self.offered.when(Sample.lapseTransfer(), by: .system, at: Instant(microseconds: end.microseconds - 1)).thenNothing()
        for now in [end, Sample.afterDays(40)] {
            let over = Self.offered.when(Sample.lapseTransfer(), by: .system, at: now).then(Sample.transferLapsed(dueAt: end))
            over.when(Sample.lapseTransfer(), by: .system, at: Sample.afterDays(50)).thenNothing()
            #expect(over.world.shops[Sample.shop]?.transfer == nil)
            #expect(over.world.invitations[Sample.invitation]?.answer == .lapsed)
        }
    }

    @Test("An offer that was answered or withdrawn does not lapse, and no lapse of an offer of work is recorded")
    func nothingLapses() {
        let answered = [Self.offered.given(Sample.unInvited()), Self.offered.given(Sample.transferred())]
        for scenario in answered + [Scenario.running, Scenario.running.given(Sample.invited())] {
            scenario.when(Sample.lapseTransfer(), by: .system, at: Sample.afterDays(8)).thenNothing()
        }
        Self.offered.when(Sample.lapseTransfer(ShopID(19)), by: .system, at: Sample.afterDays(8)).thenNothing()
    }

    @Test("The offer of a suspended or closed shop lapses too, and so does that of an owner who was erased")
    func lapseWithoutTrade() {
        let closed = Sample.closed(redeemUntil: Sample.afterDays(9), erasesContact: false)
        for event in [Sample.suspended(), closed, Sample.erased(Sample.owner)] {
            Self.offered.given(event).when(Sample.lapseTransfer(), by: .system, at: Sample.afterDays(8)).then(Sample.transferLapsed())
        }
    }

    @Test("People get the same answers about a lapsed offer before and after the lapse is recorded, and also if the clock is set back then")
    func afterTheLapse() throws {
        let over = Self.offered.given(Sample.transferLapsed(), at: Sample.afterDays(8))
        for (scenario, days) in [(Self.offered, 8), (over, 8), (over, 1)] as [(Scenario, Int64)] {
            let now = Sample.afterDays(days)
            scenario.when(Sample.accept(), by: Sample.customer, at: now).thenRejected(.offerNotOpen)
            scenario.when(Sample.decline(), by: Sample.customer, at: now).thenRejected(.offerNotOpen)
            scenario.when(Sample.withdraw(), by: Sample.owner, at: now).thenRejected(.offerNotOpen)
            let shop = try #require(scenario.world.shops[Sample.shop])
            #expect(scenario.world.invitations[Sample.invitation]?.status(at: now, of: shop) == .lapsed)
        }
    }

    @Test("A withdrawal after the offer has lapsed records the lapse, so that the offer stays over if the clock is set back")
    func withdrawalAfterTheLapse() {
        let over = Self.offered.when(Sample.keep(), by: Sample.owner, at: Sample.afterDays(8)).then(Sample.transferLapsed())
        over.when(Sample.keep(), by: Sample.owner, at: Sample.afterDays(8)).thenNothing()
        over.when(Sample.accept(), by: Sample.customer, at: Sample.afterDays(1)).thenRejected(.offerNotOpen)
    }

    @Test("The takeover of a shop ends offers of work, also one that has lapsed, so that nobody joins later without the new owner")
    func lapsedOffersOfWork() {
        let work = Sample.invited(Sample.stranger, as: InvitationID(91), until: Sample.afterDays(6))
        let offered = Self.offered.given([work], at: Sample.start.advanced(bySeconds: -86_400))
        let taken = offered.when(Sample.accept(), by: Sample.customer, at: Sample.afterDays(7).advanced(bySeconds: -1))
            .then(Sample.transferred(), Sample.unInvited(Sample.stranger, as: InvitationID(91)))
        taken.when(Sample.accept(InvitationID(91)), by: Sample.stranger, at: Sample.afterDays(1)).thenRejected(.offerNotOpen)
    }

    @Test("The next offer of the shop records the lapse of the one before, unless the scheduler has")
    func lapseByTheNextOffer() {
        let (now, end) = (Sample.afterDays(9), Sample.afterDays(16))
        for account in [Sample.customer, Sample.stranger] {
            let next = Sample.transferOffered(to: account, as: second, until: end)
            Self.offered.when(Sample.transfer(to: account, as: second), by: Sample.owner, at: now).then(Sample.transferLapsed(), next)
            let over = Self.offered.given(Sample.transferLapsed(), at: Sample.afterDays(8))
            over.when(Sample.transfer(to: account, as: second), by: Sample.owner, at: now).then(next)
        }
        // A refused offer records nothing.
        Self.offered.when(Sample.transfer(as: second), by: Sample.staff, at: now).thenRejected(.roleRequired)
        Self.offered.given(Sample.suspended()).when(Sample.transfer(as: second), by: Sample.owner, at: now).thenRejected(.suspended)
    }

    // MARK: Other data of a shop after its transfer

    @Test("The former owner's open codes end, others' codes stay valid, and so do new codes of a former owner who is hired")
    func codes() {
        let issued = Scenario.running.when(Sample.issue(), by: Sample.owner).after
            .when(Sample.issue(CodeID(31), secret: Secret(5)), by: Sample.staff).after
        let gone = issued.given([Sample.transferOffered(to: Sample.rival), Sample.transferred(to: Sample.rival)], at: Sample.after(1))
        gone.when(Sample.stamp(), by: Sample.customer, at: Sample.after(2)).thenRejected(.codeNotValid)
        gone.when(Sample.stamp(Secret(5)), by: Sample.customer, at: Sample.after(2)).thenAccepted()
        let hired = gone.given([Sample.invited(Sample.owner), Sample.joined(Sample.owner)], at: Sample.after(3))
        hired.when(Sample.stamp(), by: Sample.customer, at: Sample.after(4)).thenRejected(.codeNotValid)
        hired.when(Sample.issue(CodeID(32), secret: Secret(6)), by: Sample.owner, at: Sample.after(4)).after
            .when(Sample.stamp(Secret(6)), by: Sample.customer, at: Sample.after(5)).thenAccepted()
    }

    @Test("Campaigns and cards go on; a holder who becomes the owner neither stamps nor redeems their own card")
    func cards() {
        let full = Scenario.redemptionShown.given(Sample.issued(CodeID(31), secret: Secret(7)), Sample.transferOffered())
        let gone = full.when(Sample.accept(), by: Sample.customer).after
        gone.when(Sample.redeem(), by: Sample.staff).thenRejected(.redemptionNotValid)
        gone.when(Sample.redeem(), by: Sample.customer).thenRejected(.redemptionNotValid)
        gone.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenRejected(.ownCampaign)
        gone.when(Sample.issue(CodeID(33), secret: Secret(8)), by: Sample.staff).after
            .when(Sample.stamp(Secret(8), firstCard: CardID(600)), by: Sample.stranger).thenAccepted()
        gone.when(Sample.issue(CodeID(33), secret: Secret(8)), by: Sample.staff).after
            .when(Sample.stamp(Secret(8), firstCard: CardID(600)), by: Sample.customer).thenRejected(.ownCampaign)
        #expect(gone.world.campaigns == full.world.campaigns && gone.world.cards == full.world.cards)
        let other = Scenario.redemptionShown.given(Sample.transferred(to: Sample.stranger))
        other.when(Sample.redeem(), by: Sample.stranger).then(Sample.redeemed())
        other.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("The former owner may collect and review at the shop like anybody")
    func formerOwner() {
        Self.gone.when(Sample.review(), by: Sample.owner).thenAccepted()
        Self.gone.when(Sample.review(), by: Sample.customer).thenRejected(.ownShop)
        Self.gone.when(Sample.issue(), by: Sample.staff).after.when(Sample.stamp(), by: Sample.owner).thenAccepted()
    }

    @Test("A member of the staff who takes the shop over is no longer staff, and offers of work end")
    func staff() {
        let offered = Scenario.running.given(
            Sample.transferOffered(to: Sample.staff), Sample.invited(Sample.stranger, as: second, role: .manager))
        let gone = offered.when(Sample.accept(), by: Sample.staff)
            .then(Sample.transferred(to: Sample.staff), Sample.unInvited(Sample.stranger, as: second))
        #expect(gone.world.shops[Sample.shop]?.role(of: Sample.staff) == .owner && gone.world.shops[Sample.shop]?.staff == [])
        gone.when(Sample.accept(second), by: Sample.stranger).thenRejected(.offerNotOpen)
    }

    @Test("The shop closes with its new owner, and not with the former one")
    func erasure() {
        Self.gone.when(.eraseAccount(EraseAccount()), by: Sample.owner).then(Sample.erased(Sample.owner))
        let erased = Self.gone.when(.eraseAccount(EraseAccount()), by: Sample.customer).after
        #expect(erased.world.shops[Sample.shop]?.contact == .erased)
    }
}
