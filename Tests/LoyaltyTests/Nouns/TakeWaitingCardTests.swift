import Loyalty
import Testing
import World

/// An account takes over the cards that shops stamped for a phone number before anybody registered with it.
@Suite struct TakeWaitingCardTests {
    private static let waiting = CardID(700)
    private static let own = CardID(800)
    private static let hour: Int64 = 3_600

    private static func taken(
        _ card: CardID = waiting, from: AccountID? = Sample.ghost, goal: Int = 10, stamps: Int, moved: Int = 0, onto: CardID? = nil,
        codes: Int = 0, worth: Int = 0
    ) -> LoyaltyEvent {
        .waitingCardTaken(
            WaitingCardTaken(
                card: card, campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer, from: from, goal: goal, stamps: stamps,
                moved: moved, onto: onto, codes: codes, worth: worth))
    }

    /// A shop stamped a card for somebody who has not registered.
    private static func stamped(_ stamps: Int, _ scenario: Scenario = .running, on card: CardID = waiting, code: UInt128 = 61) -> Scenario {
        scenario.given(
            Sample.issued(CodeID(code), secret: Secret(code), stamps: stamps), Sample.opened(card, by: Sample.ghost),
            Sample.stamped(stamps, on: card, with: CodeID(code), by: Sample.ghost))
    }

    private static func collecting(_ stamps: Int, _ scenario: Scenario) -> Scenario {
        scenario.given(
            Sample.issued(CodeID(62), secret: Secret(62), stamps: stamps), Sample.opened(own),
            Sample.stamped(stamps, on: own, with: CodeID(62)))
    }

    private func take(_ scenario: Scenario, by actor: AccountID = Sample.customer, at seconds: Int64 = 0) -> Outcome {
        scenario.when(.takeWaitingCard(TakeWaitingCard(card: Self.waiting)), by: actor, at: Sample.after(seconds))
    }

    private func enter(_ code: UInt128, _ scenario: Scenario, at seconds: Int64) -> Outcome {
        scenario.when(Sample.stamp(Secret(code), firstCard: CardID(900)), by: Sample.customer, at: Sample.after(seconds))
    }

    @Test("The account has the card with its stamps and history, and goes on collecting on it")
    func whole() throws {
        let after = take(Self.stamped(4)).then(Self.taken(stamps: 4, codes: 1))
        let card = try #require(after.world.cards[Self.waiting])
        #expect(card.holder == Sample.customer && card.status == .collecting)
        #expect(card.history.map(\.kind) == [.opened, .stamped, .taken])
        #expect(after.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Self.waiting)
        #expect(after.world.collectingCard(of: Sample.ghost, in: Sample.campaign) == nil)
        enter(71, after.given(Sample.issued(CodeID(71), secret: Secret(71))), at: 0)
            .then(Sample.stamped(on: Self.waiting, with: CodeID(71)))
    }

    @Test("Stamps fill the account's own card first, so an account collects on one card")
    func moves() {
        let fits = take(Self.collecting(3, Self.stamped(4)))
            .then(Self.taken(Self.own, from: nil, stamps: 7, moved: 4), Self.taken(stamps: 0, moved: 4, onto: Self.own, codes: 1))
        #expect(fits.world.cards[Self.waiting]?.status == .discarded && fits.world.cards[Self.own]?.stamps == 7)
        let fills = take(Self.collecting(8, Self.stamped(4)))
            .then(
                Self.taken(Self.own, from: nil, stamps: 10, moved: 2),
                Self.taken(stamps: 2, moved: 2, onto: Self.own, codes: 1))
        #expect(fills.world.cards[Self.own]?.status == .full)
        #expect(fills.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Self.waiting)
    }

    @Test("A refund finds the stamps on the card to which they moved")
    func refunded() {
        let moved = take(Self.collecting(3, Self.stamped(4))).after
        let refund = Command.reverseStamp(ReverseStamp(code: CodeID(61), reason: "Refund"))
        moved.when(refund, by: Sample.owner).then(
            .stampReversed(
                StampReversed(
                    card: Self.own, code: CodeID(61), campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer, stamps: 4,
                    reason: "Refund")))
    }

