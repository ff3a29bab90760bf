import Loyalty
import Testing
import World

@Suite struct CodeTests {
    @Test(arguments: [Sample.owner, Sample.staff])
    func ownerAndStaffIssueCodes(_ actor: AccountID) {
        Scenario.running.when(Sample.issue(), by: actor).then(Sample.issued())
    }

    @Test(arguments: [Sample.customer, Sample.rival])
    func nobodyElseDoes(_ actor: AccountID) {
        Scenario.running.when(Sample.issue(), by: actor).thenRejected(.forbidden)
    }

    @Test func anUnknownCampaignIsNotFound() {
        Scenario.running.when(Sample.issue(of: CampaignID(29)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func onlyWhileTheCampaignRuns() {
        let running = Scenario.running
        running.when(Sample.issue(), by: Sample.owner, at: Sample.after(-1)).thenRejected(.campaignNotRunning)
        running.when(Sample.issue(), by: Sample.owner, at: Sample.afterDays(30)).thenRejected(.campaignNotRunning)
        running.given(Sample.ended()).when(Sample.issue(), by: Sample.owner).thenRejected(.campaignNotRunning)
    }

    @Test func aPromotionHasNoCodes() {
        Scenario.running.when(Sample.issue(of: Sample.promotion), by: Sample.owner).thenRejected(.campaignNotRunning)
    }

    @Test func theSameCodeAgainIsNothing() {
        Scenario.codeShown.when(Sample.issue(secret: Secret(5)), by: Sample.staff).thenNothing()
    }

    @Test func anotherCampaignsCodeIDIsNotFound() {
        Scenario.running.given(Sample.issued(of: Sample.rivalCampaign, at: Sample.rivalShop))
            .when(Sample.issue(), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func aSecretIsNeverGivenTwice() {
        let again = Sample.issue(CodeID(31))
        Scenario.codeShown.when(again, by: Sample.owner).thenRejected(.secretTaken)
        Scenario.codeShown.given(Sample.destroyed()).when(again, by: Sample.owner).thenRejected(.secretTaken)
        Scenario.codeShown.when(again, by: Sample.owner, at: Sample.after(601)).thenRejected(.secretTaken)
    }

    @Test(arguments: [(0, false), (-3, false), (1, true), (10, true), (11, false), (Int.max, false)])
    func itsWorth(_ stamps: Int, _ isGood: Bool) {
        let outcome = Scenario.running.when(Sample.issue(stamps: stamps), by: Sample.owner)
        if isGood { outcome.then(Sample.issued(stamps: stamps)) } else { outcome.thenInvalid("stamps") }
    }

    @Test(arguments: [(0, false), (-1, false), (1, true), (86_400, true), (86_401, false), (Int.max, false)])
    func itsValidity(_ seconds: Int, _ isGood: Bool) {
        let outcome = Scenario.running.when(Sample.issue(validFor: seconds), by: Sample.owner, at: Sample.after(5))
        if isGood {
            outcome.then(Sample.issued(expiresAt: Sample.after(5 + Int64(seconds))))
        } else {
            outcome.thenInvalid("validFor")
        }
    }

    @Test func allBadFieldsAreNamedAtOnce() {
        Scenario.running.when(Sample.issue(attempt: -1, stamps: 0, validFor: 0), by: Sample.owner)
            .thenInvalid("stamps", "validFor", "attempt")
    }

    @Test(arguments: [Sample.owner, Sample.staff])
    func ownerAndStaffDestroyAnOpenCode(_ actor: AccountID) {
        Scenario.running.when(Sample.issue(), by: actor).after.when(Sample.destroy(), by: actor).then(Sample.destroyed())
            .when(Sample.destroy(), by: actor, at: Sample.after(9_999)).thenNothing()
    }

    @Test func toOthersThereIsNoSuchCode() {
        for actor in [Sample.customer, Sample.rival] {
            Scenario.codeShown.when(Sample.destroy(), by: actor).thenRejected(.notFound)
        }
        Scenario.codeShown.when(Sample.destroy(CodeID(39)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func aUsedOrExpiredCodeIsNotDestroyed() {
        Scenario.codeShown.given(Sample.opened(), Sample.stamped())
            .when(Sample.destroy(), by: Sample.owner).thenRejected(.codeNotOpen)
        Scenario.codeShown.when(Sample.destroy(), by: Sample.owner, at: Sample.after(600)).thenRejected(.codeNotOpen)
    }

    @Test func itsStatus() throws {
        var code = try #require(Scenario.codeShown.world.codes[Sample.code])
        #expect(code.status(at: Sample.after(599)) == .open)
        #expect(code.status(at: Sample.after(600)) == .expired)
        code.isDestroyed = true
        #expect(code.status(at: Sample.after(600)) == .destroyed)
        code.isUsed = true
        #expect(code.status(at: Sample.after(600)) == .used)
    }

    @Test func itIgnoresWhatHappensToOthers() {
        let world = Scenario.codeShown.given(Sample.issued(CodeID(31), secret: Secret(5)), Sample.destroyed(CodeID(31))).world
        #expect(world.codes[Sample.code] == Scenario.codeShown.world.codes[Sample.code])
        #expect(world.codes[CodeID(31)]?.isDestroyed == true)
    }
}
