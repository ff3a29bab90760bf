import Loyalty
import Testing
import World

/// Paper cards. A manager prints them, staff stamp them at the counter, and a customer takes each card over into an account once.
@Suite struct PaperTests {
    private static let print = PrintID(3_000)
    private static let paper = PaperName(print: print, number: 7)

    private static func printing(
        _ count: Int = 10, of campaign: CampaignID = Sample.campaign, at shop: ShopID = Sample.shop, print: PrintID = print,
        secret: Secret = Secret(33)
    ) -> Command {
        .printPapers(PrintPapers(print: print, shop: shop, campaign: campaign, secret: secret, attempt: 0, count: count))
    }

    private static func printed(_ count: Int = 10, of campaign: CampaignID = Sample.campaign) -> LoyaltyEvent {
        .paperCardsPrinted(
            PaperCardsPrinted(print: print, campaign: campaign, shop: Sample.shop, secret: Secret(33), attempt: 0, count: count))
    }

    private static func stamping(
        _ stamps: Int = 1, paper: PaperName = paper, code: CodeID = Sample.code, secret: Secret = Sample.secret,
        of campaign: CampaignID = Sample.campaign, firstCard: CardID = Sample.card
    ) -> Command {
        .stampPaper(
            StampPaper(
                issue: IssueCode(code: code, campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600),
                paper: paper, firstCard: firstCard))
    }

    private static func stamped(_ stamps: Int = 1, code: CodeID = Sample.code, paper: PaperName = paper) -> LoyaltyEvent {
        .paperStamped(PaperStamped(paper: paper, code: code, campaign: Sample.campaign, shop: Sample.shop, stamps: stamps))
    }

    private static func taking(_ paper: PaperName = paper, firstCard: CardID = Sample.card) -> Command {
        .takePaper(TakePaper(paper: paper, firstCard: firstCard))
    }

    private static func taken(_ stamps: Int = 0, paper: PaperName = paper) -> LoyaltyEvent {
        .paperCardTaken(
            PaperCardTaken(paper: paper, campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer, stamps: stamps))
    }

    private static let blank = Scenario.running.given(printed())

    /// Adds waiting codes to the paper card: one for each number in `stamps`, worth that number.
    private static func waiting(_ stamps: [Int], in scenario: Scenario = blank) -> Scenario {
        stamps.enumerated().reduce(scenario) { scenario, next in
            let code = CodeID(500 + UInt128(next.offset))
            return scenario.given(
                Sample.issued(code, secret: Secret(500 + UInt128(next.offset)), stamps: next.element),
                stamped(next.element, code: code))
        }
    }

    // MARK: Printing paper cards

