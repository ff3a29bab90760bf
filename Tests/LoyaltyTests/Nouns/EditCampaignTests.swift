import Loyalty
import Testing
import World

/// Edits of a campaign by its owner. Opened cards keep their terms.
@Suite struct EditCampaignTests {
    private let campaign = Sample.campaign

    private func edit(_ command: Command, _ scenario: Scenario = .running, at now: Instant = Sample.start) -> Outcome {
        scenario.when(command, by: Sample.owner, at: now)
    }

    @Test("An edit of a campaign changes the fields that it names and keeps the others")
    func namedFields() {
        edit(Sample.edit(campaign, title: "Nine cups", goal: 9)).then(Sample.campaignEdited(title: "Nine cups", goal: 9))
        edit(Sample.edit(campaign, image: .set(ImageID(5)))).then(Sample.campaignEdited(image: ImageID(5)))
    }

    @Test("Staff, customers and other owners cannot edit a campaign, and an unknown campaign is not found")
    func onlyTheOwnerEdits() {
        Scenario.running.when(Sample.edit(campaign, goal: 9), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            Scenario.running.when(Sample.edit(campaign, goal: 9), by: actor).thenRejected(.forbidden)
        }
        Scenario.running.when(Sample.edit(CampaignID(29), goal: 9), by: Sample.owner).thenRejected(.notFound)
        Scenario.running.when(Sample.edit(campaign, goal: 9), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("An edit that expects an older version of the campaign is rejected")
    func olderVersion() {
        let before = Scenario.running.world.campaigns[campaign]?.version ?? 0
        let seen = ExpectedVersion(oneOf: [before])
        let edited = edit(Sample.edit(campaign, expected: seen, goal: 9)).then(Sample.campaignEdited(goal: 9))
        edit(Sample.edit(campaign, expected: seen, goal: 8), edited).thenRejected(.versionConflict)
        edit(Sample.edit(campaign, expected: seen, goal: 8), Scenario.running.given(Sample.ended())).thenRejected(.versionConflict)
    }

    @Test("A changed goal applies to cards opened later, and older cards keep theirs")
    func changedGoal() {
        let collecting = Scenario.running.given(Sample.opened(goal: 2), Sample.stamped(1), Sample.campaignEdited(goal: 3))
        // One stamp fills the old card, whose goal is two. The other three stamps open a card with the new goal of three.
        let stamped = collecting.given(Sample.issued(CodeID(31), stamps: 4))
            .when(Sample.stamp(firstCard: CardID(500)), by: Sample.customer)
            .then(
                Sample.stamped(1, with: CodeID(31)), Sample.opened(CardID(500), goal: 3),
                Sample.stamped(3, on: CardID(500), with: CodeID(31)))
        #expect(stamped.world.cards[Sample.card]?.goal == 2 && stamped.world.cards[Sample.card]?.status == .full)
        #expect(stamped.world.cards[CardID(500)]?.status == .full)
    }

    @Test("An edit gives a promotion no goal and no caps, and may empty its reward")
    func promotion() {
        edit(Sample.edit(Sample.promotion, goal: 7, stampsPerDayMax: .set(2))).thenNothing()
        edit(Sample.edit(Sample.promotion, goal: 7, reward: "")).thenAccepted()
        edit(Sample.edit(campaign, reward: "")).thenInvalid("reward")
    }

    @Test("An image and a cap can be removed, and the other cap stays")
    func removal() {
        let caps = StampCaps(stampsPerDayMax: 2, minimumGapSeconds: 60)
        let capped = Scenario.running.given(Sample.campaignEdited(image: ImageID(5), caps: caps))
        edit(Sample.edit(campaign, image: .removed, stampsPerDayMax: .removed), capped)
            .then(Sample.campaignEdited(caps: StampCaps(stampsPerDayMax: nil, minimumGapSeconds: 60)))
        edit(Sample.edit(campaign, title: "Ten cups"), capped).thenNothing()
    }

    @Test("All invalid fields of an edit are named")
    func everyBadFieldIsNamed() {
        edit(
            Sample.edit(
                campaign, title: "", details: "\u{0}", goal: 51, reward: "\n", from: Sample.afterDays(1_900), to: Sample.after(-9),
                stampsPerDayMax: .set(0), minimumGapSeconds: .set(86_401))
        ).thenInvalid(
            "title", "details", "goal", "reward", "startsAt", "startsAt", "endsAt", "stampsPerDayMax", "minimumGapSeconds")
        edit(Sample.edit(campaign, stampsPerDayMax: .set(50), minimumGapSeconds: .set(86_400))).thenAccepted()
    }

    @Test("An edited campaign ends after its start and after now, and runs for a century at most")
    func itsTimesMakeSense() {
        edit(Sample.edit(campaign, to: Sample.start)).thenInvalid("endsAt")
        edit(Sample.edit(campaign, to: Sample.after(5)), at: Sample.after(5)).thenInvalid("endsAt")
        edit(Sample.edit(campaign, to: Sample.after(6)), at: Sample.after(5)).thenAccepted()
        edit(Sample.edit(campaign, from: Sample.afterDays(30))).thenInvalid("startsAt")
        edit(Sample.edit(campaign, from: Sample.afterDays(31), to: Sample.afterDays(32))).thenAccepted()
        edit(Sample.edit(campaign, from: Sample.afterDays(-36_525))).thenInvalid("startsAt")
    }

    @Test("A campaign that ran out may get a later end, one that was ended may not, and both may get a new title")
    func overCampaign() {
        let late = Sample.afterDays(31)
        edit(Sample.edit(campaign, title: "Thanks"), at: late).then(Sample.campaignEdited(title: "Thanks"))
        edit(Sample.edit(campaign, to: Sample.afterDays(60)), at: late).thenAccepted()
        let ended = Scenario.running.given(Sample.ended())
        edit(Sample.edit(campaign, title: "Thanks"), ended).thenAccepted()
        edit(Sample.edit(campaign, to: Sample.afterDays(60)), ended).thenInvalid("endsAt")
    }
}
