import Loyalty
import Testing
import World

/// A refund reverses the stamps of a code, once and within a day, unless a reward was handed out for them.
@Suite struct ReverseStampTests {
    private static let next = CardID(401)
    private static let other = CodeID(31)

    private let stamped = Scenario.codeShown.given(Sample.opened(), Sample.stamped())
    /// Ten stamps of one code fill a card; four stamps of another code are on the next card.
    private let fullAndBegun = Scenario.cardFull.given(
        Sample.issued(other, secret: Secret(8), stamps: 4), Sample.opened(next), Sample.stamped(4, on: next, with: other))
    /// One code fills a card that had eight stamps, and puts three stamps on the next card.
    private let split = Scenario.running.given(
        Sample.issued(other, secret: Secret(8), stamps: 8), Sample.opened(), Sample.stamped(8, with: other),
        Sample.issued(stamps: 5), Sample.stamped(2), Sample.opened(next), Sample.stamped(3, on: next))

    @Test(
        "A reversal by the owner or staff removes the code's stamps, and the card goes on collecting",
        arguments: [Sample.owner, Sample.staff])
    func removesStamps(_ actor: AccountID) throws {
        let reversed = stamped.when(Sample.takeBack(), by: actor, at: Sample.after(60)).then(Sample.tookBack())
        let card = try #require(reversed.world.cards[Sample.card])
        #expect(card.stamps == 0 && card.status == .collecting)
        #expect(card.history.last?.kind == .stampReversed && card.history.last?.stamps == -1)
        #expect(reversed.world.codes[Sample.code]?.isReversed == true)
    }