    @Test("The owner and managers print paper cards, and other staff and customers do not")
    func aManagerPrints() {
        let running = Scenario.running.given(Sample.became(.manager))
        running.when(Self.printing(), by: Sample.owner).then(Self.printed())
        running.when(Self.printing(500), by: Sample.staff).then(Self.printed(500))
        Scenario.running.when(Self.printing(), by: Sample.staff).thenRejected(.roleRequired)
        running.when(Self.printing(), by: Sample.customer).thenRejected(.forbidden)
        running.when(Self.printing(), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("Cards are printed before the campaign begins, and not when it is over")
    func cardsAreForTheTimeOfTheCampaign() {
        Scenario.running.when(Self.printing(), by: Sample.owner, at: Sample.after(-100)).thenAccepted()
        Scenario.running.given(Sample.ended()).when(Self.printing(), by: Sample.owner).thenRejected(.campaignNotRunning)
        Scenario.running.when(Self.printing(), by: Sample.owner, at: Sample.afterDays(31)).thenRejected(.campaignNotRunning)
        Scenario.running.given(Sample.suspended()).when(Self.printing(), by: Sample.owner).thenRejected(.suspended)
    }

    @Test("A print has 1 to 500 cards, a campaign of its shop, and an unused id and secret")
    func aPrintHasItsBounds() {
        for count in [Int.min, 0, 501, .max] { Scenario.running.when(Self.printing(count), by: Sample.owner).thenInvalid("count") }
        Scenario.running.when(Self.printing(of: Sample.rivalCampaign), by: Sample.owner).thenRejected(.notFound)
        Self.blank.when(Self.printing(print: PrintID(9)), by: Sample.owner).thenRejected(.secretTaken)
        Self.blank.when(Self.printing(secret: Secret(9)), by: Sample.owner).thenRejected(.secretTaken)
    }

    // MARK: Stamping paper cards

    @Test("A stamp on paper is a waiting code: nobody can type or destroy it, and it does not expire")
    func aStampOnPaperWaits() {
        let stamped = Self.blank.when(Self.stamping(2), by: Sample.staff).then(Sample.issued(stamps: 2), Self.stamped(2))
        #expect(stamped.world.papers[Self.paper.id]?.stamps == 2)
        stamped.when(Sample.stamp(), by: Sample.customer).thenRejected(.codeNotValid)
        stamped.when(Sample.destroy(), by: Sample.owner).thenRejected(.codeNotOpen)
        stamped.when(Self.taking(), by: Sample.customer, at: Sample.afterDays(20))
            .then(Self.taken(2), Sample.opened(), Sample.stamped(2))
    }

    @Test("Paper cards are stamped only by the shop's people, and not if the shop is suspended or the campaign over")
    func onlyPeople() {
        Self.blank.when(Self.stamping(), by: Sample.customer).thenRejected(.forbidden)
        Self.blank.given(Sample.suspended()).when(Self.stamping(), by: Sample.staff).thenRejected(.suspended)
        Self.blank.given(Sample.ended()).when(Self.stamping(), by: Sample.staff).thenRejected(.campaignNotRunning)
    }

    @Test("A paper card that was never printed, or is of another campaign, is not stamped")
    func neverPrinted() {
        Scenario.running.when(Self.stamping(), by: Sample.staff).thenRejected(.paperNotValid)
        Self.blank.when(Self.stamping(paper: PaperName(print: Self.print, number: 10)), by: Sample.staff).thenRejected(.paperNotValid)
        Self.blank.when(Self.stamping(paper: PaperName(print: Self.print, number: -1)), by: Sample.staff).thenRejected(.paperNotValid)
        let other = Self.blank.given(Sample.published(CampaignID(29)))
        other.when(Self.stamping(of: CampaignID(29)), by: Sample.staff).thenRejected(.paperNotValid)
    }

    @Test("The waiting codes of a paper card have together at most the stamps that fill a card")
    func noMoreThanTheGoalWait() {
        let nine = Self.waiting([5, 4])
        nine.when(Self.stamping(2), by: Sample.staff).thenRejected(.cardLimitReached)
        nine.when(Self.stamping(1), by: Sample.staff).thenAccepted()
        Self.waiting([5, 5]).when(Self.stamping(1), by: Sample.staff).thenRejected(.cardLimitReached)
    }

    @Test("A paper card has a maximum number of stampings, and reversed ones count too")
    func stampingsMax() {
        var scenario = Self.blank
        for number in 0..<UInt128(Limits.paperStampingsMax) {
            let code = CodeID(600 + number)
            let reversed = PaperStampReversed(
                paper: Self.paper, code: code, campaign: Sample.campaign, shop: Sample.shop, stamps: 1, reason: "x")
            scenario = scenario.given(
                Sample.issued(code, secret: Secret(600 + number)), Self.stamped(code: code), .paperStampReversed(reversed))
        }
        scenario.when(Self.stamping(), by: Sample.staff).thenRejected(.cardLimitReached)
    }

    @Test("The campaign's caps apply to each paper card separately")
    func capsHoldForAPaper() {
        let capped = Self.blank.given(Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: 3, minimumGapSeconds: 60)))
        let stamped = Self.waiting([2], in: capped)
        stamped.when(Self.stamping(1), by: Sample.staff, at: Sample.after(59)).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        stamped.when(Self.stamping(2), by: Sample.staff, at: Sample.after(60)).thenRejected(.stampedTooOften(retryAfterSeconds: 86_340))
        stamped.when(Self.stamping(1), by: Sample.staff, at: Sample.after(60)).thenAccepted()
        let other = Self.stamping(1, paper: PaperName(print: Self.print, number: 8))
        stamped.when(other, by: Sample.staff, at: Sample.after(1)).thenAccepted()
    }

    // MARK: Taking paper cards into an account

