import Loyalty
import Testing

/// Tests off which cards a reversal takes stamps, if operators, holders or other reversals have changed the cards since.
@Suite struct ReverseStampPlaceTests {
    private static let (next, third) = (CardID(401), CardID(402))
    private static let (other, another, late) = (CodeID(31), CodeID(32), CodeID(33))

    /// Ten stamps of one code fill a card; four stamps of another code are on the next card.
    private let fullAndBegun = Scenario.cardFull.given(
        Sample.issued(other, secret: Secret(8), stamps: 4), Sample.opened(next), Sample.stamped(4, on: next, with: other))
    /// The cards of `fullAndBegun` after the first code's stamps were taken back: the first card has the four stamps of the other code,
    /// and the next card was discarded.
    private var moved: Scenario {
        fullAndBegun.when(Sample.takeBack(), by: Sample.staff)
            .then(Sample.tookBack(4, from: Self.next), Sample.discarded(Self.next), Sample.tookBack(6))
    }
    private let lateStamps = [
        Sample.issued(late, secret: Secret(9), stamps: 5), Sample.opened(third), Sample.stamped(5, on: third, with: late),
    ]

    private func discarding(_ card: CardID, _ scenario: Scenario) -> Scenario {
        scenario.given([Sample.discarded(card)], by: Sample.customer)
    }

