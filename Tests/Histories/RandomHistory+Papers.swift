import Loyalty
import LoyaltyCodec
import Seeds
import World

/// Random steps with paper cards: some are printed, stamped, taken and later shown at the counter, and some of their stamps are taken back.
extension RandomHistory {
    mutating func paper() {
        if prints.count < campaigns.count { printCards() }
        guard let print = prints.randomElement(using: &printing), let shop = world.shops[print.shop] else { return }
        let paper = PaperName(print: print.id, number: Int.random(in: 0..<print.count, using: &printing))
        switch Int.random(in: 0..<10, using: &printing) {
        case 0..<6:
            let issue = IssueCode(
                code: CodeID(printedID()), campaign: print.campaign, secret: Secret(printedID()), attempt: 0,
                stamps: Int.random(in: 1...2, using: &printing), validFor: 1)
            run(.stampPaper(StampPaper(issue: issue, paper: paper, firstCard: CardID(printedID()))), by: shop.owner)
        case 6..<7:
            guard let waiting = world.papers[paper.id]?.waiting.randomElement(using: &printing) else { return }
            run(.reverseStamp(ReverseStamp(code: waiting.code, reason: "Wrong paper")), by: shop.owner)
        default:
            let customer = customers.randomElement(using: &printing)!
            run(.takePaper(TakePaper(paper: paper, firstCard: CardID(printedID()))), by: customer)
        }
    }

    private mutating func printCards() {
        let campaign = campaigns[prints.count]
        guard let known = world.campaigns[campaign], let owner = world.shops[known.shop]?.owner else { return }
        let print = PrintID(printedID())
        run(
            .printPapers(
                PrintPapers(
                    print: print, shop: known.shop, campaign: campaign, secret: Secret(printedID()), attempt: 0, count: 12)), by: owner)
        if let made = world.prints[print] { prints.append(made) }
    }

    /// A new id for an object that belongs to paper cards.
    private mutating func printedID() -> UInt128 {
        UUIDv7.make(at: now, random: (printing.next(), printing.next()))
    }
}