    @Test("A taken paper card's waiting stamps go onto the account's collecting card and then onto a new one")
    func ontoCards() {
        let eight = Self.waiting([2, 3, 1]).given(
            Sample.issued(CodeID(31), secret: Secret(8), stamps: 8), Sample.opened(), Sample.stamped(8, with: CodeID(31)))
        let taken = eight.when(Self.taking(firstCard: CardID(401)), by: Sample.customer)
            .then(
                Self.taken(6), Sample.stamped(2, with: CodeID(500)), Sample.opened(CardID(401)),
                Sample.stamped(3, on: CardID(401), with: CodeID(501)), Sample.stamped(1, on: CardID(401), with: CodeID(502)))
        #expect(taken.world.cards[Sample.card]?.status == .full)
        #expect(taken.world.cards[CardID(401)]?.stamps == 4)
        #expect(taken.world.codes[CodeID(501)]?.isUsed == true)
    }

    @Test("A paper card without stamps can be taken")
    func blankPaper() {
        Self.blank.when(Self.taking(), by: Sample.customer).then(Self.taken())
    }

    @Test("A paper card is taken once")
    func aPaperIsTakenOnce() {
        let taken = Self.waiting([2]).when(Self.taking(), by: Sample.customer).after
        taken.when(Self.taking(), by: Sample.customer).thenRejected(.paperNotValid)
        taken.when(Self.taking(), by: Sample.stranger).thenRejected(.paperNotValid)
    }

    @Test("A paper card that was never printed, or whose campaign does not run, is not valid")
    func notValid() {
        Scenario.running.when(Self.taking(), by: Sample.customer).thenRejected(.paperNotValid)
        Self.blank.when(Self.taking(PaperName(print: Self.print, number: 10)), by: Sample.customer).thenRejected(.paperNotValid)
        Self.blank.given(Sample.ended()).when(Self.taking(), by: Sample.customer).thenRejected(.paperNotValid)
        Self.blank.when(Self.taking(), by: Sample.customer, at: Sample.afterDays(30)).thenRejected(.paperNotValid)
        Self.blank.when(Self.taking(), by: Sample.customer, at: Sample.after(-1)).thenRejected(.paperNotValid)
    }

    @Test("People who work at the shop take none of its paper cards, and nobody takes those of a suspended shop")
    func ownShop() {
        Self.blank.when(Self.taking(), by: Sample.owner).thenRejected(.ownCampaign)
        Self.blank.when(Self.taking(), by: Sample.staff).thenRejected(.ownCampaign)
        Self.blank.when(Self.taking(), by: Sample.ghost).thenRejected(.notFound)
        Self.blank.given(Sample.suspended()).when(Self.taking(), by: Sample.customer).thenRejected(.suspended)
    }

