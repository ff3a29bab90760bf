import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history of two shops of one owner that share a campaign. A card is opened at one shop, stamped at both and redeemed; the
    /// redemption is reversed, and the card is redeemed at the other shop. A milestone is redeemed and reversed, and a paper card is
    /// stamped at both shops. Then the owner ends the sharing.
    static func branches() -> [Fact] {
        var brand = SharedCampaign()
        let customers = brand.history.customers
        let full = brand.stamp(2, at: brand.branch, customers[0]).card
        _ = brand.stamp(1, at: brand.home, customers[0])
        let wrong = brand.stamp(1, at: brand.branch, customers[1]).code
        brand.run(.reverseStamp(ReverseStamp(code: wrong, reason: "Refunded")))
        brand.takeBack(brand.redeem(full, of: customers[0], at: brand.branch))
        _ = brand.redeem(full, of: customers[0], at: brand.home)
        let begun = brand.stamp(1, at: brand.home, customers[3]).card
        brand.takeBack(brand.redeem(begun, milestone: 1, of: customers[3], at: brand.branch))
        _ = brand.redeem(begun, milestone: 1, of: customers[3], at: brand.branch)
        brand.papers(takenBy: customers[1])
        var changes = CampaignOptionChanges()
        changes.shops = .removed
        brand.run(.editCampaign(EditCampaign(campaign: brand.campaign, expected: .any, options: changes)))
        _ = brand.stamp(3, at: brand.home, customers[2])
        brand.history.grow(to: 120)
        return brand.history.facts
    }
}

/// Two shops of one owner and the campaign that they share.
struct SharedCampaign {
    var history = RandomHistory(random: SeededRandom(seed: 20_261_127), shops: 2, customers: 4)
    let owner: AccountID
    let home, branch: ShopID
    let campaign: CampaignID

    init() {
        (owner, home) = (history.owners[0], history.shops[0])
        (campaign, branch) = (CampaignID(history.id()), ShopID(history.id()))
        let place = Coordinate(latitude: 31, longitude: 121)
        run(.openShop(OpenShop(shop: branch, name: "Branch", phone: "+86 21 5555", address: "2 Tea Road", location: place)))
        let terms = CampaignTerms<String>(
            title: "Three cups", details: "", goal: 3, reward: "A tea at any of them", startsAt: history.now,
            endsAt: history.now.advanced(bySeconds: 90 * 86_400),
            options: CampaignOptions(milestones: [Milestone(at: 1, reward: "A cookie")], shops: [branch]))
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: home, kind: .stampCard, terms: terms)))
    }

    mutating func run(_ command: Command, by actor: AccountID? = nil) {
        if history.run(command, by: actor ?? owner).isEmpty { Issue.record("refused: \(command)") }
    }

    private mutating func issue(_ stamps: Int, at shop: ShopID, validFor: Int = 600) -> IssueCode {
        IssueCode(
            code: CodeID(history.id()), campaign: campaign, secret: Secret(history.id()), attempt: 0, stamps: stamps, validFor: validFor,
            shop: shop)
    }

    mutating func stamp(_ stamps: Int, at shop: ShopID, _ customer: AccountID) -> (code: CodeID, card: CardID) {
        let (issue, card) = (issue(stamps, at: shop), CardID(history.id()))
        run(.issueCode(issue))
        run(.stamp(Stamp(secret: issue.secret, campaign: nil, firstCard: card)), by: customer)
        return (issue.code, card)
    }

    mutating func redeem(_ card: CardID, milestone: Int? = nil, of customer: AccountID, at shop: ShopID) -> RedemptionID {
        let (redemption, secret) = (RedemptionID(history.id()), Secret(history.id()))
        let request = RequestRedemption(redemption: redemption, card: card, milestone: milestone, secret: secret, attempt: 0)
        run(.requestRedemption(request), by: customer)
        run(.redeem(Redeem(secret: secret, shop: shop)))
        return redemption
    }

    mutating func takeBack(_ redemption: RedemptionID) {
        run(.reverseRedemption(ReverseRedemption(redemption: redemption, reason: "Wrong card")))
    }

    /// Stamps a paper card at both shops and reverses the first of these stamps. Then the customer takes the card.
    mutating func papers(takenBy customer: AccountID) {
        let print = PaperName(print: PrintID(history.id()), number: 1)
        let secret = Secret(history.id())
        run(.printPapers(PrintPapers(print: print.print, shop: home, campaign: campaign, secret: secret, attempt: 0, count: 2)))
        for (number, shop) in [branch, branch, home].enumerated() {
            let issue = issue(1, at: shop, validFor: 1)
            run(.stampPaper(StampPaper(issue: issue, paper: print, firstCard: CardID(history.id()))))
            if number == 0 { run(.reverseStamp(ReverseStamp(code: issue.code, reason: "Refunded"))) }
        }
        run(.takePaper(TakePaper(paper: print, firstCard: CardID(history.id()))), by: customer)
    }
}
