import Loyalty
import Testing
import World

/// A shop stamps a customer's card at the counter: the code is issued and used in one step.
@Suite struct GiveStampsTests {
    private static func give(
        _ stamps: Int = 1, to holder: AccountID = Sample.customer, isWaiting: Bool = false, code: CodeID = Sample.code,
        secret: Secret = Sample.secret, firstCard: CardID = Sample.card
    ) -> Command {
        .giveStamps(
            GiveStamps(
                issue: IssueCode(code: code, campaign: Sample.campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600),
                holder: holder, isWaiting: isWaiting, firstCard: firstCard))
    }

    @Test(
        "Stamps given by the owner or staff go on the customer's card, and use up the code in the same step",
        arguments: [Sample.owner, Sample.staff])
    func stampsCard(_ actor: AccountID) {
        let given = Scenario.running.when(Self.give(), by: actor).then(Sample.issued(), Sample.opened(), Sample.stamped())
        #expect(given.world.cards[Sample.card]?.stamps == 1)
        #expect(given.world.codes[Sample.code]?.isUsed == true)
        #expect(given.world.codes[Sample.code]?.issuer == actor)
    }

    @Test("Stamps given beyond the goal go on a new card")
    func beyondGoal() {
        let nine = Scenario.running.given(
            Sample.issued(CodeID(31), secret: Secret(8), stamps: 9), Sample.opened(), Sample.stamped(9, with: CodeID(31)))
        nine.when(Self.give(3, firstCard: CardID(401)), by: Sample.staff)
            .then(Sample.issued(stamps: 3), Sample.stamped(1), Sample.opened(CardID(401)), Sample.stamped(2, on: CardID(401)))
    }

    @Test("Stamps given at the counter are taken back like those of a code")
    func takenBack() {
        let given = Scenario.running.when(Self.give(), by: Sample.staff).after
        given.when(Sample.takeBack(), by: Sample.owner).then(Sample.tookBack())
    }

    @Test("Accounts that do not work at the shop cannot give stamps")
    func outsiders() {
        Scenario.running.when(Self.give(), by: Sample.customer).thenRejected(.forbidden)
        Scenario.running.when(Self.give(), by: Sample.stranger).thenRejected(.forbidden)
        Scenario.running.when(Self.give(), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("People who work at a shop again, and owners who got their shop back, give stamps as before")
    func backAtTheCounter() {
        let hiredAgain = Scenario.running.given(Sample.left(), Sample.invited(Sample.staff), Sample.joined(Sample.staff))
        let regained = Scenario.running.given(
            Sample.transferred(to: Sample.rival), Sample.transferred(to: Sample.owner, from: Sample.rival))
        for (scenario, issuer) in [(hiredAgain, Sample.staff), (regained, Sample.owner)] {
            scenario.when(Self.give(), by: issuer).then(Sample.issued(), Sample.opened(), Sample.stamped())
            scenario.when(Self.give(to: Sample.ghost, isWaiting: true), by: issuer).thenAccepted()
        }
    }

    @Test("People who work at the shop cannot be given its stamps")
    func ownShop() {
        Scenario.running.when(Self.give(to: Sample.owner), by: Sample.staff).thenRejected(.ownCampaign)
        Scenario.running.when(Self.give(to: Sample.staff), by: Sample.staff).thenRejected(.ownCampaign)
    }

    @Test("Stamps given at the counter obey the rules of codes, campaigns, suspensions and caps")
    func theRulesOfCodesHold() {
        Scenario.running.when(Self.give(11), by: Sample.staff).thenInvalid("stamps")
        Scenario.running.when(Self.give(0), by: Sample.staff).thenInvalid("stamps")
        let collecting = Scenario.running.given(
            Sample.issued(CodeID(31), secret: Secret(8)), Sample.opened(), Sample.stamped(with: CodeID(31)))
        for stamps in [Int.min, .min + 1, -1, .max] { collecting.when(Self.give(stamps), by: Sample.staff).thenInvalid("stamps") }
        Scenario.running.given(Sample.ended()).when(Self.give(), by: Sample.staff).thenRejected(.campaignNotRunning)
        Scenario.running.given(Sample.suspended()).when(Self.give(), by: Sample.staff).thenRejected(.suspended)
        Scenario.codeShown.when(Self.give(code: CodeID(31)), by: Sample.staff).thenRejected(.secretTaken)
        let capped = Scenario.running.given(
            Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: 2, minimumGapSeconds: nil)),
            Sample.issued(CodeID(31), secret: Secret(8)),
            Sample.opened(), Sample.stamped(with: CodeID(31)))
        capped.when(Self.give(2), by: Sample.staff, at: Sample.after(9)).thenRejected(.stampedTooOften(retryAfterSeconds: 86_391))
        capped.when(Self.give(1), by: Sample.staff, at: Sample.after(9)).then(Sample.issued(expiresAt: Sample.after(609)), Sample.stamped())
    }

    @Test("Stamps can be given to an account that is not registered yet, which holds the card once it is")
    func aCardWaits() {
        Scenario.running.when(Self.give(to: Sample.ghost), by: Sample.staff).thenRejected(.notFound)
        let waiting = Scenario.running.when(Self.give(to: Sample.ghost, isWaiting: true), by: Sample.staff)
            .then(Sample.issued(), Sample.opened(by: Sample.ghost), Sample.stamped(by: Sample.ghost))
        let registered = waiting.when(Sample.register(Sample.ghost, phone: 99), by: Sample.ghost).after
        registered.when(Sample.discard(), by: Sample.ghost).thenAccepted()
    }

    @Test("An erased account is given no stamps")
    func erasedHolder() {
        let erased = Scenario.running.given(Sample.erased())
        erased.when(Self.give(), by: Sample.staff).thenRejected(.notFound)
        erased.when(Self.give(isWaiting: true), by: Sample.staff).thenRejected(.notFound)
    }
}
