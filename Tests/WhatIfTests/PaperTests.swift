import Loyalty
import Testing

@testable import WhatIf

/// Paper cards under changed rules.
@Suite struct PaperTests {
    /// Stamps a paper card with one code for each worth. Two days later, a customer takes the paper card.
    private func house(goal: Int = 5, stamping worths: [Int]) throws -> TeaHouse {
        var house = try TeaHouse(goal: goal)
        let (guest, print) = (house.customer(), PrintID(house.id()))
        let secret = Secret(house.id())
        house.must(
            .printPapers(PrintPapers(print: print, shop: house.shop, campaign: house.campaign, secret: secret, attempt: 0, count: 1)),
            by: house.owner)
        let paper = PaperName(print: print, number: 0)
        for worth in worths {
            let (code, secret, card) = (CodeID(house.id()), Secret(house.id()), CardID(house.id()))
            let issue = IssueCode(code: code, campaign: house.campaign, secret: secret, attempt: 0, stamps: worth, validFor: 1)
            house.must(.stampPaper(StampPaper(issue: issue, paper: paper, firstCard: card)), by: house.owner)
        }
        house.wait(days: 2)
        let card = CardID(house.id())
        house.must(.takePaper(TakePaper(paper: paper, firstCard: card)), by: guest)
        return house
    }

    @Test("A paper card gets no more stamps than the changed goal")
    func aLowerGoal() throws {
        let house = try house(stamping: [2, 2, 1])
        let report = try house.whatIf(#"{"goal": 3}"#)
        #expect(report.change(\.stamps) == "5 → 3" && report.change(\.filled) == "1 → 1")
        #expect(report.times(.stamp, .paperFull) == 1 && report.refusals == 1)
        #expect(try house.whatIf(#"{"goal": 5}"#).isEmpty)
    }

    @Test("Changed caps apply to each paper card separately")
    func lowerCaps() throws {
        let report = try house(stamping: [1, 1]).whatIf(#"{"stampsPerDayMax": 1}"#)
        #expect(report.change(\.stamps) == "2 → 1")
        #expect(report.times(.stamp, .tooOften) == 1 && report.refusals == 1)
    }
}