    @Test("A holder who asks for many redemption codes does not prevent a refund")
    func manyRequests() {
        let requests = (0..<600).map { Sample.requested(RedemptionID(UInt128(1_000 + $0)), secret: Secret(UInt128(10_000 + $0))) }
        Scenario.cardFull.given(requests).when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack(10))
    }

    @Test("No stamps are taken off a card on which stamps were given and taken back very often")
    func oftenTakenBack() {
        let turns = (0..<250).flatMap { number -> [LoyaltyEvent] in
            let code = CodeID(UInt128(1_000 + number))
            return [
                Sample.issued(code, secret: Secret(UInt128(10_000 + number))), Sample.stamped(with: code), Sample.tookBack(with: code),
            ]
        }
        let begun = Scenario.codeShown.given(Sample.opened())
        let last = Array(turns.dropLast(3)) + [Sample.stamped()]
        begun.given(last).when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack())
        begun.given(turns + [Sample.stamped()]).when(Sample.takeBack(), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("A code whose stamps were taken back does not work again")
    func oldCode() {
        stamped.given(Sample.tookBack()).when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
    }

    @Test("The stamps of a code are taken back once")
    func itIsReversedOnce() {
        stamped.given(Sample.tookBack()).when(Sample.takeBack(reason: "Again"), by: Sample.staff).thenRejected(.notReversible)
    }

    @Test("The stamps of a code are taken back within a day, and not later")
    func withinADay() {
        let last = Instant(microseconds: Sample.after(86_400).microseconds - 1)
        stamped.when(Sample.takeBack(), by: Sample.owner, at: last).then(Sample.tookBack())
        stamped.when(Sample.takeBack(), by: Sample.owner, at: Sample.after(86_400)).thenRejected(.notReversible)
    }

    @Test("A full card whose stamps are taken back collects again")
    func fullCard() throws {
        let reversed = Scenario.cardFull.when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack(10))
        #expect(reversed.world.cards[Sample.card]?.status == .collecting)
        #expect(reversed.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Sample.card)
    }

    @Test("A redemption code that was shown becomes invalid when its card loses stamps")
    func aShownRedemptionIsVoid() {
        let reversed = Scenario.redemptionShown.when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack(10))
        reversed.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("A redeemed card keeps its stamps, also when discarded, until its redemption is reversed")
    func redeemedCard() {
        let redeemed = Scenario.redemptionShown.given(Sample.redeemed())
        redeemed.when(Sample.takeBack(), by: Sample.owner).thenRejected(.notReversible)
        redeemed.given(Sample.discarded()).when(Sample.takeBack(), by: Sample.owner).thenRejected(.notReversible)
        redeemed.given(Sample.reversed()).when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack(10))
    }

    @Test("Stamps over two cards come off the newer card first, which is discarded when it is empty")
    func stampsOverTwoCards() throws {
        let reversed = split.when(Sample.takeBack(), by: Sample.staff)
            .then(Sample.tookBack(3, from: Self.next), Sample.discarded(Self.next), Sample.tookBack(2))
        let card = try #require(reversed.world.collectingCard(of: Sample.customer, in: Sample.campaign))
        #expect(card.id == Sample.card && card.stamps == 8)
        #expect(reversed.world.cards[Self.next]?.status == .discarded)
    }

    @Test("Stamps of a full card come off the card that was begun since, and then off the full one")
    func theFullCardIsNotTheNewest() throws {
        let reversed = fullAndBegun.when(Sample.takeBack(), by: Sample.staff)
            .then(Sample.tookBack(4, from: Self.next), Sample.discarded(Self.next), Sample.tookBack(6))
        #expect(reversed.world.cards[Sample.card]?.stamps == 4)
        #expect(reversed.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Sample.card)
    }

    @Test("An empty card is discarded when the full card collects again")
    func anEmptyCardMakesWay() {
        let emptied = fullAndBegun.given(Sample.tookBack(4, from: Self.next, with: Self.other))
        let reversed = emptied.when(Sample.takeBack(), by: Sample.staff).then(Sample.discarded(Self.next), Sample.tookBack(10))
        #expect(reversed.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Sample.card)
    }

    @Test("A code whose stamps are on the next card is taken back without a change to the full card")
    func otherCode() {
        fullAndBegun.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(4, from: Self.next, with: Self.other))
    }

    @Test("Both codes of two cards are taken back, one after the other")
    func bothCodes() {
        let first = fullAndBegun.when(Sample.takeBack(), by: Sample.staff).after
        let both = first.when(Sample.takeBack(Self.other), by: Sample.staff).then(Sample.tookBack(4, with: Self.other))
        #expect(both.world.cards[Sample.card]?.stamps == 0)
    }

    @Test("Stamps given and taken back in turn do not make a card's history grow for ever")
    func aLongHistoryEnds() {
        var scenario = Scenario.running.given(Sample.opened())
        var reversals = 0
        for number in 0..<300 {
            let (code, secret) = (CodeID(1_000 + UInt128(number)), Secret(5_000 + UInt128(number)))
            let stamped = scenario.given(Sample.issued(code, secret: secret), Sample.stamped(with: code))
            guard case .success(let events) = stamped.when(Sample.takeBack(code), by: Sample.owner).verdict else { break }
            scenario = stamped.given(events)
            reversals += 1
        }
        #expect(scenario.world.cards[Sample.card]?.history.count ?? 0 <= 502)
        #expect(reversals > 100 && reversals < 300)
    }

    @Test("A discarded card loses the stamps of a refunded code, and stays discarded")
    func discardedCard() {
        let reversed = stamped.given(Sample.discarded()).when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack())
        #expect(reversed.world.cards[Sample.card]?.status == .discarded)
    }

    @Test("A full card that its holder threw away before the refund loses the stamps, and does not collect again")
    func aFullCardThatWasThrownAway() {
        let reversed = Scenario.cardFull.given(Sample.discarded()).when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack(10))
        #expect(reversed.world.cards[Sample.card]?.status == .discarded && reversed.world.cards[Sample.card]?.stamps == 0)
        #expect(reversed.world.collectingCard(of: Sample.customer, in: Sample.campaign) == nil)
    }

    @Test("Stamps that an operator has removed are not taken back again, so a card never goes below zero")
    func neverBelowZero() {
        stamped.given(Sample.adjusted(-1)).when(Sample.takeBack(), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("Only people of the shop take stamps back, and none off their own cards")
    func onlyPeople() {
        stamped.when(Sample.takeBack(), by: Sample.customer).thenRejected(.forbidden)
        stamped.when(Sample.takeBack(), by: Sample.stranger).thenRejected(.notFound)
        stamped.when(Sample.takeBack(), by: Sample.ghost).thenRejected(.notFound)
        stamped.when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notFound)
        stamped.employing(Sample.customer).when(Sample.takeBack(), by: Sample.customer).thenRejected(.ownCampaign)
    }

    @Test("A code that was never used is not reversed")
    func onlyWhatWasStamped() {
        Scenario.codeShown.when(Sample.takeBack(), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("A reversal without a reason, or with one of more than 500 characters, is rejected")
    func aReasonIsNeeded() {
        stamped.when(Sample.takeBack(reason: ""), by: Sample.owner).thenInvalid("reason")
        stamped.when(Sample.takeBack(reason: .clear(String(repeating: "x", count: 501))), by: Sample.owner).thenInvalid("reason")
    }

    @Test("A suspended shop takes stamps back, and a closed shop does so until its date")
    func inactiveShop() {
        stamped.given(Sample.suspended()).when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack())
        let closed = stamped.given(Sample.closed(redeemUntil: Sample.after(60), erasesContact: false))
        closed.when(Sample.takeBack(), by: Sample.owner, at: Sample.after(59)).then(Sample.tookBack())
        closed.when(Sample.takeBack(), by: Sample.owner, at: Sample.after(60)).thenRejected(.shopClosed)
    }

    @Test("Caps ignore reversed stamps")
    func capsForget() {
        let capped = Scenario.registered.given(
            Sample.shopOpened(), Sample.published(), Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: 1, minimumGapSeconds: nil)),
            Sample.hired(),
            Sample.issued(), Sample.opened(), Sample.stamped(), Sample.issued(Self.other, secret: Secret(8)))
        capped.when(Sample.stamp(Secret(8)), by: Sample.customer, at: Sample.after(9)).thenRejected(
            .stampedTooOften(retryAfterSeconds: 86_391))
        capped.given(Sample.tookBack()).when(Sample.stamp(Secret(8)), by: Sample.customer, at: Sample.after(9))
            .then(Sample.stamped(with: Self.other))
    }
}
