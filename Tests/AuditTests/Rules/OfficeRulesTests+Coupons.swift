import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about coupons. Each test breaks one rule in a history, and the rule book reports it.
extension OfficeRulesTests {
    private static let (coupons, begin) = (CampaignID(23), Instant(microseconds: 1_700_000_000_000_000))

    private func published(
        _ kind: CampaignKind = .coupon, goal: Int = 0, seconds: Int64 = 9_000_000, options: CampaignOptions = .none
    ) -> Step {
        Step(
            actor: Self.owner,
            event: .campaignPublished(
                .init(
                    campaign: Self.coupons, shop: Self.shop, kind: kind,
                    terms: CampaignTerms(
                        title: "", details: "", goal: goal, reward: "", startsAt: Self.begin,
                        endsAt: Self.begin.advanced(bySeconds: seconds), options: options))))
    }

    private func claimed(
        _ card: CardID = card, by actor: AccountID = customer, for holder: AccountID? = nil, goal: Int = 0, after seconds: Int64 = 1
    ) -> Step {
        Step(
            actor: actor,
            event: .cardOpened(.init(card: card, campaign: Self.coupons, shop: Self.shop, holder: holder ?? actor, goal: goal, reward: "")),
            seconds: seconds)
    }

    private func discarded() -> Step {
        Step(
            actor: Self.customer,
            event: .cardDiscarded(.init(card: Self.card, campaign: Self.coupons, shop: Self.shop, holder: Self.customer)))
    }

    @Test("Each person claims a coupon once, even after discarding it")
    func aCouponIsClaimedOnce() {
        let next = CardID(41)
        #expect(findings([published(), claimed()], ends: true) == [])
        #expect(findings([published(), claimed(), claimed(next, by: Self.member)]) == [])
        #expect(!findings([published(), claimed(), claimed(next)]).isEmpty, "a coupon claimed twice")
        #expect(!findings([published(), claimed(), discarded(), claimed(next)]).isEmpty, "a coupon claimed again after it was discarded")
    }

    @Test("A coupon can be redeemed as soon as it is claimed, and takes no stamps")
    func couponFull() {
        // The time of the request: the opening events, the campaign and the claim each take a second.
        let now = Self.begin.advanced(bySeconds: Int64(Self.opening.count) + 3)
        let asked = Step(
            actor: Self.customer,
            event: .redemptionRequested(
                .init(
                    redemption: .init(50), card: Self.card, campaign: Self.coupons, shop: Self.shop, holder: Self.customer,
                    secret: Secret(50), attempt: 0, expiresAt: now.advanced(bySeconds: 300))))
        #expect(findings([published(), claimed(), asked]) == [])
        #expect(!findings([published(), claimed(), issued(1), stamped(1)]).isEmpty, "a stamp on a coupon")
        #expect(!findings([published(), asked]).isEmpty, "a coupon that was never claimed")
    }

    @Test("Cards are claimed only in campaigns of coupons, and neither coupon nor campaign has a goal")
    func onlyCoupons() {
        #expect(!findings([published(.promotion), claimed()]).isEmpty, "a claim of a promotion")
        #expect(!findings([published(.stampCard, goal: 2), claimed()]).isEmpty, "a claim of a stamp card")
        #expect(!findings([published(), claimed(goal: 2)]).isEmpty, "a coupon with a goal")
        #expect(!findings([published(goal: 2)]).isEmpty, "a campaign of coupons with a goal")
    }

    @Test("People claim coupons for themselves, while the campaign runs, and not at their own shop")
    func ownClaim() {
        #expect(!findings([published(), claimed(by: Self.owner, for: Self.customer)]).isEmpty, "a claim for somebody else")
        #expect(!findings([published(), claimed(by: Self.owner)]).isEmpty, "a claim at one's own shop")
        #expect(!findings([published(seconds: 100), claimed(after: 1_000)]).isEmpty, "a claim after the campaign")
        #expect(!findings([published(), issued(1), claimed(by: Self.owner, for: Self.customer, after: 0)]).isEmpty, "a claim at a counter")
    }

    @Test("Coupons may have a last day but no repeats or welcome, and a promotion has no last day")
    func couponOptions() {
        let until = Self.begin.advanced(bySeconds: 9_000_001)
        #expect(findings([published(options: CampaignOptions(redeemUntil: until, cardValidDays: 7))]) == [])
        for options in [CampaignOptions(repeats: 1), CampaignOptions(welcomeStamps: 1)] {
            #expect(!findings([published(options: options)]).isEmpty, "\(options)")
        }
        #expect(!findings([published(.promotion, options: CampaignOptions(redeemUntil: until))]).isEmpty, "a promotion with a last day")
    }
}
