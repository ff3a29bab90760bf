import Loyalty
import Testing
import World

@Suite("Milestones")
struct MilestoneTests {
    private static let milestones = [Milestone(at: 3, reward: "A cookie"), Milestone(at: 6, reward: "A small tea")]
    private static let terms = CardTerms(expiresAt: nil, redeemUntil: nil, milestones: milestones)
    private static let other = (id: RedemptionID(51), secret: Secret(5_151))

    /// A card with a goal of ten, two milestones and this many stamps.
    private func card(_ stamps: Int, terms: CardTerms = terms) -> Scenario {
        Scenario.running.given(Sample.issued(stamps: 10), Sample.opened(terms: terms), Sample.stamped(stamps))
    }

    private func requested(
        _ milestone: Int = 3, _ redemption: RedemptionID = Sample.redemption, until: Instant = Sample.after(300)
    ) -> LoyaltyEvent {
        Sample.milestoneRequested(milestone, redemption, expiresAt: until)
    }

    private func redeemed(_ milestone: Int = 3, _ redemption: RedemptionID = Sample.redemption) -> LoyaltyEvent {
        Sample.milestoneRedeemed(milestone, redemption)
    }

    // MARK: Terms of milestones

    private func publish(_ milestones: [Milestone], goal: Int = 10, kind: CampaignKind = .stampCard) -> Outcome {
        Scenario.running.when(
            Sample.publish(CampaignID(29), kind: kind, goal: goal, options: CampaignOptions(milestones: milestones)), by: Sample.owner)
    }

    @Test("A campaign has at most ten milestones, ascending, at one stamp or more and below the goal")
    func terms() {
        publish(Self.milestones).thenAccepted()
        publish([Milestone(at: 1, reward: "x"), Milestone(at: 9, reward: "x")]).thenAccepted()
        let ten = (1...10).map { Milestone(at: $0, reward: "x") }
        publish(ten, goal: 11).thenAccepted()
        publish(ten, goal: 10).thenInvalid("milestones/9/at")
        publish((1...11).map { Milestone(at: $0, reward: "x") }, goal: 50).thenInvalid("milestones")
        publish([Milestone(at: 0, reward: "x")]).thenInvalid("milestones/0/at")
        publish([Milestone(at: -1, reward: "x")]).thenInvalid("milestones/0/at")
        publish([Milestone(at: 10, reward: "x")]).thenInvalid("milestones/0/at")
        publish([Milestone(at: 50, reward: "x")], goal: 50).thenInvalid("milestones/0/at")
        publish([Milestone(at: 3, reward: "x"), Milestone(at: 3, reward: "y")]).thenInvalid("milestones/1/at")
        publish([Milestone(at: 6, reward: "x"), Milestone(at: 3, reward: "y")]).thenInvalid("milestones/1/at")
    }

    @Test("A milestone has a reward, of at most a hundred characters")
    func rewards() {
        publish([Milestone(at: 3, reward: "")]).thenInvalid("milestones/0/reward")
        publish([Milestone(at: 3, reward: .clear(String(repeating: "茶", count: 100)))]).thenAccepted()
        publish([Milestone(at: 3, reward: .clear(String(repeating: "茶", count: 101)))]).thenInvalid("milestones/0/reward")
    }

    @Test("Only stamp cards have milestones")
    func kinds() {
        publish(Self.milestones, kind: .promotion).thenInvalid("milestones")
        publish(Self.milestones, kind: .coupon).thenInvalid("milestones")
    }

    @Test("An edit sets and takes away milestones, and a goal stays above them")
    func edits() {
        var changes = CampaignOptionChanges()
        changes.milestones = .set(Self.milestones)
        let with = CampaignOptions(milestones: Self.milestones)
        Scenario.running.when(Sample.edit(Sample.campaign, options: changes), by: Sample.owner)
            .then(Sample.campaignEdited(goal: 10, options: with))
        let edited = Scenario.running.given(Sample.campaignEdited(goal: 10, options: with))
        edited.when(Sample.edit(Sample.campaign, options: changes), by: Sample.owner).thenNothing()
        edited.when(Sample.edit(Sample.campaign, goal: 6), by: Sample.owner).thenInvalid("milestones/1/at")
        edited.when(Sample.edit(Sample.campaign, goal: 7), by: Sample.owner).thenAccepted()
        changes.milestones = .removed
        edited.when(Sample.edit(Sample.campaign, options: changes), by: Sample.owner).then(Sample.campaignEdited(goal: 10))
    }

    @Test("A card opens with the milestones of its campaign, and keeps them")
    func promised() {
        let options = CampaignOptions(milestones: Self.milestones)
        let campaign = Scenario.running.given(Sample.campaignEdited(goal: 10, options: options), Sample.issued())
        campaign.when(Sample.stamp(), by: Sample.customer).then(Sample.opened(terms: Self.terms), Sample.stamped())
        let edited = campaign.given(Sample.opened(terms: Self.terms), Sample.stamped(3), Sample.campaignEdited(goal: 10))
        edited.when(Sample.requestMilestone(3), by: Sample.customer).then(requested())
    }

