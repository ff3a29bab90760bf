import Loyalty
import Testing
import World

/// An account becomes staff only by accepting an invitation itself.
@Suite struct InvitationTests {
    private static let invited = Scenario.running.given(Sample.invited())
    private static let lastMoment = Sample.afterDays(7).advanced(bySeconds: -1)

    @Test("An offer changes nothing for the invited account")
    func customerRights() {
        let full = Scenario.redemptionShown.given(Sample.issued(CodeID(31), secret: Secret(7)), Sample.invited())
        full.when(Sample.stamp(Secret(7), firstCard: CardID(600)), by: Sample.customer).thenAccepted()
        full.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer).thenAccepted()
        full.when(Sample.redeem(), by: Sample.owner).then(Sample.redeemed())
        full.when(Sample.review(), by: Sample.customer).thenAccepted()
        full.when(Sample.issue(CodeID(32), secret: Secret(8)), by: Sample.customer).thenRejected(.forbidden)
    }

    @Test("The owner offers work; repeating the offer has no effect while it is open")
    func offers() {
        let offered = Scenario.running.when(Sample.invite(Sample.customer), by: Sample.owner).then(Sample.invited())
        offered.when(Sample.invite(Sample.customer, as: InvitationID(91)), by: Sample.owner, at: Self.lastMoment).thenNothing()
        let again = Sample.afterDays(7)
        offered.when(Sample.invite(Sample.customer, as: InvitationID(91)), by: Sample.owner, at: again)
            .then(Sample.invited(as: InvitationID(91), until: Sample.afterDays(14)))
        offered.when(Sample.invite(Sample.stranger), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("Only the owner offers work, and not at a suspended shop")
    func onlyTheOwner() {
        Scenario.running.when(Sample.invite(Sample.customer), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            Scenario.running.when(Sample.invite(Sample.customer), by: actor).thenRejected(.forbidden)
        }
        Scenario.running.when(Sample.invite(Sample.customer, to: ShopID(19)), by: Sample.owner).thenRejected(.notFound)
        Scenario.running.given(Sample.suspended()).when(Sample.invite(Sample.customer), by: Sample.owner).thenRejected(.suspended)
    }

    @Test("An offer to an unregistered account is recorded like any other, so that it reveals nothing")
    func nobody() {
        Scenario.running.when(Sample.invite(Sample.ghost), by: Sample.owner).then(Sample.invited(Sample.ghost))
    }

    @Test("A suspended owner's offer cannot be accepted until the owner is reinstated")
    func suspendedOwner() {
        let barred = Self.invited.given(.accountSuspended(AccountSuspended(account: Sample.owner, reason: "Sells stamps")))
        barred.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        let back = barred.given(.accountReinstated(AccountReinstated(account: Sample.owner, reason: "")))
        back.when(Sample.accept(), by: Sample.customer).thenAccepted()
    }

    @Test("A person who works at the shop is not invited")
    func noNeed() {
        for account in [Sample.owner, Sample.staff] {
            Scenario.running.when(Sample.invite(account), by: Sample.owner).thenNothing()
        }
    }

    @Test("The invited account accepts once")
    func acceptance() {
        let joined = Self.invited.when(Sample.accept(), by: Sample.customer, at: Self.lastMoment).then(Sample.joined())
        #expect(joined.world.shops[Sample.shop]?.staff == [Sample.staff, Sample.customer])
        joined.when(Sample.accept(), by: Sample.customer).thenNothing()
        joined.given(Sample.left(Sample.customer)).when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        joined.when(Sample.issue(), by: Sample.customer).thenAccepted()
    }

    @Test("No other account can answer an offer, or learns of it")
    func others() {
        for actor in [Sample.stranger, Sample.rival, Sample.staff, Sample.owner] {
            Self.invited.when(Sample.accept(), by: actor).thenRejected(.notFound)
            Self.invited.when(Sample.decline(), by: actor).thenRejected(.notFound)
        }
        Self.invited.when(Sample.accept(InvitationID(91)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("An offer that has lapsed is neither accepted nor declined")
    func lapsed() {
        for command in [Sample.accept(), Sample.decline()] {
            Self.invited.when(command, by: Sample.customer, at: Sample.afterDays(7)).thenRejected(.offerNotOpen)
        }
        Self.invited.when(Sample.withdraw(), by: Sample.owner, at: Sample.afterDays(7)).thenRejected(.offerNotOpen)
    }

    @Test("An offer that had lapsed when the shop made another one stays lapsed, also if the clock is set back later")
    func lapsedByAFastClock() throws {
        let next = Sample.invited(Sample.customer, as: InvitationID(91), until: Sample.afterDays(8))
        let other = Self.invited.given(Sample.invited(Sample.stranger, as: InvitationID(92)), at: Sample.afterDays(7))
        for scenario in [other, other.given([next], at: Sample.afterDays(1))] {
            for command in [Sample.accept(), Sample.decline()] {
                scenario.when(command, by: Sample.customer, at: Sample.afterDays(1)).thenRejected(.offerNotOpen)
            }
            scenario.when(Sample.withdraw(), by: Sample.owner, at: Sample.afterDays(1)).thenRejected(.offerNotOpen)
            let shop = try #require(scenario.world.shops[Sample.shop])
            #expect(scenario.world.invitations[Sample.invitation]?.status(at: Sample.afterDays(1), of: shop) == .lapsed)
        }
        other.when(Sample.invite(Sample.customer, as: InvitationID(91)), by: Sample.owner, at: Sample.afterDays(1)).then(next)
            .when(Sample.accept(InvitationID(91)), by: Sample.customer, at: Sample.afterDays(1)).thenAccepted()
    }

    @Test("Somebody who was removed cannot come back by an offer that had lapsed then, if the clock is set back later")
    func removedWithAFastClock() {
        let (late, past) = (Sample.afterDays(8), Sample.afterDays(1))
        let raise = Sample.invited(Sample.staff, role: .manager)
        let member = Scenario.running.given(raise)
        let left = member.when(Sample.dismiss(Sample.staff), by: Sample.owner, at: late).then(Sample.left(), Sample.unInvited(Sample.staff))
        let kept = member.when(Sample.invite(Sample.staff, role: .counter), by: Sample.owner, at: late)
            .then(Sample.unInvited(Sample.staff))
        for scenario in [left, kept] { scenario.when(Sample.accept(), by: Sample.staff, at: past).thenRejected(.offerNotOpen) }
        Self.invited.when(Sample.dismiss(Sample.customer), by: Sample.owner, at: late).then(Sample.unInvited())
            .when(Sample.accept(), by: Sample.customer, at: past).thenRejected(.offerNotOpen)
    }

    @Test("A declined offer is over, and may be made again")
    func declining() {
        let declined = Self.invited.when(Sample.decline(), by: Sample.customer).then(Sample.unInvited())
        declined.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        declined.when(Sample.invite(Sample.customer, as: InvitationID(91)), by: Sample.owner)
            .then(Sample.invited(as: InvitationID(91)))
        Self.invited.given(Sample.joined()).when(Sample.decline(), by: Sample.customer).thenRejected(.offerNotOpen)
    }

    @Test("The owner withdraws an open offer", arguments: [Sample.withdraw(), Sample.dismiss(Sample.customer)])
    func withdrawing(_ command: Command) {
        let withdrawn = Self.invited.when(command, by: Sample.owner).then(Sample.unInvited())
        withdrawn.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        withdrawn.when(Sample.decline(), by: Sample.customer).thenNothing()
        Self.invited.when(command, by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] { Self.invited.when(command, by: actor).thenRejected(.forbidden) }
    }

    @Test("Withdrawing never ends the work of somebody who accepted meanwhile, or another shop's offer")
    func withdrawingTooLate() {
        Self.invited.given(Sample.joined()).when(Sample.withdraw(), by: Sample.owner).thenRejected(.offerNotOpen)
        Self.invited.when(Sample.withdraw(of: Sample.rivalShop), by: Sample.rival).thenRejected(.notFound)
    }

    @Test("Nobody joins a suspended shop, or one whose owner was erased")
    func closedShops() {
        Self.invited.given(Sample.suspended()).when(Sample.accept(), by: Sample.customer).thenRejected(.suspended)
        Self.invited.given(Sample.erased(Sample.owner)).when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
    }

    @Test("Staff and open offers together are at most a hundred")
    func atMost() {
        let people = (0..<100).map { AccountID(UInt128(1_000 + $0)) }
        let full = Scenario.running.given(
            people.dropLast().map { Sample.invited($0, as: InvitationID($0.value)) })
        let next = Sample.invite(people[99], as: InvitationID(5_000))
        full.when(next, by: Sample.owner).thenInvalid("account")
        full.given(Sample.left()).when(next, by: Sample.owner).thenAccepted()
        full.given(Sample.unInvited(people[0], as: InvitationID(people[0].value))).when(next, by: Sample.owner).thenAccepted()
        full.when(next, by: Sample.owner, at: Sample.afterDays(7)).thenAccepted()
    }

    @Test("A shop hires a thousand times in all, open offers included")
    func hirings() {
        func joined(_ number: UInt128) -> LoyaltyEvent { Sample.joined(AccountID(1_000 + number), as: InvitationID(1_000 + number)) }
        func left(_ number: UInt128) -> LoyaltyEvent { Sample.left(AccountID(1_000 + number)) }
        let many = Scenario.running.given((0..<998).flatMap { [joined($0), left($0)] })
        let last = many.when(Sample.invite(Sample.customer), by: Sample.owner).after.given(joined(998), left(998))
        last.when(Sample.invite(Sample.stranger, as: InvitationID(91)), by: Sample.owner).thenInvalid("")
        many.when(Sample.invite(Sample.stranger), by: Sample.owner).thenAccepted()
    }
}
