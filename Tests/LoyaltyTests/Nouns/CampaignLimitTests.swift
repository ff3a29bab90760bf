import Loyalty
import Testing

/// The maximum number of campaigns of a shop, which bounds the work of reading a shop with its campaigns.
@Suite struct CampaignLimitTests {
    private static let openMax = Limits.openCampaignsPerShop
    private static let allMax = Limits.campaignsPerShop
    private static let over = Sample.afterDays(Sample.campaignDays)

    /// A shop with this many campaigns, of which the first `ended` were ended early.
    private func shop(campaigns: Int, ended: Int = 0) -> Scenario {
        let ids = (0..<campaigns).map { CampaignID(1_000 + UInt128($0)) }
        return Scenario.registered.given(Sample.shopOpened(), Sample.shopOpened(Sample.rivalShop, by: Sample.rival))
            .given(ids.map { Sample.published($0) })
            .given(ids.prefix(ended).map { Sample.ended($0) })
    }

    private func publish(_ scenario: Scenario, at now: Instant = Sample.start) -> Outcome {
        scenario.when(Sample.publish(to: Self.over.advanced(bySeconds: 86_400)), by: Sample.owner, at: now)
    }

    @Test("A shop has at most a hundred campaigns that are not over")
    func openLimit() {
        publish(shop(campaigns: Self.openMax - 1)).thenAccepted()
        publish(shop(campaigns: Self.openMax)).thenInvalid("")
    }

    @Test("Campaigns that are over do not count toward the limit of open campaigns")
    func makeRoom() {
        publish(shop(campaigns: Self.openMax, ended: 1)).thenAccepted()
        publish(shop(campaigns: Self.openMax + 1, ended: 1)).thenInvalid("")
        publish(shop(campaigns: Self.openMax), at: Self.over).thenAccepted()
    }

    @Test("A shop has at most a thousand campaigns in all, including those that are over")
    func allLimit() {
        publish(shop(campaigns: Self.allMax - 1, ended: Self.allMax - 1)).thenAccepted()
        publish(shop(campaigns: Self.allMax, ended: Self.allMax)).thenInvalid("")
        publish(shop(campaigns: Self.allMax), at: Self.over).thenInvalid("")
    }

    @Test("Each shop has its own limit of campaigns")
    func anotherShopHasItsOwn() {
        shop(campaigns: Self.openMax).when(Sample.publish(at: Sample.rivalShop), by: Sample.rival).thenAccepted()
    }

    /// An account that may not publish does not learn of the limit.
    @Test("A repeated publication records nothing at the limit, and one without permission is forbidden")
    func repeatedOrForbidden() {
        let full = shop(campaigns: Self.openMax)
        full.when(Sample.publish(CampaignID(1_000)), by: Sample.owner).thenNothing()
        full.when(Sample.publish(), by: Sample.customer).thenRejected(.forbidden)
    }

    @Test("An edit that makes a finished campaign run again is rejected at the limit of open campaigns")
    func broughtBack() {
        let later = Self.over.advanced(bySeconds: 86_400)
        let first = CampaignID(1_000)
        func extend(_ scenario: Scenario) -> Outcome { scenario.when(Sample.edit(first, to: later), by: Sample.owner, at: Self.over) }
        let others = (0..<Self.openMax).map { CampaignID(5_000 + UInt128($0)) }
        let over = shop(campaigns: 1)
        extend(over.given(others.dropLast().map { published($0, to: later) })).thenAccepted()
        let full = over.given(others.map { published($0, to: later) })
        extend(full).thenInvalid("endsAt")
        full.when(Sample.edit(first, title: "Nine cups"), by: Sample.owner, at: Self.over).thenAccepted()
        // A running campaign may get a later end, even at the limit.
        full.when(Sample.edit(others[0], to: later.advanced(bySeconds: 1)), by: Sample.owner, at: Self.over).thenAccepted()
    }

    private func published(_ campaign: CampaignID, to endsAt: Instant) -> LoyaltyEvent {
        .campaignPublished(
            CampaignPublished(
                campaign: campaign, shop: Sample.shop, kind: .stampCard,
                terms: CampaignTerms(
                    title: "Ten cups", details: "", goal: 10, reward: "The eleventh", startsAt: Sample.start, endsAt: endsAt)))
    }
}