    // MARK: Requests for milestones

    @Test("A milestone is requested from its stamps on, not before, and also when the card is full")
    func reached() {
        card(2).when(Sample.requestMilestone(3), by: Sample.customer).thenRejected(.milestoneNotOpen)
        for stamps in [3, 4, 10] { card(stamps).when(Sample.requestMilestone(3), by: Sample.customer).then(requested()) }
        card(5).when(Sample.requestMilestone(6), by: Sample.customer).thenRejected(.milestoneNotOpen)
        card(6).when(Sample.requestMilestone(6), by: Sample.customer).then(requested(6))
    }

    @Test("Only milestones of the card are requested, by its holder")
    func whose() {
        for milestone in [-1, 0, 2, 4, 10] {
            card(9).when(Sample.requestMilestone(milestone), by: Sample.customer).thenInvalid("milestone")
        }
        card(9, terms: .none).when(Sample.requestMilestone(3), by: Sample.customer).thenInvalid("milestone")
        for actor in [Sample.owner, Sample.staff, Sample.stranger] {
            card(9).when(Sample.requestMilestone(3), by: actor).thenRejected(.notFound)
        }
        card(9).employing(Sample.customer).when(Sample.requestMilestone(3), by: Sample.customer).thenRejected(.ownCampaign)
    }

    @Test("A redeemed, discarded or expired card has no open milestones")
    func spent() {
        card(9).given(Sample.discarded()).when(Sample.requestMilestone(3), by: Sample.customer).thenRejected(.milestoneNotOpen)
        card(10).given(Sample.requested(), Sample.redeemed())
            .when(Sample.requestMilestone(3, Self.other.id, Self.other.secret), by: Sample.customer).thenRejected(.milestoneNotOpen)
        let ending = CardTerms(expiresAt: Sample.after(60), redeemUntil: nil, milestones: Self.milestones)
        card(9, terms: ending).when(Sample.requestMilestone(3), by: Sample.customer).then(requested(until: Sample.after(60)))
        card(9, terms: ending).when(Sample.requestMilestone(3), by: Sample.customer, at: Sample.after(60)).thenRejected(.milestoneNotOpen)
        let last = CardTerms(expiresAt: nil, redeemUntil: Sample.after(60), milestones: Self.milestones)
        card(9, terms: last).when(Sample.requestMilestone(3), by: Sample.customer, at: Sample.after(60)).thenRejected(.campaignOver)
    }

    @Test("A repeated request changes nothing; the same id for another milestone is not found")
    func again() {
        let asked = card(9).given(requested())
        asked.when(Sample.requestMilestone(3), by: Sample.customer).thenNothing()
        asked.when(Sample.requestMilestone(6), by: Sample.customer).thenRejected(.notFound)
        asked.when(Sample.requestMilestone(6, Self.other.id), by: Sample.customer).thenRejected(.secretTaken)
    }

    // MARK: Rewards of milestones

