import Loyalty
import Testing
import World

@Suite struct CodeTests {
    @Test("The shop's owner and its staff issue codes", arguments: [Sample.owner, Sample.staff])
    func shopIssues(_ actor: AccountID) {
        Scenario.running.when(Sample.issue(), by: actor).then(Sample.issued())
    }

    @Test("An account that does not work at the shop issues no codes", arguments: [Sample.customer, Sample.rival])
    func nobodyElseDoes(_ actor: AccountID) {
        Scenario.running.when(Sample.issue(), by: actor).thenRejected(.forbidden)
    }

    @Test("A code of an unknown campaign is rejected as not found")
    func unknownCampaign() {
        Scenario.running.when(Sample.issue(of: CampaignID(29)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("Codes are issued only while the campaign runs")
    func whileRunning() {
        let running = Scenario.running
        running.when(Sample.issue(), by: Sample.owner, at: Sample.after(-1)).thenRejected(.campaignNotRunning)
        running.when(Sample.issue(), by: Sample.owner, at: Sample.afterDays(30)).thenRejected(.campaignNotRunning)
        running.given(Sample.ended()).when(Sample.issue(), by: Sample.owner).thenRejected(.campaignNotRunning)
    }

    @Test("No codes are issued for a promotion")
    func aPromotionHasNoCodes() {
        Scenario.running.when(Sample.issue(of: Sample.promotion), by: Sample.owner).thenRejected(.campaignNotRunning)
    }

    @Test("A repeated issue of a code records nothing")
    func sameCode() {
        Scenario.codeShown.when(Sample.issue(secret: Secret(5)), by: Sample.staff).thenNothing()
    }

    @Test("An issue with the id of another campaign's code is rejected as not found")
    func takenID() {
        Scenario.running.given(Sample.issued(of: Sample.rivalCampaign, at: Sample.rivalShop))
            .when(Sample.issue(), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A secret is never issued twice, even after its code was destroyed or has expired")
    func secretOnce() {
        let again = Sample.issue(CodeID(31))
        Scenario.codeShown.when(again, by: Sample.owner).thenRejected(.secretTaken)
        Scenario.codeShown.given(Sample.destroyed()).when(again, by: Sample.owner).thenRejected(.secretTaken)
        Scenario.codeShown.when(again, by: Sample.owner, at: Sample.after(601)).thenRejected(.secretTaken)
    }

    @Test("A code is worth one to ten stamps", arguments: [(0, false), (-3, false), (1, true), (10, true), (11, false), (Int.max, false)])
    func itsWorth(_ stamps: Int, _ isGood: Bool) {
        let outcome = Scenario.running.when(Sample.issue(stamps: stamps), by: Sample.owner)
        if isGood { outcome.then(Sample.issued(stamps: stamps)) } else { outcome.thenInvalid("stamps") }
    }

    @Test(
        "A code is valid for one second to one day",
        arguments: [(0, false), (-1, false), (1, true), (86_400, true), (86_401, false), (Int.max, false)])
    func itsValidity(_ seconds: Int, _ isGood: Bool) {
        let outcome = Scenario.running.when(Sample.issue(validFor: seconds), by: Sample.owner, at: Sample.after(5))
        if isGood {
            outcome.then(Sample.issued(expiresAt: Sample.after(5 + Int64(seconds))))
        } else {
            outcome.thenInvalid("validFor")
        }
    }

    @Test("All invalid fields of an issue are named at once")
    func allFields() {
        Scenario.running.when(Sample.issue(attempt: -1, stamps: 0, validFor: 0), by: Sample.owner)
            .thenInvalid("stamps", "validFor", "attempt")
    }

    @Test(
        "The owner and staff destroy an open code of their own, and a second destruction records nothing",
        arguments: [Sample.owner, Sample.staff])
    func destroyOnce(_ actor: AccountID) {
        Scenario.running.when(Sample.issue(), by: actor).after.when(Sample.destroy(), by: actor).then(Sample.destroyed())
            .when(Sample.destroy(), by: actor, at: Sample.after(9_999)).thenNothing()
    }

    @Test("A destruction by a customer or another owner is not found, like that of an unknown code")
    func outsiders() {
        for actor in [Sample.customer, Sample.rival] {
            Scenario.codeShown.when(Sample.destroy(), by: actor).thenRejected(.notFound)
        }
        Scenario.codeShown.when(Sample.destroy(CodeID(39)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A used or expired code is not destroyed")
    func usedOrExpired() {
        Scenario.codeShown.given(Sample.opened(), Sample.stamped())
            .when(Sample.destroy(), by: Sample.owner).thenRejected(.codeNotOpen)
        Scenario.codeShown.when(Sample.destroy(), by: Sample.owner, at: Sample.after(600)).thenRejected(.codeNotOpen)
    }

    @Test("A code's status is the first that applies of used, destroyed, expired and open")
    func itsStatus() throws {
        var code = try #require(Scenario.codeShown.world.codes[Sample.code])
        #expect(code.status(at: Sample.after(599)) == .open)
        #expect(code.status(at: Sample.after(600)) == .expired)
        code.isDestroyed = true
        #expect(code.status(at: Sample.after(600)) == .destroyed)
        code.isUsed = true
        #expect(code.status(at: Sample.after(600)) == .used)
    }

    @Test("A code ignores the events of other codes")
    func otherCodes() {
        let world = Scenario.codeShown.given(Sample.issued(CodeID(31), secret: Secret(5)), Sample.destroyed(CodeID(31))).world
        #expect(world.codes[Sample.code] == Scenario.codeShown.world.codes[Sample.code])
        #expect(world.codes[CodeID(31)]?.isDestroyed == true)
    }
}
