import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history of milestones that are requested, redeemed, reversed and redeemed again, and of a full card redeemed at the same
    /// time.
    static func milestones() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_127), shops: 1, customers: 4)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop, campaign) = (history.owners[0], history.shops[0], CampaignID(history.id()))
        let terms = CampaignTerms<String>(
            title: "Four cups", details: "", goal: 4, reward: "A large tea", startsAt: history.now,
            endsAt: history.now.advanced(bySeconds: 90 * 86_400),
            options: CampaignOptions(milestones: [Milestone(at: 1, reward: "A cookie"), Milestone(at: 3, reward: "A small tea")]))
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)), by: owner)
        func stamp(_ stamps: Int, _ customer: AccountID) -> CardID {
            let (secret, card) = (Secret(history.id()), CardID(history.id()))
            let issue = IssueCode(code: CodeID(history.id()), campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600)
            run(.issueCode(issue), by: owner)
            run(.stamp(Stamp(secret: secret, campaign: nil, firstCard: card)), by: customer)
            return card
        }
        func redeem(_ milestone: Int?, of card: CardID, _ customer: AccountID) -> RedemptionID {
            let (redemption, secret) = (RedemptionID(history.id()), Secret(history.id()))
            run(
                .requestRedemption(RequestRedemption(redemption: redemption, card: card, milestone: milestone, secret: secret, attempt: 0)),
                by: customer)
            run(.redeem(Redeem(secret: secret)), by: owner)
            return redemption
        }
        let customers = history.customers
        let (full, begun) = (stamp(4, customers[0]), stamp(2, customers[1]))
        let wrong = redeem(1, of: full, customers[0])
        run(.reverseRedemption(ReverseRedemption(redemption: wrong, reason: "Wrong card")), by: owner)
        for milestone in [1, 3, nil] { _ = redeem(milestone, of: full, customers[0]) }
        _ = redeem(1, of: begun, customers[1])
        var changes = CampaignOptionChanges()
        changes.milestones = .set([Milestone(at: 2, reward: "A biscuit")])
        run(.editCampaign(EditCampaign(campaign: campaign, expected: .any, options: changes)), by: owner)
        let later = stamp(2, customers[2])
        _ = redeem(2, of: later, customers[2])
        history.grow(to: 120)
        return history.facts
    }
}