    @Test("A paper card with more stamps than the caps allow is taken, and the caps count its stamps from then on")
    func capsRefuseNothingThatWasBought() {
        let capped = Self.waiting([3, 3]).given(Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: 3, minimumGapSeconds: 60)))
        let taken = capped.when(Self.taking(), by: Sample.customer)
            .then(Self.taken(6), Sample.opened(), Sample.stamped(3, with: CodeID(500)), Sample.stamped(3, with: CodeID(501)))
        taken.given(Sample.issued()).when(Sample.stamp(), by: Sample.customer, at: Sample.after(60))
            .thenRejected(.stampedTooOften(retryAfterSeconds: 86_340))
    }

    @Test("A person with many paper cards takes them only as fast as the caps allow codes")
    func capsHoldForAnAccountWithManyPapers() {
        let capped = Self.blank.given(Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: 1, minimumGapSeconds: nil)))
        let other = PaperName(print: Self.print, number: 8)
        let two = Self.waiting([1], in: capped).given(
            Sample.issued(CodeID(600), secret: Secret(600)), Self.stamped(code: CodeID(600), paper: other))
        let taken = two.when(Self.taking(), by: Sample.customer).after
        let second = Self.taking(other, firstCard: CardID(401))
        taken.when(second, by: Sample.customer, at: Sample.after(86_399)).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        taken.when(second, by: Sample.customer, at: Sample.after(86_400)).thenAccepted()
        taken.when(second, by: Sample.stranger).thenAccepted()
        // A blank paper adds no stamps, so no cap applies.
        taken.when(Self.taking(PaperName(print: Self.print, number: 9)), by: Sample.customer).thenAccepted()
    }

    @Test("The least time between two codes also applies between a code and a paper card")
    func theGapHoldsForPapers() {
        let capped = Self.blank.given(Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: nil, minimumGapSeconds: 60)))
        let collecting = Self.waiting([2], in: capped).given(
            Sample.issued(CodeID(31), secret: Secret(8)), Sample.opened(), Sample.stamped(with: CodeID(31)))
        let taking = Self.taking(firstCard: CardID(401))
        collecting.when(taking, by: Sample.customer, at: Sample.after(59)).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        collecting.when(taking, by: Sample.customer, at: Sample.after(60)).thenAccepted()
    }

    @Test("Waiting stamps are taken after the campaign's end, for as long as full cards are redeemed")
    func whatWaitsOutlivesTheCampaign() {
        Self.waiting([2]).when(Self.taking(), by: Sample.customer, at: Sample.afterDays(45))
            .then(Self.taken(2), Sample.opened(), Sample.stamped(2, with: CodeID(500)))
        Self.waiting([2]).given(Sample.ended()).when(Self.taking(), by: Sample.customer).thenAccepted()
        let options = CampaignOptions(redeemUntil: Sample.afterDays(40))
        let dated = Self.waiting([2], in: Scenario.running.given(Sample.campaignEdited(options: options), Self.printed()))
        let last = Instant(microseconds: Sample.afterDays(40).microseconds - 1)
        dated.when(Self.taking(), by: Sample.customer, at: last).thenAccepted()
        dated.when(Self.taking(), by: Sample.customer, at: Sample.afterDays(40)).thenRejected(.paperNotValid)
        dated.when(Self.taking(), by: Sample.customer, at: Sample.after(-1)).thenRejected(.paperNotValid)
    }

    @Test("A shop that has closed prints nothing, and the answer says why")
    func closedPrintsNothing() {
        let closing = Sample.closed(redeemUntil: Sample.afterDays(3), erasesContact: false)
        let closed = Scenario.running.given(Sample.ended(), closing)
        closed.when(Self.printing(), by: Sample.owner).thenRejected(.shopClosed)
        closed.given(Sample.suspended()).when(Self.printing(), by: Sample.owner).thenRejected(.shopClosed)
        closed.when(Self.printing(), by: Sample.stranger).thenRejected(.forbidden)
        Scenario.running.given(Sample.ended()).when(Self.printing(), by: Sample.owner).thenRejected(.campaignNotRunning)
    }

    @Test("Waiting stamps of a closed shop are taken until the day that its closing named")
    func whatWaitsOutlivesTheShop() {
        let closing = Sample.closed(redeemUntil: Sample.afterDays(3), erasesContact: false)
        let closed = Self.waiting([2]).given(closing)
        let last = Instant(microseconds: Sample.afterDays(3).microseconds - 1)
        closed.when(Self.taking(), by: Sample.customer, at: last).thenAccepted()
        closed.when(Self.taking(), by: Sample.customer, at: Sample.afterDays(3)).thenRejected(.shopClosed)
        Self.blank.given(closing).when(Self.taking(), by: Sample.customer, at: last).thenRejected(.shopClosed)
    }

    @Test("Stamps beyond the last card lapse")
    func stampsBeyondTheLastCardLapse() {
        let limited = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(repeats: 1)), Self.printed())
        let eight = Self.waiting([1, 3, 1], in: limited).given(
            Sample.issued(CodeID(31), secret: Secret(8), stamps: 8), Sample.opened(), Sample.stamped(8, with: CodeID(31)))
        let lapsing = CardStamped(
            card: Sample.card, code: CodeID(501), campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer, stamps: 1, worth: 3
        )
        let taken = eight.when(Self.taking(firstCard: CardID(401)), by: Sample.customer)
            .then(Self.taken(4), Sample.stamped(1, with: CodeID(500)), .cardStamped(lapsing))
        // The last code lapsed, so there are no stamps to reverse.
        taken.when(Sample.takeBack(CodeID(502)), by: Sample.owner).thenRejected(.notReversible)
        let full = eight.given(Sample.issued(CodeID(32), secret: Secret(9), stamps: 2), Sample.stamped(2, with: CodeID(32)))
        full.when(Self.taking(), by: Sample.customer).thenRejected(.cardLimitReached)
    }

    @Test("An account gets welcome stamps once, also with stamps from paper")
    func aWelcomeComesWithTheFirstCode() {
        let welcoming = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(welcomeStamps: 2)), Self.printed())
        let greeted = CardStamped(
            card: Sample.card, code: CodeID(500), campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer, stamps: 3, worth: 1
        )
        Self.waiting([1, 1], in: welcoming).when(Self.taking(), by: Sample.customer)
            .then(Self.taken(2), Sample.opened(), .cardStamped(greeted), Sample.stamped(with: CodeID(501)))
    }

    // MARK: Terms of the campaign, applied to paper cards

    @Test("A collecting card whose time is over ends first, and the stamps go onto another")
    func anExpiredCardEndsFirst() {
        let end = Sample.afterDays(20)
        let lasting = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(cardValidDays: 20)), Self.printed())
        let terms = CardTerms(expiresAt: end, redeemUntil: nil)
        let collecting = Self.waiting([2], in: lasting).given(
            Sample.issued(CodeID(31), secret: Secret(8), stamps: 3), Sample.opened(terms: terms), Sample.stamped(3, with: CodeID(31)))
        let taking = Self.taking(firstCard: CardID(401))
        collecting.when(taking, by: Sample.customer, at: Instant(microseconds: end.microseconds - 1))
            .then(Self.taken(2), Sample.stamped(2, with: CodeID(500)))
        let late = CardTerms(expiresAt: Sample.afterDays(45), redeemUntil: nil)
        let over = collecting.when(taking, by: Sample.customer, at: Sample.afterDays(25))
            .then(
                Sample.expired(at: end), Self.taken(2), Sample.opened(CardID(401), terms: late),
                Sample.stamped(2, on: CardID(401), with: CodeID(500)))
        #expect(over.world.cards[Sample.card]?.status == .expired)
        // The scheduler has recorded the card's end already, so it is not recorded again.
        collecting.given(Sample.expired(at: end), at: end).when(taking, by: Sample.customer, at: Sample.afterDays(25))
            .then(Self.taken(2), Sample.opened(CardID(401), terms: late), Sample.stamped(2, on: CardID(401), with: CodeID(500)))
    }

    @Test("A waiting code gets the bonus hours of its issue, a stamp on a taken paper card those of the present moment")
    func codesCountByTheirOwnHours() {
        // Codes give three times their stamps on Mondays from 14:00 to 16:00 in Shanghai.
        let hours = BonusHours(days: Weekdays(rawValue: 1), fromMinute: 840, toMinute: 960, factor: 3)
        let inside = Sample.after(-22_400 + 5 * 86_400 + 50_400)
        let outside = inside.advanced(bySeconds: -1)
        let scenario = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(bonuses: [hours])), Self.printed())
        let waiting = scenario.given([Sample.issued(CodeID(500), secret: Secret(500)), Self.stamped(code: CodeID(500))], at: outside)
            .given([Sample.issued(CodeID(501), secret: Secret(501)), Self.stamped(code: CodeID(501))], at: inside)
        let taken = waiting.when(Self.taking(), by: Sample.customer, at: inside.advanced(bySeconds: 86_400))
            .then(Self.taken(2), Sample.opened(), Sample.stamped(1, with: CodeID(500)), Sample.stamped(3, with: CodeID(501), worth: 1))
        taken.when(Self.stamping(), by: Sample.staff, at: inside.advanced(bySeconds: 7 * 86_400))
            .then(Sample.issued(expiresAt: inside.advanced(bySeconds: 7 * 86_400 + 600)), Sample.stamped(3, worth: 1))
        taken.when(Self.stamping(), by: Sample.staff, at: outside.advanced(bySeconds: 7 * 86_400))
            .then(Sample.issued(expiresAt: outside.advanced(bySeconds: 7 * 86_400 + 600)), Sample.stamped(1))
    }

    // MARK: Paper cards that an account has added, and reversals of their stamps

    @Test("A paper card that was taken identifies its holder at the counter")
    func aTakenPaperIsAToken() {
        let taken = Self.waiting([1]).when(Self.taking(), by: Sample.customer).after
        taken.when(Self.stamping(2), by: Sample.staff).then(Sample.issued(stamps: 2), Sample.stamped(2))
        taken.given(Sample.hired(Sample.customer)).when(Self.stamping(), by: Sample.staff).thenRejected(.ownCampaign)
        taken.given(Sample.erased()).when(Self.stamping(), by: Sample.staff).thenRejected(.paperNotValid)
        taken.given(Sample.erased()).when(Self.taking(), by: Sample.stranger).thenRejected(.paperNotValid)
    }

    @Test("Waiting stamps are reversed whole")
    func noPartOfWhatWaits() {
        let stamped = Self.blank.when(Self.stamping(3), by: Sample.staff).after
        for (stamps, fault) in [(1, FieldFault.partOnPaper), (4, .beyondLeft(3))] {
            stamped.when(Sample.takeBack(Sample.code, stamps), by: Sample.staff)
                .thenRejected(.invalid([InvalidField(field: "stamps", fault: fault)]))
        }
        stamped.when(Sample.takeBack(Sample.code, 3), by: Sample.staff).thenAccepted()
    }

    @Test("Waiting stamps are reversed within a day, once")
    func whatWaitsIsTakenBack() {
        let stamped = Self.blank.when(Self.stamping(2), by: Sample.staff).after
        let reversed = PaperStampReversed(
            paper: Self.paper, code: Sample.code, campaign: Sample.campaign, shop: Sample.shop, stamps: 2, reason: "Refunded")
        let after = stamped.when(Sample.takeBack(), by: Sample.staff, at: Sample.after(86_399)).then(.paperStampReversed(reversed))
        #expect(after.world.papers[Self.paper.id]?.stamps == 0)
        after.when(Sample.takeBack(), by: Sample.staff).thenRejected(.notReversible)
        after.when(Self.taking(), by: Sample.customer).then(Self.taken())
        stamped.when(Sample.takeBack(), by: Sample.staff, at: Sample.after(86_400)).thenRejected(.notReversible)
        stamped.when(Sample.takeBack(), by: Sample.customer).thenRejected(.notFound)
        stamped.given(Sample.suspended()).when(Sample.takeBack(), by: Sample.owner).thenAccepted()
    }

    @Test("A reason sealed for the shop is refused once the paper card was taken; a reason sealed for a holder is refused before")
    func reasonsKey() {
        func command(_ isSealedForPaper: Bool?, _ code: CodeID) -> Command {
            .reverseStamp(ReverseStamp(code: code, reason: .sealed(Sealed([1, 2, 3])), isSealedForPaper: isSealedForPaper))
        }
        let waiting = Self.waiting([2])
        let taken = waiting.when(Self.taking(), by: Sample.customer).after
        for (scenario, isWaiting) in [(waiting, true), (taken, false)] {
            scenario.when(command(isWaiting, CodeID(500)), by: Sample.owner).thenAccepted()
            scenario.when(command(nil, CodeID(500)), by: Sample.owner).thenAccepted()
            scenario.when(command(!isWaiting, CodeID(500)), by: Sample.owner).thenRejected(.versionConflict)
            scenario.when(command(!isWaiting, CodeID(500)), by: Sample.customer).thenRejected(isWaiting ? .notFound : .forbidden)
        }
    }

    @Test("Stamps from a taken paper card are reversed like any other, within a day of the stamping at the counter")
    func whatWasTakenIsTakenBack() {
        let taken = Self.waiting([2]).when(Self.taking(), by: Sample.customer, at: Sample.after(86_000)).after
        taken.when(Sample.takeBack(CodeID(500)), by: Sample.owner, at: Sample.after(86_399)).then(Sample.tookBack(2, with: CodeID(500)))
        taken.when(Sample.takeBack(CodeID(500)), by: Sample.owner, at: Sample.after(86_400)).thenRejected(.notReversible)
        // Stamps can be reversed within a day of the stamping at the counter. So a paper card that is taken days later keeps its stamps.
        let late = Self.waiting([2]).when(Self.taking(), by: Sample.customer, at: Sample.afterDays(3)).after
        late.when(Sample.takeBack(CodeID(500)), by: Sample.owner, at: Sample.afterDays(3)).thenRejected(.notReversible)
    }
}
