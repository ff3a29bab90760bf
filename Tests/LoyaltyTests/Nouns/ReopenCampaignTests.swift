import Loyalty
import Testing
import World

/// Within a day, the owner or a manager may reopen a campaign that was ended by mistake.
@Suite struct ReopenCampaignTests {
    private let ended = Scenario.codeShown.given(Sample.ended())

    @Test("A reopened campaign runs as before, and its codes work again")
    func itRunsAsBefore() throws {
        let reopened = ended.when(Sample.reopen(), by: Sample.owner, at: Sample.after(60)).then(Sample.reopened())
        let campaign = try #require(reopened.world.campaigns[Sample.campaign])
        #expect(campaign.isRunning(at: Sample.after(60)) && campaign.endedAt == nil)
        #expect(campaign.version == reopened.world.position)
        reopened.when(Sample.stamp(), by: Sample.customer, at: Sample.after(61)).then(Sample.opened(), Sample.stamped())
    }

    @Test("A campaign is reopened within a day of its early end, and not later")
    func withinADay() {
        let last = Instant(microseconds: Sample.after(86_400).microseconds - 1)
        ended.when(Sample.reopen(), by: Sample.owner, at: last).then(Sample.reopened())
        ended.when(Sample.reopen(), by: Sample.owner, at: Sample.after(86_400)).thenRejected(.campaignOver)
    }

    @Test("A campaign whose planned end has passed is not reopened")
    func notAfterItsTime() {
        let late = Scenario.running.given([Sample.ended()], at: Instant(microseconds: Sample.afterDays(30).microseconds - 1))
        late.when(Sample.reopen(), by: Sample.owner, at: Sample.afterDays(30)).thenRejected(.campaignOver)
        Scenario.running.when(Sample.reopen(), by: Sample.owner, at: Sample.afterDays(30)).thenRejected(.campaignOver)
    }

    @Test("A reopening of a running campaign records nothing")
    func stillRunning() {
        Scenario.running.when(Sample.reopen(), by: Sample.owner).thenNothing()
    }

    @Test("A reopened campaign can be ended again and edited")
    func itCanEndAgain() {
        let reopened = ended.given(Sample.reopened())
        reopened.when(Sample.end(), by: Sample.owner).then(Sample.ended())
        reopened.when(Sample.edit(Sample.campaign, to: Sample.afterDays(40)), by: Sample.owner).thenAccepted()
    }

    @Test("Counter staff and customers cannot reopen a campaign, and an unknown campaign is not found")
    func onlyOwner() {
        ended.when(Sample.reopen(), by: Sample.staff).thenRejected(.roleRequired)
        ended.when(Sample.reopen(), by: Sample.customer).thenRejected(.forbidden)
        ended.when(Sample.reopen(), by: Sample.ghost).thenRejected(.notFound)
        ended.when(Sample.reopen(CampaignID(29)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A campaign of a suspended or closed shop is not reopened")
    func inactiveShop() {
        ended.given(Sample.suspended()).when(Sample.reopen(), by: Sample.owner).thenRejected(.suspended)
        ended.given(Sample.closed(redeemUntil: Sample.afterDays(9), erasesContact: false)).when(Sample.reopen(), by: Sample.owner)
            .thenRejected(.shopClosed)
    }

    @Test("A campaign that would be the shop's hundred-and-first open one is not reopened")
    func openLimit() {
        let others = (0..<100).map { Sample.published(CampaignID(1_000 + UInt128($0))) }
        ended.given(others).when(Sample.reopen(), by: Sample.owner).thenInvalid("endsAt")
        // The shop's promotion also counts toward the limit of campaigns, so two of the others are left out.
        ended.given(Array(others.dropLast(2))).when(Sample.reopen(), by: Sample.owner).then(Sample.reopened())
    }
}
