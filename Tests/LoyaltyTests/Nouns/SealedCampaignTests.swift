import Loyalty
import Testing
import World

/// Campaigns with encrypted texts, which decisions cannot read.
@Suite struct SealedCampaignTests {
    private static let texts = CampaignTexts(title: .sealed(Sealed([1])), details: "", reward: .sealed(Sealed([2])))
    private let published = Scenario.registered.given(
        Sample.shopOpened(),
        .campaignPublished(
            CampaignPublished(
                campaign: Sample.campaign, shop: Sample.shop, kind: .stampCard,
                terms: CampaignTerms(
                    title: texts.title, details: texts.details, goal: 10, reward: texts.reward, startsAt: Sample.start,
                    endsAt: Sample.afterDays(30)))))

    private var version: UInt64 { published.world.campaigns[Sample.campaign]?.version ?? 0 }

    private func resealed(_ title: TypedText?, basis: UInt64) -> ResealedTexts {
        ResealedTexts(title: title, details: nil, reward: nil, basis: basis)
    }

    private func edit(_ title: String?, goal: Int? = nil, _ resealed: ResealedTexts?) -> Command {
        .editCampaign(EditCampaign(campaign: Sample.campaign, expected: .any, title: title, goal: goal, resealed: resealed))
    }

    private func edited(_ title: TypedText, goal: Int) -> LoyaltyEvent {
        .campaignEdited(
            CampaignEdited(
                campaign: Sample.campaign, shop: Sample.shop,
                terms: CampaignTerms(
                    title: title, details: Self.texts.details, goal: goal, reward: Self.texts.reward, startsAt: Sample.start,
                    endsAt: Sample.afterDays(30), image: nil, caps: .none)))
    }

    @Test("A campaign is published with its sealed texts, after the unsealed texts were checked")
    func publishes() {
        func publish(_ title: String, _ sealed: CampaignTexts) -> Command {
            .publishCampaign(
                PublishCampaign(
                    campaign: Sample.campaign, shop: Sample.shop, kind: .promotion,
                    terms: CampaignTerms(
                        title: title, details: "", goal: 0, reward: "", startsAt: Sample.start, endsAt: Sample.afterDays(30)),
                    sealed: sealed))
        }
        let open = Scenario.registered.given(Sample.shopOpened())
        let event = CampaignPublished(
            campaign: Sample.campaign, shop: Sample.shop, kind: .promotion,
            terms: CampaignTerms(
                title: Self.texts.title, details: Self.texts.details, goal: 0, reward: Self.texts.reward, startsAt: Sample.start,
                endsAt: Sample.afterDays(30)))
        open.when(publish("Cake", Self.texts), by: Sample.owner).then(.campaignPublished(event))
        open.when(publish("", Self.texts), by: Sample.owner).thenInvalid("title")
        let much = CampaignTexts(
            title: .sealed(Sealed(Array(repeating: 1, count: Limits.sealedCampaignTextBytes.upperBound + 1))), details: "", reward: "")
        open.when(publish("Cake", much), by: Sample.owner).thenInvalid("title")
    }

    @Test("An edit of a sealed text must contain the new text in sealed form")
    func needsSealing() {
        published.when(edit("Tea", nil), by: Sample.owner).thenRejected(.versionConflict)
    }

    @Test("A text that was sealed for another version of the campaign is refused")
    func anotherVersion() {
        let stale = resealed(.sealed(Sealed([3])), basis: version + 1)
        published.when(edit("Tea", stale), by: Sample.owner).thenRejected(.versionConflict)
    }

    @Test("The event of an edit contains all texts of the campaign, sealed")
    func saysAll() {
        let anew = resealed(.sealed(Sealed([3])), basis: version)
        published.when(edit("Tea", goal: 5, anew), by: Sample.owner).then(edited(.sealed(Sealed([3])), goal: 5))
        published.when(edit("", anew), by: Sample.owner).thenInvalid("title")
    }

    @Test("An edit that leaves the texts as they are keeps their sealed bytes")
    func keeps() {
        published.when(edit(nil, goal: 5, nil), by: Sample.owner).then(edited(Self.texts.title, goal: 5))
        published.when(edit("Ten cups", resealed(nil, basis: version)), by: Sample.owner).then()
    }

    @Test("A card stores its campaign's reward as the campaign's sealed bytes")
    func cards() throws {
        let stamping = published.given(Sample.issued()).when(Sample.stamp(), by: Sample.customer)
        let opened = try stamping.verdict.get().compactMap { if case .cardOpened(let event) = $0 { event } else { nil } }
        #expect(opened.map(\.reward) == [Self.texts.reward])
    }
}