    @Test("A cap counts the recent stamps of both as gains of the account")
    func caps() {
        let caps = StampCaps(stampsPerDayMax: 3, minimumGapSeconds: nil)
        let capped = Self.stamped(3, Scenario.running.given(Sample.campaignEdited(caps: caps)))
        let after = take(capped, at: Self.hour).then(Self.taken(stamps: 3, codes: 1, worth: 3))
            .given(Sample.issued(CodeID(71), secret: Secret(71), expiresAt: Sample.after(90_000)))
        enter(71, after, at: 2 * Self.hour).thenRejected(.stampedTooOften(retryAfterSeconds: 23 * Self.hour))
        enter(71, after, at: 25 * Self.hour - 1).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        let spaced = StampCaps(stampsPerDayMax: nil, minimumGapSeconds: 600)
        let gapped = take(Self.stamped(3, Scenario.running.given(Sample.campaignEdited(caps: spaced))), at: 300).after
            .given(Sample.issued(CodeID(71), secret: Secret(71), expiresAt: Sample.after(90_000)))
        enter(71, gapped, at: 300 + 599).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        enter(71, gapped, at: 300 + 600).thenAccepted()
        let old = take(capped, at: 24 * Self.hour).then(Self.taken(stamps: 3, codes: 1))
            .given(Sample.issued(CodeID(71), secret: Secret(71), expiresAt: Sample.after(90_000)))
        enter(71, old, at: 24 * Self.hour).thenAccepted()
    }

    @Test("A limit of cards counts the cards of both; what goes beyond lapses")
    func repeats() {
        let once = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(repeats: 1)))
        let full = take(Self.stamped(10, once)).then(Self.taken(stamps: 10, codes: 1))
        enter(71, full.given(Sample.issued(CodeID(71), secret: Secret(71))), at: 0).thenRejected(.cardLimitReached)
        take(Self.collecting(10, Self.stamped(10, once))).thenNothing()
        take(Self.collecting(7, Self.stamped(10, once)))
            .then(
                Self.taken(Self.own, from: nil, stamps: 10, moved: 3), Self.taken(stamps: 0, moved: 3, onto: Self.own, codes: 1))
    }

    @Test("An account is welcomed once: not again by a code of its own, and not a second time by the waiting card")
    func welcome() {
        let options = CampaignOptions(welcomeStamps: 2)
        let welcoming = Scenario.running.given(Sample.campaignEdited(options: options))
        let waiting = welcoming.given(
            Sample.issued(CodeID(61), secret: Secret(61)), Sample.opened(Self.waiting, by: Sample.ghost),
            Sample.stamped(3, on: Self.waiting, with: CodeID(61), by: Sample.ghost, worth: 1))
        let after = take(waiting).then(Self.taken(stamps: 3, codes: 1))
        enter(71, after.given(Sample.issued(CodeID(71), secret: Secret(71))), at: 0)
            .then(Sample.stamped(on: Self.waiting, with: CodeID(71)))
        let both = waiting.given(
            Sample.issued(CodeID(62), secret: Secret(62)), Sample.opened(Self.own),
            Sample.stamped(3, on: Self.own, with: CodeID(62), worth: 1))
        take(both).then(
            Self.taken(Self.own, from: nil, stamps: 4, moved: 1), Self.taken(stamps: 0, moved: 1, onto: Self.own, codes: 1))
    }

    @Test("A milestone is reached by the stamps of both, and redeemed once")
    func milestones() {
        let options = CampaignOptions(milestones: [Milestone(at: 5, reward: "A topping")])
        let terms = CardTerms(expiresAt: nil, redeemUntil: nil, milestones: options.milestones)
        let campaign = Scenario.running.given(Sample.campaignEdited(options: options))
        let scenario = Self.stamped(4, campaign).given(
            Sample.issued(CodeID(62), secret: Secret(62), stamps: 3), Sample.opened(Self.own, terms: terms),
            Sample.stamped(3, on: Self.own, with: CodeID(62)))
        let request = Command.requestRedemption(
            RequestRedemption(redemption: Sample.redemption, card: Self.own, milestone: 5, secret: Sample.redemptionSecret, attempt: 0))
        scenario.when(request, by: Sample.customer).thenRejected(.milestoneNotOpen)
        take(scenario).after.when(request, by: Sample.customer).thenAccepted()
    }

    @Test("Nobody takes over a registered person's card, one of a shop of theirs, or one whose time is over")
    func refused() {
        take(Self.stamped(4), by: Sample.staff).thenNothing()
        take(Self.stamped(4), by: Sample.owner).thenNothing()
        take(Self.stamped(4).given(Sample.registered(Sample.ghost))).thenRejected(.notFound)
        take(Self.stamped(4), by: AccountID(98)).thenRejected(.notFound)
        take(.running).thenRejected(.notFound)
        let ending = Scenario.running.given(
            Sample.issued(CodeID(61), secret: Secret(61)),
            Sample.opened(Self.waiting, by: Sample.ghost, terms: CardTerms(expiresAt: Sample.after(60), redeemUntil: nil)),
            Sample.stamped(on: Self.waiting, with: CodeID(61), by: Sample.ghost))
        take(ending, at: 60).thenNothing()
        take(ending, at: 59).then(Self.taken(stamps: 1, codes: 1))
    }
}
