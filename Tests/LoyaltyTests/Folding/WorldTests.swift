import Loyalty
import Testing
import World

@Suite struct WorldTests {
    @Test("Accounts are found by phone, shops by owner, codes and redemptions by secret, sessions and reviews by id")
    func found() {
        let world = Scenario.redemptionShown.given(Sample.signedIn(), Sample.reviewed()).world
        #expect(world.account(phone: Secret(Sample.owner.value))?.id == Sample.owner)
        #expect(world.shops(ownedBy: Sample.rival).map(\.id) == [Sample.rivalShop])
        #expect(world.code(secret: Sample.secret)?.id == Sample.code)
        #expect(world.redemption(secret: Sample.redemptionSecret)?.id == Sample.redemption)
        #expect(world.session(Sample.session)?.account == Sample.customer)
        #expect(world.review(Sample.review)?.author == Sample.customer)
    }

    @Test("An empty world finds nothing")
    func whatIsNotThereIsNil() {
        let world = World()
        #expect(world.account(Sample.owner) == nil && world.account(phone: Secret(1)) == nil)
        #expect(world.shop(Sample.shop) == nil && world.shops(ownedBy: Sample.owner).isEmpty)
        #expect(world.campaign(Sample.campaign) == nil && world.session(Sample.session) == nil)
        #expect(world.code(Sample.code) == nil && world.code(secret: Sample.secret) == nil)
        #expect(world.card(Sample.card) == nil && world.collectingCard(of: Sample.customer, in: Sample.campaign) == nil)
        #expect(world.redemption(Sample.redemption) == nil && world.redemption(secret: Sample.redemptionSecret) == nil)
        #expect(world.review(Sample.review) == nil && world.position == 0)
    }

    @Test("A holder's collecting card of a campaign is found until it is full or discarded")
    func stillCollecting() {
        func collecting(_ scenario: Scenario) -> CardID? {
            scenario.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id
        }
        let opened = Scenario.running.given(Sample.opened())
        #expect(collecting(opened) == Sample.card)
        #expect(opened.world.collectingCard(of: Sample.stranger, in: Sample.campaign) == nil)
        #expect(opened.world.collectingCard(of: Sample.customer, in: Sample.rivalCampaign) == nil)
        #expect(collecting(opened.given(Sample.stamped(9))) == Sample.card)
        #expect(collecting(opened.given(Sample.stamped(10))) == nil)
        #expect(collecting(opened.given(Sample.discarded())) == nil)
        let second = opened.given(Sample.stamped(10), Sample.opened(CardID(500)))
        #expect(collecting(second) == CardID(500))
        #expect(collecting(second.given(Sample.discarded())) == CardID(500), "discarding the full card leaves the collecting card")
    }

    @Test("The world contains the same objects as a fold of the facts for each object alone")
    func foldsAlike() {
        let events = [
            Sample.registered(Sample.owner), Sample.shopOpened(), Sample.published(), Sample.issued(), Sample.opened(),
            Sample.stamped(10), Sample.requested(), Sample.redeemed(), Sample.ended(), Sample.signedIn(), Sample.reviewed(),
            Sample.shopEdited(name: "茶"), Sample.hired(), Sample.suspended(), Sample.campaignEdited(goal: 3), Sample.reversed(),
            Sample.adjusted(-4), Sample.closed(redeemUntil: Sample.afterDays(30)),
        ]
        let facts = CardTests.facts(events)
        let world = World(facts)
        #expect(world.accounts[Sample.owner] == Account.fold(facts))
        #expect(world.shops[Sample.shop] == Shop.fold(facts))
        #expect(world.campaigns[Sample.campaign] == Campaign.fold(facts))
        #expect(world.codes[Sample.code] == Code.fold(facts))
        #expect(world.cards[Sample.card] == Card.fold(facts))
        #expect(world.redemptions[Sample.redemption] == Redemption.fold(facts))
        #expect(world.sessions[Sample.session] == Session.fold(facts))
        #expect(world.reviews[Sample.review] == Review.fold(facts))
        #expect(world.position == UInt64(events.count))
    }

    @Test("A change to a copy of the world leaves the original as it was")
    func aCopyGoesItsOwnWay() {
        let world = Scenario.cardFull.world
        var other = world
        other.evolve(Fact(position: 99, time: Sample.start, actor: Sample.customer, event: Sample.discarded()))
        #expect(world == Scenario.cardFull.world)
        #expect(other.cards[Sample.card]?.status == .discarded)
    }

    /// A replay of a broken log must complete, so that the damage can be reported.
    @Test("Events about objects that the log never created are ignored")
    func neverCreated() {
        let orphans = [
            Sample.ended(), Sample.destroyed(), Sample.stamped(), Sample.discarded(), Sample.redeemed(), Sample.shopEdited(),
            Sample.hired(), Sample.dismissed(), Sample.suspended(), Sample.reinstated(), Sample.campaignEdited(), Sample.reversed(),
            Sample.adjusted(1), Sample.unInvited(), Sample.joined(), Sample.left(), Sample.closed(redeemUntil: Sample.start),
            Sample.transferLapsed(),
            .sessionEnded(SessionEnded(session: Sample.session, account: Sample.customer, ending: .signedOut)),
            .sessionRefreshed(
                SessionRefreshed(session: Sample.session, account: Sample.customer, token: Secret(1), expiresAt: Sample.start)),
        ]
        let world = World(CardTests.facts(orphans))
        #expect(world.cards.isEmpty && world.codes.isEmpty && world.sessions.isEmpty && world.campaigns.isEmpty)
        #expect(world.position == UInt64(orphans.count))
    }
}
