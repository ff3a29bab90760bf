import Loyalty
import Testing
import World

/// A redemption code works once, for the newest request of a full card, and only for the shop's owner or staff.
@Suite struct RedeemTests {
    @Test(
        "The owner and staff hand out the reward, and the card and its redemption become redeemed", arguments: [Sample.owner, Sample.staff])
    func handOut(_ actor: AccountID) {
        let done = Scenario.redemptionShown.when(Sample.redeem(), by: actor, at: Sample.after(9)).then(Sample.redeemed())
        #expect(done.world.cards[Sample.card]?.status == .redeemed)
        #expect(done.world.redemptions[Sample.redemption]?.isRedeemed == true)
    }

    @Test("A redemption code works once")
    func itWorksOnce() {
        Scenario.redemptionShown.given(Sample.redeemed()).when(Sample.redeem(), by: Sample.staff).thenRejected(.redemptionNotValid)
    }

    @Test("An unknown redemption code is not valid")
    func unknownCode() {
        Scenario.redemptionShown.when(Sample.redeem(Secret(5)), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("A stamp code redeems nothing")
    func stampCode() {
        Scenario.redemptionShown.when(Sample.redeem(Sample.secret), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("A redemption code is valid until just before its expiry")
    func expiry() {
        let last = Instant(microseconds: Sample.after(300).microseconds - 1)
        Scenario.redemptionShown.when(Sample.redeem(), by: Sample.owner, at: last).thenAccepted()
        Scenario.redemptionShown.when(Sample.redeem(), by: Sample.owner, at: Sample.after(300)).thenRejected(.redemptionNotValid)
    }

    @Test("A newer request for a card replaces the older code")
    func newerRequest() {
        let newer = Scenario.redemptionShown.given(Sample.requested(RedemptionID(51), secret: Secret(5)))
        newer.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
        newer.when(Sample.redeem(Secret(5)), by: Sample.owner).then(Sample.redeemed(RedemptionID(51)))
    }

    @Test("The redemption code of a discarded card is not valid")
    func discardedCard() {
        Scenario.redemptionShown.given(Sample.discarded())
            .when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("An account that does not work at the shop redeems nothing", arguments: [Sample.rival, Sample.stranger, Sample.customer])
    func nobodyElseRedeems(_ actor: AccountID) {
        Scenario.redemptionShown.when(Sample.redeem(), by: actor).thenRejected(.redemptionNotValid)
    }

    @Test("A holder whom the shop has hired neither redeems the card nor gets its reward")
    func hiredHolder() {
        let hired = Scenario.redemptionShown.employing(Sample.customer)
        hired.when(Sample.redeem(), by: Sample.customer).thenRejected(.redemptionNotValid)
        hired.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("A suspended holder's code gets no reward, and works again once the holder is reinstated")
    func suspendedHolder() {
        let barred = Scenario.redemptionShown.given(
            .accountSuspended(AccountSuspended(account: Sample.customer, reason: "Sells stamps")))
        barred.when(Sample.redeem(), by: Sample.staff).thenRejected(.redemptionNotValid)
        let back = barred.given(.accountReinstated(AccountReinstated(account: Sample.customer, reason: "")))
        back.when(Sample.redeem(), by: Sample.staff).then(Sample.redeemed())
    }

    @Test("An erased holder's code gets no reward")
    func erasedHolder() {
        let gone = Scenario.redemptionShown.given(Sample.erased())
        gone.when(Sample.redeem(), by: Sample.staff).thenRejected(.redemptionNotValid)
    }

    @Test("A code is over once its card is no longer full, even if the stamps come back before the code expires")
    func stampsThatComeBack() {
        let more = [Sample.issued(CodeID(31), secret: Secret(8), stamps: 10), Sample.stamped(10, with: CodeID(31))]
        let lost = [[Sample.tookBack(10)] + more, [Sample.adjusted(-1), Sample.adjusted(1)]]
        for events in lost {
            let full = Scenario.redemptionShown.given(events)
            #expect(full.world.cards[Sample.card]?.status == .full)
            full.when(Sample.redeem(), by: Sample.owner, at: Sample.after(9)).thenRejected(.redemptionNotValid)
            let card = full.world.cards[Sample.card]
            #expect(card.flatMap { full.world.redemptions[Sample.redemption]?.status(at: Sample.after(9), of: $0) } == .expired)
            let newer = full.given(Sample.requested(RedemptionID(51), secret: Secret(5)))
            newer.when(Sample.redeem(Secret(5)), by: Sample.owner).then(Sample.redeemed(RedemptionID(51)))
        }
    }

    @Test("A redemption is pending until it is redeemed or reversed, expires, or is replaced by a newer one")
    func itsStatus() throws {
        var redemption = try #require(Scenario.redemptionShown.world.redemptions[Sample.redemption])
        let (id, newer) = (redemption.id, RedemptionID(51))
        let (early, late) = (Sample.after(299), Sample.after(300))
        #expect(redemption.status(at: early, newest: id, cardStatus: .full) == .pending)
        #expect(redemption.status(at: early, newest: nil, cardStatus: .full) == .pending)
        #expect(redemption.status(at: late, newest: id, cardStatus: .full) == .expired)
        #expect(redemption.status(at: early, newest: id, cardStatus: .discarded) == .expired)
        #expect(redemption.status(at: early, newest: newer, cardStatus: .full) == .replaced)
        #expect(redemption.status(at: late, newest: newer, cardStatus: .redeemed) == .replaced)
        redemption.redeemedAt = early
        #expect(redemption.status(at: late, newest: id, cardStatus: .redeemed) == .redeemed)
        #expect(redemption.status(at: late, newest: id, cardStatus: .discarded) == .redeemed)
        redemption.isReversed = true
        for status in CardStatus.allCases { #expect(redemption.status(at: early, newest: id, cardStatus: status) == .reversed) }
        #expect(redemption.status(at: early, newest: newer, cardStatus: .redeemed) == .reversed)
    }
}
