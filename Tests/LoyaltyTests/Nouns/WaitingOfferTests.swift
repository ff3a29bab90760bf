import Loyalty
import Testing
import World

/// An offer of work to a number without an account becomes the offer to whoever verifies the number.
@Suite struct WaitingOfferTests {
    /// Nobody is registered under this id, which stands for the number.
    private static let number = Sample.ghost
    private static let waiting = Scenario.running.given(Sample.invited(number))

    private static func taken(_ account: AccountID = Sample.customer, as invitation: InvitationID = Sample.invitation) -> LoyaltyEvent {
        .waitingOfferTaken(WaitingOfferTaken(invitation: invitation, shop: Sample.shop, account: account))
    }

    @Test("The account that took the offer accepts or declines it, and the owner can withdraw it")
    func answers() {
        Self.waiting.when(Sample.accept(), by: Sample.customer).thenRejected(.notFound)
        let taken = Self.waiting.when(Sample.takeOffer(), by: Sample.customer).then(Self.taken())
        taken.when(Sample.takeOffer(), by: Sample.customer).thenNothing()
        taken.when(Sample.accept(), by: Sample.customer).then(Sample.joined())
        taken.when(Sample.decline(), by: Sample.customer).then(Sample.unInvited())
        taken.when(Sample.withdraw(), by: Sample.owner).then(Sample.unInvited())
        taken.when(Sample.accept(), by: Sample.stranger).thenRejected(.notFound)
    }

    @Test("The offer keeps its role and its end")
    func terms() {
        let manager = Scenario.running.given(Sample.invited(Self.number, role: .manager))
        let taken = manager.when(Sample.takeOffer(), by: Sample.customer, at: Sample.afterDays(6)).then(Self.taken())
        taken.when(Sample.accept(), by: Sample.customer, at: Sample.afterDays(6)).then(Sample.joined(role: .manager))
        taken.when(Sample.accept(), by: Sample.customer, at: Sample.afterDays(7)).thenRejected(.offerNotOpen)
    }

    @Test("An offer that lapsed, was withdrawn or has a closed shop is not taken")
    func over() {
        Self.waiting.when(Sample.takeOffer(), by: Sample.customer, at: Sample.afterDays(7)).thenNothing()
        Self.waiting.given(Sample.unInvited(Self.number)).when(Sample.takeOffer(), by: Sample.customer).thenNothing()
        let closed = Self.waiting.when(Sample.close(Sample.shop, redeemUntil: Sample.after(60)), by: Sample.owner).after
        closed.when(Sample.takeOffer(), by: Sample.customer).thenNothing()
    }

    @Test("The offer to an account is nobody else's, even after the account was erased")
    func accounts() {
        Scenario.running.given(Sample.invited(Sample.stranger)).when(Sample.takeOffer(), by: Sample.customer).thenRejected(.notFound)
        let erased = Scenario.running.given(Sample.invited(Sample.rival), .accountErased(AccountErased(account: Sample.rival)))
        erased.when(Sample.takeOffer(), by: Sample.customer).thenRejected(.notFound)
        Scenario.running.when(Sample.takeOffer(InvitationID(91)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("The shop's own people take only an offer of a higher role")
    func team() {
        Self.waiting.when(Sample.takeOffer(), by: Sample.staff).thenNothing()
        Self.waiting.when(Sample.takeOffer(), by: Sample.owner).thenNothing()
        let manager = Scenario.running.given(Sample.invited(Self.number, role: .manager))
        let taken = manager.when(Sample.takeOffer(), by: Sample.staff).then(Self.taken(Sample.staff))
        taken.when(Sample.accept(), by: Sample.staff).then(Sample.became(.manager, by: Sample.invitation))
    }

    @Test("An account with an open offer of the shop keeps that one")
    func two() {
        let both = Self.waiting.given(Sample.invited(Sample.customer, as: InvitationID(91)))
        both.when(Sample.takeOffer(), by: Sample.customer).thenNothing()
        both.when(Sample.accept(InvitationID(91)), by: Sample.customer).thenAccepted()
    }

    @Test("The offer of a shop does not wait: a number may change hands")
    func transfers() {
        let offered = Scenario.running.given(Sample.transferOffered(to: Self.number))
        offered.when(Sample.takeOffer(), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("Offers that wait count as offers, so a shop has at most a hundred")
    func cap() {
        let offers = (1..<100 as Range<UInt128>).map { Sample.invited(AccountID(7_000 + $0), as: InvitationID(7_000 + $0)) }
        let full = Scenario.running.given(offers, at: Sample.start)
        full.when(Sample.invite(Self.number), by: Sample.owner).thenInvalid("account")
        full.when(Sample.invite(Self.number), by: Sample.owner, at: Sample.afterDays(7)).thenAccepted()
    }
}
