import Loyalty
import Testing

@testable import WhatIf

/// Campaigns of several shops under changed rules. The figures of a shop include the events that happened there.
@Suite("What if, at several shops")
struct WhatIfBranchTests {
    /// A tea house and its branch, which shares a campaign.
    private struct Brand {
        var house: TeaHouse
        let branch: ShopID
        let campaign: CampaignID

        init(goal: Int) throws {
            house = try TeaHouse()
            branch = ShopID(house.id())
            let place = Coordinate(latitude: 31.3, longitude: 121.5)
            house.must(.openShop(OpenShop(shop: branch, name: "2", phone: "110", address: "2 Tea Road", location: place)), by: house.owner)
            campaign = house.publish(goal: goal, options: CampaignOptions(shops: [branch]))
        }

        mutating func issue(_ worth: Int, at shop: ShopID, validFor: Int = 86_400) -> IssueCode {
            IssueCode(
                code: CodeID(house.id()), campaign: campaign, secret: Secret(house.id()), attempt: 0, stamps: worth, validFor: validFor,
                shop: shop)
        }

        mutating func leave() {
            var changes = CampaignOptionChanges()
            changes.shops = .removed
            house.must(.editCampaign(EditCampaign(campaign: campaign, expected: .any, options: changes)), by: house.owner)
        }
    }

    private func figures(_ report: WhatIfReport, _ shop: ShopID, _ figure: KeyPath<Tally, Int>) -> String {
        let found = report.shops.first { $0.shop == shop }?.figures
        return "\(found?.before[keyPath: figure] ?? 0) → \(found?.after[keyPath: figure] ?? 0)"
    }

    @Test("The stamps of a paper card appear in the figures of the shops that gave them")
    func paper() throws {
        var brand = try Brand(goal: 10)
        let (owner, guest, print) = (brand.house.owner, brand.house.customer(), PrintID(brand.house.id()))
        let secret = Secret(brand.house.id())
        let sheet = PrintPapers(print: print, shop: brand.house.shop, campaign: brand.campaign, secret: secret, attempt: 0, count: 1)
        brand.house.must(.printPapers(sheet), by: owner)
        let paper = PaperName(print: print, number: 0)
        for (worth, shop) in [(2, brand.house.shop), (1, brand.branch)] {
            let (issue, card) = (brand.issue(worth, at: shop, validFor: 1), CardID(brand.house.id()))
            brand.house.must(.stampPaper(StampPaper(issue: issue, paper: paper, firstCard: card)), by: owner)
        }
        let card = CardID(brand.house.id())
        brand.house.must(.takePaper(TakePaper(paper: paper, firstCard: card)), by: guest)
        let report = try brand.house.whatIf(#"{"goal": 8}"#)
        #expect(figures(report, brand.house.shop, \.stamps) == "2 → 2")
        #expect(figures(report, brand.branch, \.stamps) == "1 → 1")
    }

    @Test("A card filled at a branch is redeemed there, or at the campaign's own shop if the branch has left the campaign")
    func redeemedWhenFull() throws {
        for hasLeft in [false, true] {
            var brand = try Brand(goal: 5)
            let guest = brand.house.customer()
            let issue = brand.issue(2, at: brand.branch)
            brand.house.must(.issueCode(issue), by: brand.house.owner)
            if hasLeft { brand.leave() }
            let card = CardID(brand.house.id())
            brand.house.must(.stamp(Stamp(secret: issue.secret, campaign: nil, firstCard: card)), by: guest)
            let report = try brand.house.whatIf(#"{"goal": 2, "redemption": "whenFull"}"#)
            #expect(report.change(\.redeemed) == "0 → 1", "\(hasLeft)")
            #expect(figures(report, hasLeft ? brand.house.shop : brand.branch, \.redeemed) == "0 → 1", "\(hasLeft)")
            #expect(figures(report, brand.branch, \.stamps) == "2 → 2")
        }
    }
}
