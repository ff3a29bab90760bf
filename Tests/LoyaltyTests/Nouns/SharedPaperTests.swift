import Loyalty
import Testing

/// Paper cards and milestones in a campaign of several shops.
@Suite struct SharedPaperTests {
    // MARK: Milestones of shared campaigns

    private static let shown = Branch.shared.given(
        Branch.issued(stamps: 3),
        .cardOpened(
            CardOpened(
                card: Sample.card, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop, holder: Sample.customer, goal: 10,
                reward: "The eleventh",
                terms: CardTerms(expiresAt: nil, redeemUntil: nil, milestones: [Milestone(at: 3, reward: "A cookie")]))),
        Branch.stamped(3), Sample.milestoneRequested(3))

    private static let redeemed = LoyaltyEvent.milestoneRedeemed(
        MilestoneRedeemed(
            redemption: Sample.redemption, card: Sample.card, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop,
            holder: Sample.customer, milestone: 3))

    private func redeem(at shop: ShopID? = nil, by actor: AccountID, in scenario: Scenario = shown) -> Outcome {
        scenario.when(.redeem(Redeem(secret: Sample.redemptionSecret, shop: shop)), by: actor)
    }

    @Test("A milestone is redeemed at any shop of the campaign, and once")
    func milestone() {
        let after = redeem(by: Branch.clerk).then(Self.redeemed)
        redeem(by: Sample.staff, in: after).thenRejected(.redemptionNotValid)
        redeem(by: Sample.staff).then(Sample.milestoneRedeemed(3))
        redeem(at: Branch.shop, by: Sample.owner).then(Self.redeemed)
        redeem(by: Sample.owner).then(Sample.milestoneRedeemed(3))
        redeem(by: Sample.rival).thenRejected(.redemptionNotValid)
        redeem(by: Branch.clerk, in: Self.shown.given(Branch.sold)).thenRejected(.redemptionNotValid)
        redeem(by: Sample.staff, in: Self.shown.given(Branch.sold)).then(Sample.milestoneRedeemed(3))
    }

    @Test("The event that takes a milestone's reward back names the shop that handed it out")
    func milestoneTakenBack() {
        let takeBack = Command.reverseRedemption(ReverseRedemption(redemption: Sample.redemption, reason: "Wrong card"))
        let reversed = LoyaltyEvent.milestoneReversed(
            MilestoneReversed(
                redemption: Sample.redemption, card: Sample.card, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop,
                holder: Sample.customer, milestone: 3, reason: "Wrong card"))
        let redeemed = Self.shown.given(Self.redeemed)
        redeemed.when(takeBack, by: Branch.clerk).then(reversed)
        redeemed.when(takeBack, by: Sample.staff).then(reversed)
        redeemed.when(takeBack, by: Sample.rival).thenRejected(.notFound)
    }

    // MARK: Paper cards of shared campaigns

    private static let print = PrintID(3_000)
    private static let paper = PaperName(print: print, number: 7)
    private static let printed = Branch.shared.given(
        .paperCardsPrinted(
            PaperCardsPrinted(print: print, campaign: Sample.campaign, shop: Sample.shop, secret: Secret(33), attempt: 0, count: 10)))

    private func stamp(at shop: ShopID? = nil, by actor: AccountID, in scenario: Scenario = printed) -> Outcome {
        let issue = IssueCode(
            code: Sample.code, campaign: Sample.campaign, secret: Secret(Sample.code.value), attempt: 0, stamps: 2, validFor: 600,
            shop: shop)
        return scenario.when(.stampPaper(StampPaper(issue: issue, paper: Self.paper, firstCard: Sample.card)), by: actor)
    }

    private func take(_ scenario: Scenario, by actor: AccountID = Sample.customer) -> Outcome {
        scenario.when(.takePaper(TakePaper(paper: Self.paper, firstCard: Sample.card)), by: actor)
    }

    private static let waiting = LoyaltyEvent.paperStamped(
        PaperStamped(paper: paper, code: Sample.code, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop, stamps: 2))
    private static let stamped = printed.given(Branch.issued(stamps: 2), waiting)
    private static let taken = LoyaltyEvent.paperCardTaken(
        PaperCardTaken(paper: paper, campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer, stamps: 2))

    @Test("A paper card is stamped at any shop of the campaign, and its stamps are counted at that shop when it is taken")
    func paper() {
        stamp(by: Branch.clerk).then(Branch.issued(stamps: 2), Self.waiting)
        stamp(at: Branch.shop, by: Sample.owner).then(Branch.issued(stamps: 2), Self.waiting)
        stamp(by: Sample.owner).then(
            Sample.issued(secret: Secret(Sample.code.value), stamps: 2),
            .paperStamped(PaperStamped(paper: Self.paper, code: Sample.code, campaign: Sample.campaign, shop: Sample.shop, stamps: 2)))
        stamp(by: Sample.rival).thenRejected(.forbidden)
        take(Self.stamped).then(Self.taken, Branch.opened(), Branch.stamped(2))
    }

    @Test("A paper card that was taken identifies its holder at every shop of the campaign")
    func token() {
        let token = Self.printed.given(
            .paperCardTaken(
                PaperCardTaken(paper: Self.paper, campaign: Sample.campaign, shop: Sample.shop, holder: Sample.customer, stamps: 0)))
        stamp(by: Branch.clerk, in: token).then(Branch.issued(stamps: 2), Branch.opened(), Branch.stamped(2))
    }

    @Test("Nobody who works at a shop of the campaign takes a paper card of it")
    func ownPaper() {
        take(Self.stamped, by: Branch.clerk).thenRejected(.ownCampaign)
        take(Self.printed, by: Branch.clerk).thenRejected(.ownCampaign)
        take(Self.stamped.given(Branch.sold), by: Branch.clerk).thenRejected(.ownCampaign)
    }

    @Test("Stamps that were bought are taken, whatever became of the shop that gave them")
    func gone() {
        for since in [Branch.sold, Branch.closed, Sample.suspended(Branch.shop), Sample.campaignEdited()] {
            take(Self.stamped.given(since)).then(Self.taken, Branch.opened(), Branch.stamped(2))
        }
        take(Self.stamped.given(Sample.suspended())).thenRejected(.suspended)
    }

    @Test("People of any of the campaign's shops take a stamp on paper back, and the event names the shop that gave it")
    func paperTakenBack() {
        let reversed = LoyaltyEvent.paperStampReversed(
            PaperStampReversed(
                paper: Self.paper, code: Sample.code, campaign: Sample.campaign, shop: Branch.shop, home: Sample.shop, stamps: 2,
                reason: "Refunded"))
        Self.stamped.when(Sample.takeBack(), by: Branch.clerk).then(reversed)
        Self.stamped.when(Sample.takeBack(), by: Sample.staff).then(reversed)
        Self.stamped.when(Sample.takeBack(), by: Sample.rival).thenRejected(.notFound)
    }

    // MARK: The sale of the campaign's own shop

    @Test("A campaign stays with its own shop when that shop is sold, and the former owner's shops leave the campaign")
    func homeIsSold() {
        let sale = LoyaltyEvent.shopTransferred(
            ShopTransferred(invitation: Sample.invitation, shop: Sample.shop, account: Sample.rival, formerOwner: Sample.owner))
        let sold = Self.shown.given(sale)
        redeem(by: Branch.clerk, in: sold).thenRejected(.redemptionNotValid)
        redeem(by: Sample.rival, in: sold).then(Sample.milestoneRedeemed(3))
    }
}