    @Test("The shop hands a milestone's reward out, and the card goes on")
    func redeem() {
        let shown = card(4).given(requested())
        shown.when(Sample.redeem(), by: Sample.owner).then(redeemed())
        shown.when(Sample.redeem(), by: Sample.stranger).thenRejected(.redemptionNotValid)
        shown.when(Sample.redeem(), by: Sample.customer).thenRejected(.redemptionNotValid)
        shown.when(Sample.redeem(), by: Sample.owner, at: Sample.after(300)).thenRejected(.redemptionNotValid)
        let done = shown.given(redeemed())
        #expect(done.world.cards[Sample.card]?.status == .collecting)
        #expect(done.world.cards[Sample.card]?.stamps == 4)
        done.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("Each milestone is redeemed once, independently of the others")
    func once() {
        let done = card(9).given(requested(), redeemed())
        done.when(Sample.requestMilestone(3, Self.other.id, Self.other.secret), by: Sample.customer).thenRejected(.milestoneNotOpen)
        done.when(Sample.requestMilestone(6, Self.other.id, Self.other.secret), by: Sample.customer)
            .then(Sample.milestoneRequested(6, Self.other.id, secret: Self.other.secret))
    }

    @Test("A card has one code at a time, for a milestone or for the full card")
    func oneCode() {
        let both = card(10).given(requested(), Sample.requested(Self.other.id, secret: Self.other.secret))
        both.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
        both.when(Sample.redeem(Self.other.secret), by: Sample.owner).then(Sample.redeemed(Self.other.id))
        let turned = card(10).given(
            Sample.requested(), Sample.milestoneRequested(3, Self.other.id, secret: Self.other.secret))
        turned.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
        turned.when(Sample.redeem(Self.other.secret), by: Sample.owner).then(redeemed(3, Self.other.id))
    }

    @Test("A code of a milestone gives nothing once its card has too few stamps")
    func lost() {
        card(3).given(requested(), Sample.tookBack(1)).when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
    }

    @Test("A code of a milestone is over once its card had too few stamps, even if the stamps come back before the code expires")
    func lostAndBack() throws {
        func back(_ stamps: Int, _ change: Int) -> Scenario {
            card(stamps).given(requested(), Sample.adjusted(-change), Sample.adjusted(change))
        }
        back(4, 1).when(Sample.redeem(), by: Sample.owner).then(redeemed())
        back(4, 2).when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
        let status = try #require(back(4, 2).world.cards[Sample.card]).status(ofMilestone: 3, at: Sample.start)
        #expect(status == .reached)
        back(4, 2).when(Sample.requestMilestone(3, Self.other.id, Self.other.secret), by: Sample.customer).thenAccepted()
    }

    @Test("A reward is taken back within a day, once, and the milestone is open again")
    func reverse() {
        let done = card(4).given(requested(), redeemed())
        let back = Sample.milestoneReversed(3)
        done.when(Sample.reverse(), by: Sample.owner).then(back)
        done.when(Sample.reverse(), by: Sample.owner, at: Sample.after(86_400)).thenRejected(.notReversible)
        done.when(Sample.reverse(), by: Sample.customer).thenRejected(.forbidden)
        done.when(Sample.reverse(), by: Sample.stranger).thenRejected(.notFound)
        done.when(Sample.reverse(reason: ""), by: Sample.owner).thenInvalid("reason")
        done.given(Sample.discarded()).when(Sample.reverse(), by: Sample.owner).then(back)
        let open = done.given(back)
        open.when(Sample.reverse(), by: Sample.owner).thenRejected(.notReversible)
        open.when(Sample.redeem(), by: Sample.owner).thenRejected(.redemptionNotValid)
        open.when(Sample.requestMilestone(3, Self.other.id, Self.other.secret), by: Sample.customer).thenAccepted()
        card(4).given(requested()).when(Sample.reverse(), by: Sample.owner).thenRejected(.notReversible)
    }

    // MARK: Stamps that count for a redeemed milestone

    /// A card with three stamps of one code and `more` stamps of another, which the tests reverse.
    private func collected(_ more: Int, _ events: LoyaltyEvent...) -> Scenario {
        let second = (CodeID(44), Secret(4_444))
        return Scenario.running.given(
            Sample.issued(stamps: 3), Sample.opened(terms: Self.terms), Sample.stamped(3),
            Sample.issued(second.0, secret: second.1, stamps: more), Sample.stamped(more, with: second.0)
        ).given(events)
    }

    @Test("The stamps of a redeemed milestone stay on the card; other stamps can be taken back")
    func spokenFor() {
        collected(1, requested(), redeemed()).when(Sample.takeBack(CodeID(44)), by: Sample.owner).thenAccepted()
        collected(1, requested(), redeemed()).when(Sample.takeBack(Sample.code), by: Sample.owner).thenRejected(.notReversible)
        collected(3, requested(6), redeemed(6)).when(Sample.takeBack(CodeID(44)), by: Sample.owner).thenRejected(.notReversible)
        collected(4, requested(6), redeemed(6)).when(Sample.takeBack(CodeID(44)), by: Sample.owner).thenRejected(.notReversible)
        collected(3, requested(6)).when(Sample.takeBack(CodeID(44)), by: Sample.owner).thenAccepted()
        collected(3, requested(6), redeemed(6), Sample.milestoneReversed(6))
            .when(Sample.takeBack(CodeID(44)), by: Sample.owner).thenAccepted()
        collected(3, requested(6), redeemed(6), Sample.discarded())
            .when(Sample.takeBack(CodeID(44)), by: Sample.owner).thenRejected(.notReversible)
    }

    @Test("An operator leaves the stamps of a redeemed milestone on the card")
    func adjusted() {
        let done = card(5).given(requested(), redeemed())
        done.when(Sample.adjust(by: -2), by: Sample.stranger).thenAccepted()
        done.when(Sample.adjust(by: -3), by: Sample.stranger).thenInvalid("stamps")
        card(5).given(requested()).when(Sample.adjust(by: -3), by: Sample.stranger).thenAccepted()
    }

    // MARK: States of a milestone, as the card's holder sees them

    @Test("The state of a milestone is ahead, then reached, requested and redeemed")
    func states() throws {
        func status(_ scenario: Scenario, _ milestone: Int = 3, at now: Instant = Sample.start) throws -> MilestoneStatus {
            try #require(scenario.world.cards[Sample.card]).status(ofMilestone: milestone, at: now)
        }
        #expect(try status(card(2)) == .ahead)
        #expect(try status(card(3)) == .reached)
        let asked = card(6).given(requested())
        #expect(try status(asked) == .requested)
        #expect(try status(asked, 6) == .reached)
        #expect(try status(asked, at: Sample.after(299)) == .requested)
        #expect(try status(asked, at: Sample.after(300)) == .reached)
        #expect(try status(asked.given(Sample.milestoneRequested(6, Self.other.id, secret: Self.other.secret))) == .reached)
        #expect(try status(asked.given(redeemed())) == .redeemed)
        #expect(asked.given(redeemed()).world.cards[Sample.card]?.redeemedAt(milestone: 3) == Sample.start)
        #expect(try status(asked.given(redeemed(), Sample.milestoneReversed(3))) == .reached)
    }
}
