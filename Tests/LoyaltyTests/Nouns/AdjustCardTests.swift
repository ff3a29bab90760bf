import Loyalty
import Testing
import World

/// An operator corrects the number of stamps on a card. The correction is an event, and keeps the number between 0 and the goal.
@Suite struct AdjustCardTests {
    private let operatorAccount = Sample.stranger
    private let six = Scenario.running.given(Sample.opened(), Sample.stamped(6))

    private func adjust(_ scenario: Scenario, _ stamps: Int, _ card: CardID = Sample.card) -> Outcome {
        scenario.when(Sample.adjust(card, by: stamps), by: operatorAccount, at: Sample.after(5))
    }

    @Test(
        "An adjustment changes the card's stamps and status, and is an entry of its history",
        arguments: [(1, 7, CardStatus.collecting), (-6, 0, .collecting), (4, 10, .full)])
    func itsStatusFollows(_ stamps: Int, _ after: Int, _ status: CardStatus) throws {
        let card = try #require(adjust(six, stamps).then(Sample.adjusted(stamps)).world.cards[Sample.card])
        #expect(card.stamps == after && card.status == status)
        let entry = try #require(card.history.last)
        #expect(entry.kind == .adjusted && entry.stamps == stamps && entry.at == Sample.after(5))
    }

    @Test("A full card that loses a stamp to an adjustment collects again, and one more stamp fills it")
    func collectsAgain() {
        let collecting = adjust(.cardFull, -1).then(Sample.adjusted(-1))
        #expect(collecting.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Sample.card)
        let filled = adjust(collecting, 1).then(Sample.adjusted(1))
        #expect(filled.world.collectingCard(of: Sample.customer, in: Sample.campaign) == nil)
    }

    @Test("An adjustment by zero, below zero stamps or past the goal is rejected", arguments: [0, 5, -7, 51, -51, .max, .min])
    func outOfRange(_ stamps: Int) {
        adjust(six, stamps).thenInvalid("stamps")
    }

    @Test("A redeemed or discarded card is not adjusted, unless its redemption was reversed")
    func redeemedOrDiscarded() {
        adjust(Scenario.redemptionShown.given(Sample.redeemed()), -1).thenInvalid("stamps")
        adjust(six.given(Sample.discarded()), 1).thenInvalid("stamps")
        adjust(Scenario.redemptionShown.given(Sample.redeemed(), Sample.reversed()), -1).thenAccepted()
    }

    /// With two collecting cards it would be unclear which one receives the next stamp.
    @Test("A full card is not adjusted to collect again while its holder has another collecting card")
    func twoCards() {
        let second = Scenario.cardFull.given(Sample.opened(CardID(500)), Sample.stamped(2, on: CardID(500)))
        adjust(second, -1).thenInvalid("stamps")
        adjust(second, -2, CardID(500)).then(Sample.adjusted(-2, on: CardID(500)))
    }

    @Test("A pending redemption ends when an adjustment leaves its card no longer full")
    func pendingRedemption() {
        let emptied = adjust(.redemptionShown, -1).then(Sample.adjusted(-1))
        emptied.when(Sample.redeem(), by: Sample.owner, at: Sample.after(6)).thenRejected(.redemptionNotValid)
    }

    @Test("An adjustment needs a reason, an existing card and an existing account")
    func reasonAndCard() {
        six.when(Sample.adjust(by: 1, reason: ""), by: operatorAccount).thenInvalid("reason")
        six.when(Sample.adjust(by: 0, reason: "\u{7}"), by: operatorAccount).thenInvalid("reason", "stamps")
        adjust(six, 1, CardID(499)).thenRejected(.notFound)
        six.when(Sample.adjust(by: 1), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("An adjustment that expects an older version of the card is rejected")
    func olderVersion() throws {
        let version = try #require(six.world.cards[Sample.card]?.version)
        let command = Sample.adjust(by: 1, expected: ExpectedVersion(oneOf: [version]))
        let adjusted = six.when(command, by: operatorAccount).then(Sample.adjusted(1))
        adjusted.when(command, by: operatorAccount).thenRejected(.versionConflict)
    }
}
