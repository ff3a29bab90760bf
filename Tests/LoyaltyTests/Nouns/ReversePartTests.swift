import Loyalty
import Testing
import World

/// A part of a code's stamps is taken back, the last ones first; the rest can be taken back later.
@Suite struct ReversePartTests {
    private static let next = CardID(401)
    private static let other = CodeID(31)

    /// Three stamps of one code.
    private let three = Scenario.running.given(Sample.issued(stamps: 3), Sample.opened(), Sample.stamped(3))
    /// One code fills a card that had eight stamps, and puts three stamps on the next card.
    private let split = Scenario.running.given(
        Sample.issued(other, secret: Secret(8), stamps: 8), Sample.opened(), Sample.stamped(8, with: other),
        Sample.issued(stamps: 5), Sample.stamped(2), Sample.opened(next), Sample.stamped(3, on: next))

    @Test("One of three stamps is taken back, then another, then the rest")
    func inParts() {
        let one = three.when(Sample.takeBack(Sample.code, 1), by: Sample.staff).then(Sample.tookBack(1, leaving: 2))
        #expect(one.world.codes[Sample.code]?.stampsLeft == 2 && one.world.codes[Sample.code]?.isReversed == false)
        let two = one.when(Sample.takeBack(Sample.code, 1), by: Sample.owner).then(Sample.tookBack(1, leaving: 1))
        let all = two.when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack(1))
        #expect(all.world.cards[Sample.card]?.stamps == 0 && all.world.codes[Sample.code]?.isReversed == true)
        all.when(Sample.takeBack(Sample.code, 1), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("All stamps as a number are the same as all stamps")
    func allAsANumber() { three.when(Sample.takeBack(Sample.code, 3), by: Sample.staff).then(Sample.tookBack(3)) }

    @Test("More than what is left is refused, with the number that is left")
    func beyond() {
        three.when(Sample.takeBack(Sample.code, 4), by: Sample.staff).thenRejected(Self.invalid(.beyondLeft(3)))
        let begun = three.given(Sample.tookBack(2, leaving: 1))
        begun.when(Sample.takeBack(Sample.code, 2), by: Sample.staff).thenRejected(Self.invalid(.beyondLeft(1)))
        three.when(Sample.takeBack(Sample.code, 60), by: Sample.staff).thenRejected(Self.invalid(.beyondLeft(3)))
    }

    @Test("None, a negative number and more than a code can give are refused", arguments: [0, -1, .min, 61, .max])
    func outside(_ stamps: Int) {
        three.when(Sample.takeBack(Sample.code, stamps), by: Sample.staff).thenRejected(Self.invalid(.outside(1...60)))
        three.when(Sample.takeBack(Sample.code, stamps), by: Sample.stranger).thenRejected(.notFound)
    }

    @Test("A part is taken back within a day of the stamps, and so is the rest")
    func withinADay() {
        let begun = three.given(Sample.tookBack(1, leaving: 2))
        begun.when(Sample.takeBack(), by: Sample.owner, at: Sample.after(86_400)).thenRejected(.notReversible)
        three.when(Sample.takeBack(Sample.code, 1), by: Sample.owner, at: Sample.after(86_400)).thenRejected(.notReversible)
    }

    @Test("A part comes off the newer card first, which stays while the full card stays full")
    func newerCardFirst() {
        let two = split.when(Sample.takeBack(Sample.code, 2), by: Sample.staff).then(Sample.tookBack(2, from: Self.next, leaving: 3))
        let all = two.when(Sample.takeBack(Sample.code, 1), by: Sample.staff).then(Sample.tookBack(1, from: Self.next, leaving: 2))
        #expect(all.world.cards[Sample.card]?.status == .full && all.world.cards[Self.next]?.status == .collecting)
        all.when(Sample.takeBack(), by: Sample.staff).then(Sample.discarded(Self.next), Sample.tookBack(2))
    }

    @Test("A part on the next card is taken back although the first card was redeemed")
    func redeemedFirst() {
        let redeemed = split.given(Sample.requested(), Sample.redeemed())
        redeemed.when(Sample.takeBack(), by: Sample.staff).thenRejected(.notReversible)
        let part = redeemed.when(Sample.takeBack(Sample.code, 3), by: Sample.staff).then(Sample.tookBack(3, from: Self.next, leaving: 2))
        part.when(Sample.takeBack(), by: Sample.staff).thenRejected(.notReversible)
        redeemed.when(Sample.takeBack(Sample.code, 4), by: Sample.staff).thenRejected(.notReversible)
    }

    @Test("A part that came off the next card for a full one leaves the other code's stamps to be taken back")
    func inPlaceOfAFullCard() {
        let full = Scenario.cardFull.given(
            Sample.issued(Self.other, secret: Secret(8), stamps: 4), Sample.opened(Self.next),
            Sample.stamped(4, on: Self.next, with: Self.other))
        let part = full.when(Sample.takeBack(Sample.code, 3), by: Sample.staff).then(Sample.tookBack(3, from: Self.next, leaving: 7))
        let both = part.when(Sample.takeBack(Self.other), by: Sample.staff)
            .then(
                Sample.tookBack(1, from: Self.next, with: Self.other), Sample.discarded(Self.next),
                Sample.tookBack(3, with: Self.other))
        let all = both.when(Sample.takeBack(), by: Sample.staff).then(Sample.tookBack(7))
        #expect(all.world.cards[Sample.card]?.stamps == 0)
    }

    @Test("Caps count the stamps that are left, and the welcome is given again only after the last one")
    func caps() {
        let capped = Scenario.running.given(Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: 3, minimumGapSeconds: nil)))
            .given(Sample.issued(stamps: 3), Sample.opened(), Sample.stamped(3), Sample.tookBack(2, leaving: 1))
        #expect(capped.world.gains(of: Sample.customer, in: Sample.campaign).newest.map(\.stamps) == [1])
        let secret = Secret(8)
        capped.given(Sample.issued(Self.other, secret: secret, stamps: 2)).when(Sample.stamp(secret), by: Sample.customer)
            .then(Sample.stamped(2, with: Self.other))
        #expect(capped.world.tally(of: Sample.customer, in: Sample.campaign).codes == 1)
        let none = capped.given(Sample.tookBack(1))
        #expect(none.world.tally(of: Sample.customer, in: Sample.campaign).codes == 0)
        #expect(none.world.gains(of: Sample.customer, in: Sample.campaign).newest.isEmpty)
    }

    @Test("The most that can be taken back is the most that the command accepts, before and after a reward and an operator's correction")
    func most() {
        let redeemed = split.given(Sample.requested(), Sample.redeemed())
        let emptied = Scenario.running.given(
            Sample.issued(stamps: 19), Sample.opened(), Sample.stamped(10), Sample.opened(Self.next), Sample.stamped(9, on: Self.next),
            Sample.adjusted(-9, on: Self.next))
        let cases: [(scenario: Scenario, most: Int?)] = [
            (three, 3), (three.given(Sample.tookBack(2, leaving: 1)), 1), (three.given(Sample.tookBack(3)), nil), (split, 5), (redeemed, 3),
            (redeemed.given(Sample.tookBack(3, from: Self.next, leaving: 2)), nil), (emptied, 10),
        ]
        for (number, (scenario, most)) in cases.enumerated() {
            for actor in [Sample.owner, Sample.staff, Sample.customer, Sample.stranger] {
                let accepted = mostAccepted(of: Sample.code, by: actor, at: Sample.start, in: scenario.world)
                #expect(accepted == (actor == Sample.owner || actor == Sample.staff ? most : nil), "case \(number)")
                var past = scenario.world
                #expect(ReverseStamp.most(of: Sample.code, by: actor, at: Sample.start, in: &past)?.stamps == accepted, "case \(number)")
            }
        }
    }

    private static func invalid(_ fault: FieldFault) -> Rejection { .invalid([InvalidField(field: "stamps", fault: fault)]) }
}

/// Every number of stamps that a code can have is tried.
func mostAccepted(of code: CodeID, by actor: AccountID, at now: Instant, in world: World) -> Int? {
    (1...60).last { stamps in
        var past = world
        let command = Command.reverseStamp(ReverseStamp(code: code, stamps: stamps, reason: "Refunded"))
        if case .success = command.decide(in: &past, by: actor, at: now) { return true }
        return false
    }
}
