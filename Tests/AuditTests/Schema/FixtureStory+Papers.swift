import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history of paper cards: printed, stamped, reversed, taken with stamps, taken blank, and stamped after their holder took
    /// them.
    static func papers() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_126), shops: 1, customers: 4)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop) = (history.owners[0], history.shops[0])
        let (campaign, end) = (CampaignID(history.id()), history.now.advanced(bySeconds: 90 * 86_400))
        let terms = CampaignTerms<String>(
            title: "Paper", details: "", goal: 5, reward: "A small tea", startsAt: history.now, endsAt: end,
            options: CampaignOptions(repeats: 2))
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)), by: owner)
        let print = PrintID(history.id())
        run(
            .printPapers(
                PrintPapers(print: print, shop: shop, campaign: campaign, secret: Secret(history.id()), attempt: 0, count: 3)), by: owner)
        func stamp(_ number: Int, _ stamps: Int) -> CodeID {
            let (code, secret) = (CodeID(history.id()), Secret(history.id()))
            let issue = IssueCode(code: code, campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 1)
            let paper = PaperName(print: print, number: number)
            run(.stampPaper(StampPaper(issue: issue, paper: paper, firstCard: CardID(history.id()))), by: owner)
            return code
        }
        func take(_ number: Int, by customer: AccountID) {
            run(.takePaper(TakePaper(paper: PaperName(print: print, number: number), firstCard: CardID(history.id()))), by: customer)
        }
        _ = stamp(0, 2)
        run(.reverseStamp(ReverseStamp(code: stamp(0, 1), reason: "Wrong paper")), by: owner)
        _ = stamp(0, 3)
        let wrong = stamp(1, 4)
        take(0, by: history.customers[0])
        // This stamp goes to the holder's card, because an account has taken the paper card.
        _ = stamp(0, 1)
        take(1, by: history.customers[1])
        run(.reverseStamp(ReverseStamp(code: wrong, reason: "Refunded")), by: owner)
        take(2, by: history.customers[2])
        history.grow(to: 100)
        return history.facts
    }

    /// A legal history with three codes on paper cards, of which one code lapses.
    ///
    /// Two codes are on one paper card. The account that takes this paper card may fill one card only, so one code is used and the other
    /// lapses. The third code is on another paper card, which nobody takes.
    static func lapsing() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_127), shops: 1, customers: 1)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop, campaign, print) = (history.owners[0], history.shops[0], CampaignID(history.id()), PrintID(history.id()))
        let terms = CampaignTerms<String>(
            title: "Paper", details: "", goal: 2, reward: "A small tea", startsAt: history.now,
            endsAt: history.now.advanced(bySeconds: 90 * 86_400), options: CampaignOptions(repeats: 1, welcomeStamps: 1))
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)), by: owner)
        let secret = Secret(history.id())
        run(.printPapers(PrintPapers(print: print, shop: shop, campaign: campaign, secret: secret, attempt: 0, count: 3)), by: owner)
        for number in [0, 0, 1] {
            let (code, secret, card) = (CodeID(history.id()), Secret(history.id()), CardID(history.id()))
            let issue = IssueCode(code: code, campaign: campaign, secret: secret, attempt: 0, stamps: 1, validFor: 1)
            run(.stampPaper(StampPaper(issue: issue, paper: PaperName(print: print, number: number), firstCard: card)), by: owner)
        }
        let card = CardID(history.id())
        run(.takePaper(TakePaper(paper: PaperName(print: print, number: 0), firstCard: card)), by: history.customers[0])
        return history.facts
    }
}
