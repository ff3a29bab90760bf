import Loyalty
import Testing
import World

@Suite struct CardTests {
    @Test("The holder discards a card, and a second discard records nothing")
    func discardOnce() {
        Scenario.running.given(Sample.opened()).when(Sample.discard(), by: Sample.customer).then(Sample.discarded())
            .when(Sample.discard(), by: Sample.customer).thenNothing()
    }

    @Test("A full or redeemed card can be discarded")
    func anyCardMayBePutAway() {
        Scenario.cardFull.when(Sample.discard(), by: Sample.customer).then(Sample.discarded())
        Scenario.redemptionShown.given(Sample.redeemed()).when(Sample.discard(), by: Sample.customer).then(Sample.discarded())
    }

    @Test("A discard of an unknown card or of another holder's card is not found")
    func notHolder() {
        for actor in [Sample.owner, Sample.staff, Sample.stranger] {
            Scenario.cardFull.when(Sample.discard(), by: actor).thenRejected(.notFound)
        }
        Scenario.cardFull.when(Sample.discard(CardID(9)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A card's history has each event of the card with its stamps, time and position")
    func historyEntries() throws {
        let scenario = Scenario.running
            .given(Sample.opened(goal: 3), at: Sample.after(1)).given(Sample.stamped(2), at: Sample.after(2))
            .given(Sample.stamped(1), at: Sample.after(3)).given(Sample.requested(), at: Sample.after(4))
            .given(Sample.redeemed(), at: Sample.after(5)).given(Sample.discarded(), at: Sample.after(6))
        let card = try #require(scenario.world.cards[Sample.card])
        #expect(card.history.map(\.kind) == [.opened, .stamped, .stamped, .redemptionRequested, .redeemed, .discarded])
        #expect(card.history.map(\.stamps) == [0, 2, 1, 0, 0, 0])
        #expect(card.history.map(\.at) == (1...6).map { Sample.after($0) })
        #expect(card.history.map(\.position) == Array((scenario.world.position - 5)...scenario.world.position))
        #expect(card.version == scenario.world.position)
        #expect(card.openedAt == Sample.after(1))
        #expect(card.newestRedemption == Sample.redemption)
    }

    @Test("A card's status goes from collecting to full, redeemed and discarded")
    func statusOrder() throws {
        let facts = Self.facts(
            [Sample.opened(goal: 2), Sample.stamped(), Sample.stamped(), Sample.requested(), Sample.redeemed(), Sample.discarded()])
        var card = try #require(Card(opening: facts[0]))
        let statuses = facts.dropFirst().map { fact -> CardStatus in
            card.evolve(fact)
            return card.status
        }
        #expect(statuses == [.collecting, .full, .full, .redeemed, .discarded])
        #expect(card == Card.fold(facts))
    }

    @Test("A card ignores the events of other cards")
    func otherCards() throws {
        let other = CardID(401)
        let strange = Self.facts([
            Sample.opened(), Sample.stamped(on: other), Sample.requested(for: other), Sample.issued(), Sample.reviewed(),
            Sample.discarded(other),
            .cardRedeemed(
                CardRedeemed(
                    redemption: Sample.redemption, card: other, campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer)),
        ])
        #expect(Card.fold(strange) == Card.fold(strange.prefix(1)))
        #expect(Card.fold(strange.dropFirst()) == nil)
    }

    /// No decision produces these events, but a log may be replayed under other rules.
    @Test("A discarded or redeemed card keeps its status when it gets stamps")
    func lateStamps() throws {
        let discarded = Card.fold(Self.facts([Sample.opened(goal: 2), Sample.discarded(), Sample.stamped(2)]))
        #expect(discarded?.status == .discarded && discarded?.stamps == 2 && discarded?.room == 0)
        let redeemed = Card.fold(Self.facts([Sample.opened(goal: 2), Sample.redeemed(), Sample.stamped(2)]))
        #expect(redeemed?.status == .redeemed && redeemed?.stamps == 2 && redeemed?.room == 0)
    }

    @Test("A card to which stamps are added directly equals the card after the event")
    func addedDirectly() throws {
        let facts = Self.facts([Sample.opened(goal: 2), Sample.stamped(2)])
        var card = try #require(Card(opening: facts[0]))
        card.addStamps(2, at: facts[1].time, position: facts[1].position)
        #expect(card == Card.fold(facts))
    }

    static func facts(_ events: [LoyaltyEvent]) -> [Fact] {
        events.enumerated().map { index, event in
            Fact(position: UInt64(index + 1), time: Sample.after(Int64(index)), actor: Sample.customer, event: event)
        }
    }
}