    @Test("Stamps that an operator removed from a card that its holder then discarded are not taken from another card")
    func adjustedAndDiscarded() {
        let both = Scenario.running.given(
            Sample.issued(Self.other, secret: Secret(8), stamps: 4), Sample.issued(Self.another, secret: Secret(10), stamps: 3),
            Sample.opened(), Sample.stamped(4, with: Self.other), Sample.stamped(3, with: Self.another), Sample.adjusted(-3))
        let empty = both.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(4, with: Self.other))
        let gone = discarding(Sample.card, empty).given(lateStamps)
        gone.when(Sample.takeBack(Self.another), by: Sample.owner).thenRejected(.notReversible)
        gone.when(Sample.takeBack(Self.late), by: Sample.owner).then(Sample.tookBack(5, from: Self.third, with: Self.late))
    }

    @Test("Stamps that moved to another card are taken back there, also after its holder has discarded it")
    func movedAndDiscarded() {
        let gone = discarding(Sample.card, moved)
        gone.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(4, with: Self.other))
        gone.given(lateStamps).when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(4, with: Self.other))
    }

    @Test("Stamps that moved to a card that was filled since come off that card, and off the collecting card")
    func movedAndFilled() {
        let filled = moved.given(Sample.issued(Self.another, secret: Secret(10), stamps: 6), Sample.stamped(6, with: Self.another))
        filled.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(4, with: Self.other))
        let begun = filled.given(Sample.issued(Self.late, secret: Secret(9)), Sample.opened(Self.third))
            .given(Sample.stamped(on: Self.third, with: Self.late))
        begun.when(Sample.takeBack(Self.other), by: Sample.owner).then(
            Sample.tookBack(1, from: Self.third, with: Self.other), Sample.discarded(Self.third), Sample.tookBack(3, with: Self.other))
    }

    @Test("Stamps that moved to a card that was redeemed since are not taken back")
    func movedAndRedeemed() {
        let redeemed = moved.given(
            Sample.issued(Self.another, secret: Secret(10), stamps: 6), Sample.stamped(6, with: Self.another), Sample.requested(),
            Sample.redeemed())
        for scenario in [redeemed, redeemed.given(lateStamps), discarding(Sample.card, redeemed).given(lateStamps)] {
            scenario.when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
        }
    }

    @Test("Stamps that an operator has removed do not move with a code's other stamps to another card")
    func adjustedAndMoved() {
        let two = fullAndBegun.given(Sample.adjusted(-2, on: Self.next)).when(Sample.takeBack(), by: Sample.staff)
            .then(Sample.tookBack(2, from: Self.next), Sample.discarded(Self.next), Sample.tookBack(8))
        let more = two.given(Sample.issued(Self.late, secret: Secret(9), stamps: 5), Sample.stamped(5, with: Self.late))
        more.when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
        more.when(Sample.takeBack(Self.late), by: Sample.owner).then(Sample.tookBack(5, with: Self.late))
        let none = fullAndBegun.given(Sample.adjusted(-4, on: Self.next)).when(Sample.takeBack(), by: Sample.staff)
            .then(Sample.discarded(Self.next), Sample.tookBack(10))
        none.given(Sample.issued(Self.late, secret: Secret(9), stamps: 5), Sample.stamped(5, with: Self.late))
            .when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("Stamps that an operator has removed are not taken off another card, also where two reversals come one right after the other")
    func adjustedBetweenNeighbours() {
        // The next card has a stamp of `late` in place of the one of `other`. The reversal of `late` empties the card, and the event right
        // after it discards the card, for the reversal of the first card's code.
        let begun = Scenario.cardFull.given(
            Sample.issued(Self.other, secret: Secret(8)), Sample.opened(Self.next), Sample.stamped(on: Self.next, with: Self.other),
            Sample.adjusted(-1, on: Self.next), Sample.issued(Self.late, secret: Secret(9)), Sample.stamped(on: Self.next, with: Self.late))
        let empty = begun.when(Sample.takeBack(Self.late), by: Sample.staff).then(Sample.tookBack(from: Self.next, with: Self.late))
        for apart in [empty, empty.given(Sample.issued(CodeID(34), secret: Secret(11)))] {
            let moved = apart.when(Sample.takeBack(), by: Sample.staff).then(Sample.discarded(Self.next), Sample.tookBack(10))
            let again = moved.given(Sample.issued(Self.another, secret: Secret(10)), Sample.stamped(with: Self.another))
            again.when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
            again.when(Sample.takeBack(Self.another), by: Sample.owner).then(Sample.tookBack(with: Self.another))
        }
    }

    @Test("Two reversals that come one right after the other are not taken for one that discards several cards")
    func discardedByNeighbours() {
        // The sample code gave one stamp more than it is worth, a welcome stamp. An operator removed a stamp of the third card.
        let begun = Scenario.running.given(
            Sample.issued(Self.another, secret: Secret(10), stamps: 10), Sample.opened(), Sample.stamped(10, with: Self.another),
            Sample.issued(stamps: 10), Sample.opened(Self.next), Sample.stamped(10, on: Self.next), Sample.opened(Self.third),
            Sample.stamped(on: Self.third), Sample.issued(Self.other, secret: Secret(8)), Sample.stamped(on: Self.third, with: Self.other),
            Sample.adjusted(-1, on: Self.third))
        let once = begun.when(Sample.takeBack(), by: Sample.staff).then(
            Sample.tookBack(from: Self.third), Sample.discarded(Self.third), Sample.tookBack(10, from: Self.next))
        let twice = once.when(Sample.takeBack(Self.another), by: Sample.staff)
            .then(Sample.discarded(Self.next), Sample.tookBack(10, with: Self.another))
        twice.given(Sample.issued(Self.late, secret: Secret(9)), Sample.stamped(with: Self.late))
            .when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("Stamps are followed from card to card over several reversals")
    func movedTwice() {
        let first = Scenario.running.given(
            Sample.issued(Self.another, secret: Secret(10), stamps: 10), Sample.opened(Self.third),
            Sample.stamped(10, on: Self.third, with: Self.another), Sample.issued(stamps: 10), Sample.opened(), Sample.stamped(10),
            Sample.issued(Self.other, secret: Secret(8), stamps: 4), Sample.opened(Self.next),
            Sample.stamped(4, on: Self.next, with: Self.other))
        let once = first.when(Sample.takeBack(), by: Sample.staff).after
        let twice = once.when(Sample.takeBack(Self.another), by: Sample.staff)
            .then(
                Sample.tookBack(4, with: Self.another), Sample.discarded(), Sample.tookBack(6, from: Self.third, with: Self.another))
        for scenario in [twice, discarding(Self.third, twice)] {
            scenario.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(4, from: Self.third, with: Self.other))
        }
    }

    /// Single stamps of ten codes fill a card. One stamp each of two further codes is on the next card.
    private static let singles = (0..<10).map { CodeID(UInt128(600 + $0)) }
    private var filledOneByOne: Scenario {
        let stamps = Self.singles.flatMap { [Sample.issued($0, secret: Secret($0.value)), Sample.stamped(with: $0)] }
        return Scenario.running.given([Sample.opened()] + stamps).given(
            Sample.opened(Self.next), Sample.issued(Self.other, secret: Secret(8)), Sample.stamped(on: Self.next, with: Self.other),
            Sample.issued(Self.another, secret: Secret(10)), Sample.stamped(on: Self.next, with: Self.another))
    }

    /// The cards of `filledOneByOne` after the stamps of the last two of the ten codes were taken back: the first card is still full, and
    /// the next card is empty.
    private var lent: Scenario {
        Self.singles.suffix(2).reduce(filledOneByOne) { scenario, code in
            scenario.when(Sample.takeBack(code), by: Sample.staff).then(Sample.tookBack(from: Self.next, with: code))
        }
    }

    @Test("Stamps that the collecting card lost so that a full card kept its own are taken back off the full card")
    func lentToAFullCard() {
        let first = lent.when(Sample.takeBack(Self.other), by: Sample.owner)
            .then(Sample.discarded(Self.next), Sample.tookBack(with: Self.other))
        first.when(Sample.takeBack(Self.another), by: Sample.owner).then(Sample.tookBack(with: Self.another))
        // The card `next`, which was empty, gets a stamp of the code `late`. The reversal of the code `other` takes this stamp. When `late`
        // is reversed too, a stamp of the full card is taken instead.
        let later = lent.given(Sample.issued(Self.late, secret: Secret(9)), Sample.stamped(on: Self.next, with: Self.late))
            .when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(from: Self.next, with: Self.other))
        later.when(Sample.takeBack(Self.late), by: Sample.owner).then(Sample.discarded(Self.next), Sample.tookBack(with: Self.late))
    }

    @Test("Stamps of the collecting card are taken back off the full card, also after the holder has discarded the empty one")
    func lentAndDiscarded() {
        let gone = discarding(Self.next, lent)
        gone.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(with: Self.other))
        let begun = gone.given(
            Sample.issued(Self.late, secret: Secret(9)), Sample.opened(Self.third), Sample.stamped(on: Self.third, with: Self.late))
        let taken = begun.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(from: Self.third, with: Self.other))
        taken.when(Sample.takeBack(Self.late), by: Sample.owner).then(Sample.discarded(Self.third), Sample.tookBack(with: Self.late))
    }

    @Test("Stamps of a discarded card are taken back off the code's own full card, if that card kept them")
    func lentToTheOwnFullCard() {
        let filled = Scenario.running.given(
            Sample.issued(Self.another, secret: Secret(10), stamps: 6), Sample.opened(), Sample.stamped(6, with: Self.another),
            Sample.issued(stamps: 10), Sample.stamped(4), Sample.opened(Self.next), Sample.stamped(6, on: Self.next))
        let once = filled.when(Sample.takeBack(Self.another), by: Sample.staff)
            .then(Sample.tookBack(6, from: Self.next, with: Self.another))
        discarding(Self.next, once).when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack(10))
        let redeemed = once.given(Sample.requested(), Sample.redeemed())
        discarding(Self.next, redeemed).when(Sample.takeBack(), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("Stamps that a card lost before a since discarded card replaced it are taken back off the full card that kept them")
    func lentBeforeTheReplacementWasDiscarded() {
        let rest = CodeID(34)
        let filled = Scenario.running.given(
            Sample.issued(rest, secret: Secret(11), stamps: 6), Sample.opened(), Sample.stamped(6, with: rest),
            Sample.issued(Self.another, secret: Secret(10), stamps: 10), Sample.stamped(4, with: Self.another), Sample.opened(Self.next),
            Sample.stamped(6, on: Self.next, with: Self.another), Sample.issued(Self.other, secret: Secret(8), stamps: 9),
            Sample.stamped(4, on: Self.next, with: Self.other), Sample.opened(Self.third),
            Sample.stamped(5, on: Self.third, with: Self.other))
        let once = filled.when(Sample.takeBack(Self.another), by: Sample.staff).then(
            Sample.tookBack(5, from: Self.third, with: Self.another), Sample.discarded(Self.third),
            Sample.tookBack(5, from: Self.next, with: Self.another))
        discarding(Self.next, once).when(Sample.takeBack(Self.other), by: Sample.owner).then(
            Sample.tookBack(5, from: Self.next, with: Self.other), Sample.tookBack(4, with: Self.other))
    }

    @Test("No stamps come off a redeemed or discarded full card, and off any other no more than it kept at another card's expense")
    func lentAndSpent() {
        let redeemed = lent.given(Sample.requested(), Sample.redeemed())
        for scenario in [redeemed, discarding(Self.next, redeemed), discarding(Sample.card, lent)] {
            scenario.when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
        }
        let adjusted = filledOneByOne.given(Sample.adjusted(-1, on: Self.next))
            .when(Sample.takeBack(Self.singles[9]), by: Sample.staff).then(Sample.tookBack(from: Self.next, with: Self.singles[9]))
        let once = discarding(Self.next, adjusted).when(Sample.takeBack(Self.other), by: Sample.owner)
            .then(Sample.tookBack(with: Self.other))
        once.when(Sample.takeBack(Self.another), by: Sample.owner).thenRejected(.notReversible)
        // The full card kept one stamp. The other stamps that `late` gave to the next card were removed by an operator.
        let late = [Sample.issued(Self.late, secret: Secret(9), stamps: 3), Sample.stamped(3, on: Self.next, with: Self.late)]
        let more = filledOneByOne.given(late).when(Sample.takeBack(Self.singles[9]), by: Sample.staff)
            .then(Sample.tookBack(from: Self.next, with: Self.singles[9]))
        more.given(Sample.adjusted(-4, on: Self.next)).when(Sample.takeBack(Self.late), by: Sample.owner).thenRejected(.notReversible)
    }

    /// Eight stamps of the code `another` are on a card, which two stamps of the sample code filled. Its other four stamps are on the next
    /// card, which six stamps of the code `other` filled. The other two stamps of that code are on a third card.
    private let overThreeCards = Scenario.running.given(
        Sample.issued(another, secret: Secret(10), stamps: 8), Sample.opened(), Sample.stamped(8, with: another), Sample.issued(stamps: 6),
        Sample.stamped(2), Sample.opened(next), Sample.stamped(4, on: next), Sample.issued(other, secret: Secret(8), stamps: 8),
        Sample.stamped(6, on: next, with: other), Sample.opened(third), Sample.stamped(2, on: third, with: other))

    @Test("Stamps that a replaced card lost so that a full card kept its own are taken back off the full card, unless it was spent")
    func lentAndReplaced() {
        // The third card's two stamps are on the first card now, which stayed full. The next card replaced the third.
        let once = overThreeCards.when(Sample.takeBack(), by: Sample.staff).then(
            Sample.tookBack(2, from: Self.third), Sample.discarded(Self.third), Sample.tookBack(4, from: Self.next))
        let twice = once.when(Sample.takeBack(Self.other), by: Sample.owner).then(
            Sample.tookBack(6, from: Self.next, with: Self.other), Sample.discarded(Self.next), Sample.tookBack(2, with: Self.other))
        twice.when(Sample.takeBack(Self.another), by: Sample.owner).then(Sample.tookBack(8, with: Self.another))
        let redeemed = once.given(Sample.requested(), Sample.redeemed())
        for scenario in [redeemed, discarding(Sample.card, once), once.given(Sample.adjusted(-1, on: Self.next))] {
            scenario.when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
        }
    }

    @Test("Stamps that were lent to a full card before their card was replaced are complete, whatever the replacing cards lost")
    func lentBeforeTheyMoved() {
        let filled = Scenario.running.given(
            Sample.issued(Self.another, secret: Secret(10), stamps: 4), Sample.opened(goal: 5), Sample.stamped(4, with: Self.another),
            Sample.issued(stamps: 6), Sample.stamped(1), Sample.opened(Self.next, goal: 5), Sample.stamped(5, on: Self.next),
            Sample.issued(Self.other, secret: Secret(8)), Sample.opened(Self.third, goal: 5),
            Sample.stamped(on: Self.third, with: Self.other))
        let once = filled.when(Sample.takeBack(), by: Sample.staff).then(
            Sample.tookBack(from: Self.third), Sample.discarded(Self.third), Sample.tookBack(5, from: Self.next))
        // Another event lies between the two reversals.
        let twice = once.given(Sample.issued(Self.late, secret: Secret(9))).when(Sample.takeBack(Self.another), by: Sample.staff)
            .then(Sample.discarded(Self.next), Sample.tookBack(4, with: Self.another))
        twice.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(with: Self.other))
    }

    @Test("Stamps that moved to a card and were removed there by an operator are not taken back, whatever their first card lost")
    func movedAndAdjusted() {
        let (rest, newest) = (CodeID(34), CodeID(35))
        let begun = Scenario.running.given(
            Sample.issued(Self.another, secret: Secret(10), stamps: 8), Sample.opened(), Sample.stamped(8, with: Self.another),
            Sample.issued(rest, secret: Secret(11), stamps: 2), Sample.stamped(2, with: rest), Sample.issued(stamps: 10),
            Sample.opened(Self.next), Sample.stamped(10, on: Self.next), Sample.issued(Self.other, secret: Secret(8), stamps: 4),
            Sample.opened(Self.third), Sample.stamped(4, on: Self.third, with: Self.other))
        let once = begun.when(Sample.takeBack(), by: Sample.staff).then(
            Sample.tookBack(4, from: Self.third), Sample.discarded(Self.third), Sample.tookBack(6, from: Self.next))
        let twice = once.given(Sample.adjusted(-4, on: Self.next)).when(Sample.takeBack(Self.another), by: Sample.staff)
            .then(Sample.discarded(Self.next), Sample.tookBack(8, with: Self.another))
        twice.given(Sample.issued(newest, secret: Secret(12), stamps: 4), Sample.stamped(4, with: newest))
            .when(Sample.takeBack(Self.other), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("A reversal that empties several cards at once leaves other codes' stamps on the last of them")
    func movedOverSeveralCards() {
        let cards = (1...3).map { CardID(UInt128(500 + $0)) }
        let filled = Scenario.running.given(Sample.issued(stamps: 9)).given(
            cards.flatMap { [Sample.opened($0, goal: 3), Sample.stamped(3, on: $0)] })
        let begun = filled.given(
            Sample.issued(Self.other, secret: Secret(8), stamps: 2), Sample.opened(Self.next, goal: 3),
            Sample.stamped(2, on: Self.next, with: Self.other))
        let reversed = begun.when(Sample.takeBack(), by: Sample.staff).then(
            Sample.tookBack(2, from: Self.next), Sample.discarded(Self.next), Sample.tookBack(3, from: cards[2]),
            Sample.discarded(cards[2]), Sample.tookBack(3, from: cards[1]), Sample.discarded(cards[1]), Sample.tookBack(1, from: cards[0]))
        for scenario in [reversed, discarding(cards[0], reversed), discarding(cards[0], reversed).given(lateStamps)] {
            scenario.when(Sample.takeBack(Self.other), by: Sample.owner).then(Sample.tookBack(2, from: cards[0], with: Self.other))
        }
    }
}
