import Loyalty
import Testing
import World

@Suite struct CampaignTests {
    private let shopOpen = Scenario.registered.given(
        Sample.shopOpened(), Sample.shopOpened(Sample.rivalShop, by: Sample.rival)
    ).employing(Sample.staff)

    @Test("The owner publishes a campaign")
    func theOwnerPublishes() {
        shopOpen.when(Sample.publish(), by: Sample.owner).then(Sample.published())
    }

    @Test("Staff, customers and other owners cannot publish for a shop, and an unknown shop is not found")
    func notOwner() {
        shopOpen.when(Sample.publish(), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            shopOpen.when(Sample.publish(), by: actor).thenRejected(.forbidden)
        }
        shopOpen.when(Sample.publish(at: ShopID(19)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A repeated publication records nothing")
    func again() {
        shopOpen.given(Sample.published()).when(Sample.publish(), by: Sample.owner).thenNothing()
    }

    @Test("A publication with the id of another shop's campaign is rejected")
    func takenID() {
        shopOpen.given(Sample.published(Sample.campaign, at: Sample.rivalShop))
            .when(Sample.publish(), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A promotion has no goal and needs no reward")
    func promotion() throws {
        let events = try shopOpen.when(Sample.publish(kind: .promotion, goal: 99, reward: ""), by: Sample.owner).verdict.get()
        guard case .campaignPublished(let event) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(event.terms.goal == 0)
        #expect(event.terms.reward == "")
    }

    @Test(
        "A goal is one to fifty stamps",
        arguments: [(0, false), (-1, false), (Int.min, false), (1, true), (50, true), (51, false), (Int.max, false)])
    func goals(_ goal: Int, _ isGood: Bool) {
        let outcome = shopOpen.when(Sample.publish(goal: goal), by: Sample.owner)
        if isGood { outcome.thenAccepted() } else { outcome.thenInvalid("goal") }
    }

    @Test("All invalid fields of a publication are named at once")
    func allFields() {
        shopOpen.when(
            Sample.publish(
                title: "\t", details: String(repeating: "x", count: 2_001), goal: 0, reward: "", from: Sample.after(9),
                to: Sample.after(9)), by: Sample.owner
        ).thenInvalid("title", "details", "goal", "reward", "endsAt")
    }

    @Test(
        "Details that are empty, blank, of several lines or 2,000 characters long are accepted",
        arguments: ["", " \n", "One\nTwo\r\n\tThree", String(repeating: "🧋", count: 2_000)])
    func goodDetails(_ details: String) {
        shopOpen.when(Sample.publish(details: details), by: Sample.owner).thenAccepted()
    }

    @Test("Details with control characters other than line breaks and tabs are rejected", arguments: ["a\u{0}", "\u{1B}", "\u{9F}"])
    func badDetails(_ details: String) {
        shopOpen.when(Sample.publish(details: details), by: Sample.owner).thenInvalid("details")
    }

    @Test("A campaign's end is after its start")
    func itEndsAfterItStarts() {
        shopOpen.when(Sample.publish(from: Sample.after(2), to: Sample.after(1)), by: Sample.owner).thenInvalid("endsAt")
        shopOpen.when(Sample.publish(from: Sample.after(1), to: Sample.after(2)), by: Sample.owner).thenAccepted()
    }

    @Test("A campaign that would be over already is not published")
    func itIsNotOverAlready() {
        shopOpen.when(Sample.publish(from: Sample.after(-9), to: Sample.start), by: Sample.owner).thenInvalid("endsAt")
        shopOpen.when(Sample.publish(from: Sample.after(-9), to: Sample.after(1)), by: Sample.owner).thenAccepted()
    }

    @Test("A campaign runs for at most a hundred years")
    func itRunsACenturyAtMost() {
        shopOpen.when(Sample.publish(to: Sample.afterDays(36_525)), by: Sample.owner).thenAccepted()
        shopOpen.when(Sample.publish(to: Sample.after(36_525 * 86_400 + 1)), by: Sample.owner).thenInvalid("endsAt")
    }

    @Test("A campaign starts at most five years ahead")
    func startLimit() {
        shopOpen.when(Sample.publish(from: Sample.afterDays(1_827), to: Sample.afterDays(1_828)), by: Sample.owner).thenAccepted()
        shopOpen.when(
            Sample.publish(from: Sample.afterDays(1_828), to: Sample.afterDays(1_829)), by: Sample.owner
        ).thenInvalid("startsAt")
    }

    @Test("A campaign that starts or ends at the ends of time is rejected without a crash")
    func extremeTimes() {
        let first = Instant(microseconds: .min)
        let last = Instant(microseconds: .max)
        shopOpen.when(Sample.publish(from: first, to: last), by: Sample.owner).thenInvalid("endsAt")
        shopOpen.when(Sample.publish(from: last, to: last), by: Sample.owner, at: first).thenInvalid("startsAt", "endsAt")
    }

    @Test("The owner ends a campaign, and a second end records nothing")
    func theOwnerEndsItOnce() {
        Scenario.running.when(Sample.end(), by: Sample.owner).then(Sample.ended())
            .when(Sample.end(), by: Sample.owner).thenNothing()
    }

    @Test("Staff, customers and other owners cannot end a campaign, and an unknown campaign is not found")
    func onlyTheOwnerEndsIt() {
        Scenario.running.when(Sample.end(), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            Scenario.running.when(Sample.end(), by: actor).thenRejected(.forbidden)
        }
        Scenario.running.when(Sample.end(CampaignID(29)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("An end of a campaign that is over already records nothing")
    func endOver() {
        Scenario.running.when(Sample.end(), by: Sample.owner, at: Sample.afterDays(30)).thenNothing()
    }

    @Test("A campaign that has yet to start can be ended")
    func endEarly() {
        Scenario.running.when(Sample.end(), by: Sample.owner, at: Sample.after(-1)).then(Sample.ended())
    }

    @Test("A campaign runs from its start until just before its end, and no more once it was ended early")
    func runs() throws {
        var campaign = try #require(Scenario.running.world.campaigns[Sample.campaign])
        let end = Sample.afterDays(Sample.campaignDays)
        #expect(!campaign.isRunning(at: Instant(microseconds: Sample.start.microseconds - 1)))
        #expect(campaign.isRunning(at: Sample.start))
        #expect(campaign.isRunning(at: Instant(microseconds: end.microseconds - 1)))
        #expect(!campaign.isRunning(at: end) && campaign.isOver(at: end))
        campaign.endedAt = Sample.after(5)
        #expect(!campaign.isRunning(at: Sample.after(4)), "a clock that steps back does not make the campaign run again")
    }

    @Test("A campaign keeps the time at which it was ended")
    func endTime() {
        let world = Scenario.running.given(Sample.ended(), at: Sample.after(7)).world
        #expect(world.campaigns[Sample.campaign]?.endedAt == Sample.after(7))
        #expect(world.campaigns[Sample.promotion]?.endedAt == nil)
    }
}
