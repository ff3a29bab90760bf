import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history of cards that have a last day. Some get reminders; some are expired by the scheduler or by their holder's next
    /// stamp; some are redeemed, and the redemption is reversed.
    static func expiry() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_126), shops: 1, customers: 4)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop, campaign) = (history.owners[0], history.shops[0], CampaignID(history.id()))
        let terms = CampaignTerms<String>(
            title: "Two cups", details: "", goal: 2, reward: "A small tea", startsAt: history.now,
            endsAt: history.now.advanced(bySeconds: 90 * 86_400), options: CampaignOptions(cardValidDays: 20))
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)), by: owner)
        func stamp(_ stamps: Int, _ customer: AccountID) -> CardID {
            let (secret, card) = (Secret(history.id()), CardID(history.id()))
            let issue = IssueCode(code: CodeID(history.id()), campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600)
            run(.issueCode(issue), by: owner)
            run(.stamp(Stamp(secret: secret, campaign: nil, firstCard: card)), by: customer)
            return card
        }
        let customers = history.customers
        let (begun, full, left) = (stamp(1, customers[0]), stamp(2, customers[1]), stamp(1, customers[2]))
        for days: Int64 in [6, 12] {
            history.pass(seconds: days * 86_400)
            for card in [begun, full] { run(.ageCard(AgeCard(card: card, notice: NoticeID(history.id()))), by: .system) }
        }
        let (redemption, secret) = (RedemptionID(history.id()), Secret(history.id()))
        history.pass(seconds: 2 * 86_400 - 3_600)
        run(.requestRedemption(RequestRedemption(redemption: redemption, card: full, secret: secret, attempt: 0)), by: customers[1])
        run(.redeem(Redeem(secret: secret)), by: owner)
        history.pass(seconds: 7_200)
        run(.ageCard(AgeCard(card: begun, notice: NoticeID(history.id()))), by: .system)
        run(.reverseRedemption(ReverseRedemption(redemption: redemption, reason: "Wrong card")), by: owner)
        run(.ageCard(AgeCard(card: full, notice: NoticeID(history.id()))), by: .system)
        // The scheduler has not recorded the end of this holder's card, so the holder's next stamp records it.
        _ = stamp(1, customers[2])
        run(.discardCard(DiscardCard(card: left)), by: customers[2])
        history.grow(to: 120)
        return history.facts
    }
}
