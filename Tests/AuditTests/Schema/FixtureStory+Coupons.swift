import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history of coupons that are claimed with and without a last day, redeemed, reversed and discarded.
    static func coupons() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_125), shops: 1, customers: 4)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop) = (history.owners[0], history.shops[0])
        for isDated in [false, true] {
            let (campaign, end) = (CampaignID(history.id()), history.now.advanced(bySeconds: 30 * 86_400))
            let terms = CampaignTerms<String>(
                title: "Welcome", details: "", goal: 0, reward: "A small tea", startsAt: history.now, endsAt: end,
                options: isDated ? CampaignOptions(redeemUntil: end.advanced(bySeconds: 86_400), cardValidDays: 7) : .none)
            run(.publishCampaign(PublishCampaign(campaign: campaign, shop: shop, kind: .coupon, terms: terms)), by: owner)
            let cards = history.customers.prefix(3).map { _ in CardID(history.id()) }
            for (customer, card) in zip(history.customers, cards) {
                run(.claimCoupon(ClaimCoupon(campaign: campaign, card: card)), by: customer)
            }
            let (redemption, secret) = (RedemptionID(history.id()), Secret(history.id()))
            run(
                .requestRedemption(RequestRedemption(redemption: redemption, card: cards[0], secret: secret, attempt: 0)),
                by: history.customers[0])
            run(.redeem(Redeem(secret: secret)), by: owner)
            if isDated { run(.reverseRedemption(ReverseRedemption(redemption: redemption, reason: "Wrong card")), by: owner) }
            run(.discardCard(DiscardCard(card: cards[1])), by: history.customers[1])
        }
        history.grow(to: 100)
        return history.facts
    }
}
