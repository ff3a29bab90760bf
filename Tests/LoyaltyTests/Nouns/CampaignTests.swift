import Loyalty
import Testing
import World

@Suite struct CampaignTests {
    private let shopOpen = Scenario.registered.given(
        Sample.shopOpened(), Sample.shopOpened(Sample.rivalShop, by: Sample.rival)
    ).employing(Sample.staff)

    @Test func theOwnerPublishes() {
        shopOpen.when(Sample.publish(), by: Sample.owner).then(Sample.published())
    }

    @Test func onlyTheOwnerPublishes() {
        shopOpen.when(Sample.publish(), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            shopOpen.when(Sample.publish(), by: actor).thenRejected(.forbidden)
        }
        shopOpen.when(Sample.publish(at: ShopID(19)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func theSameCampaignAgainIsNothing() {
        shopOpen.given(Sample.published()).when(Sample.publish(), by: Sample.owner).thenNothing()
    }

    @Test func anotherShopsCampaignIDIsNotFound() {
        shopOpen.given(Sample.published(Sample.campaign, at: Sample.rivalShop))
            .when(Sample.publish(), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func aPromotionHasNoGoalAndNeedsNoReward() throws {
        let events = try shopOpen.when(Sample.publish(kind: .promotion, goal: 99, reward: ""), by: Sample.owner).verdict.get()
        guard case .campaignPublished(let event) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(event.terms.goal == 0)
        #expect(event.terms.reward == "")
    }

    @Test(arguments: [(0, false), (-1, false), (Int.min, false), (1, true), (50, true), (51, false), (Int.max, false)])
    func goals(_ goal: Int, _ isGood: Bool) {
        let outcome = shopOpen.when(Sample.publish(goal: goal), by: Sample.owner)
        if isGood { outcome.thenAccepted() } else { outcome.thenInvalid("goal") }
    }

    @Test func allBadFieldsAreNamedAtOnce() {
        shopOpen.when(
            Sample.publish(
                title: "\t", details: String(repeating: "x", count: 2_001), goal: 0, reward: "", from: Sample.after(9),
                to: Sample.after(9)), by: Sample.owner
        ).thenInvalid("title", "details", "goal", "reward", "endsAt")
    }

    @Test(arguments: ["", " \n", "One\nTwo\r\n\tThree", String(repeating: "🧋", count: 2_000)])
    func detailsMayBeEmptyAndHaveLines(_ details: String) {
        shopOpen.when(Sample.publish(details: details), by: Sample.owner).thenAccepted()
    }

    @Test(arguments: ["a\u{0}", "\u{1B}", "\u{9F}"])
    func detailsHaveNoOtherControlCharacters(_ details: String) {
        shopOpen.when(Sample.publish(details: details), by: Sample.owner).thenInvalid("details")
    }

    @Test func itEndsAfterItStarts() {
        shopOpen.when(Sample.publish(from: Sample.after(2), to: Sample.after(1)), by: Sample.owner).thenInvalid("endsAt")
        shopOpen.when(Sample.publish(from: Sample.after(1), to: Sample.after(2)), by: Sample.owner).thenAccepted()
    }

    @Test func itIsNotOverAlready() {
        shopOpen.when(Sample.publish(from: Sample.after(-9), to: Sample.start), by: Sample.owner).thenInvalid("endsAt")
        shopOpen.when(Sample.publish(from: Sample.after(-9), to: Sample.after(1)), by: Sample.owner).thenAccepted()
    }

    @Test func itRunsACenturyAtMost() {
        shopOpen.when(Sample.publish(to: Sample.afterDays(36_525)), by: Sample.owner).thenAccepted()
        shopOpen.when(Sample.publish(to: Sample.after(36_525 * 86_400 + 1)), by: Sample.owner).thenInvalid("endsAt")
    }

    @Test func itStartsWithinFiveYears() {
        shopOpen.when(Sample.publish(from: Sample.afterDays(1_827), to: Sample.afterDays(1_828)), by: Sample.owner).thenAccepted()
        shopOpen.when(
            Sample.publish(from: Sample.afterDays(1_828), to: Sample.afterDays(1_829)), by: Sample.owner
        ).thenInvalid("startsAt")
    }

    @Test func theEndsOfTimeDoNotTrap() {
        let first = Instant(microseconds: .min)
        let last = Instant(microseconds: .max)
        shopOpen.when(Sample.publish(from: first, to: last), by: Sample.owner).thenInvalid("endsAt")
        shopOpen.when(Sample.publish(from: last, to: last), by: Sample.owner, at: first).thenInvalid("startsAt", "endsAt")
    }

    @Test func theOwnerEndsItOnce() {
        Scenario.running.when(Sample.end(), by: Sample.owner).then(Sample.ended())
            .when(Sample.end(), by: Sample.owner).thenNothing()
    }

    @Test func onlyTheOwnerEndsIt() {
        Scenario.running.when(Sample.end(), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            Scenario.running.when(Sample.end(), by: actor).thenRejected(.forbidden)
        }
        Scenario.running.when(Sample.end(CampaignID(29)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func endingWhatIsOverIsNothing() {
        Scenario.running.when(Sample.end(), by: Sample.owner, at: Sample.afterDays(30)).thenNothing()
    }

    @Test func oneThatHasYetToStartCanBeEnded() {
        Scenario.running.when(Sample.end(), by: Sample.owner, at: Sample.after(-1)).then(Sample.ended())
    }

    @Test func itRunsFromItsStartUpToButNotAtItsEnd() throws {
        var campaign = try #require(Scenario.running.world.campaigns[Sample.campaign])
        let end = Sample.afterDays(Sample.campaignDays)
        #expect(!campaign.isRunning(at: Instant(microseconds: Sample.start.microseconds - 1)))
        #expect(campaign.isRunning(at: Sample.start))
        #expect(campaign.isRunning(at: Instant(microseconds: end.microseconds - 1)))
        #expect(!campaign.isRunning(at: end) && campaign.isOver(at: end))
        campaign.endedAt = Sample.after(5)
        #expect(!campaign.isRunning(at: Sample.after(4)), "a clock that steps back does not make the campaign run again")
    }

    @Test func itRemembersWhenItWasEnded() {
        let world = Scenario.running.given(Sample.ended(), at: Sample.after(7)).world
        #expect(world.campaigns[Sample.campaign]?.endedAt == Sample.after(7))
        #expect(world.campaigns[Sample.promotion]?.endedAt == nil)
    }
}
