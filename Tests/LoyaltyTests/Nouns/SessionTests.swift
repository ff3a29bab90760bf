import Loyalty
import Testing
import World

@Suite struct SessionTests {
    private let signedIn = Scenario.registered.given(Sample.signedIn())

    private func refreshed(_ token: UInt128, until expiresAt: Instant) -> LoyaltyEvent {
        .sessionRefreshed(
            SessionRefreshed(session: Sample.session, account: Sample.customer, token: Secret(token), expiresAt: expiresAt))
    }

    private func ended(_ ending: SessionEnding) -> LoyaltyEvent {
        .sessionEnded(SessionEnded(session: Sample.session, account: Sample.customer, ending: ending))
    }

    @Test func signingInBeginsAFamily() {
        Scenario.registered.when(Sample.signIn(), by: Sample.customer).then(Sample.signedIn())
    }

    @Test func aSessionNeverOutlivesTheLimit() {
        Scenario.registered.when(Sample.signIn(expiresAt: Sample.afterDays(365)), by: Sample.customer)
            .then(Sample.signedIn(expiresAt: Sample.afterDays(30)))
    }

    @Test func aSessionThatIsOverAlreadyIsInvalid() {
        Scenario.registered.when(Sample.signIn(expiresAt: Sample.start), by: Sample.customer).thenInvalid("expiresAt")
        signedIn.when(Sample.refresh(1, to: 2, expiresAt: Sample.after(5)), by: Sample.customer, at: Sample.after(5))
            .thenInvalid("expiresAt")
    }

    @Test func anotherAccountsSessionIDIsNotFound() {
        signedIn.when(Sample.signIn(), by: Sample.stranger).thenRejected(.notFound)
    }

    @Test func theCurrentTokenIsSpentForTheNext() {
        signedIn.when(Sample.refresh(1, to: 2), by: Sample.customer, at: Sample.afterDays(1))
            .then(refreshed(2, until: Sample.afterDays(31)))
            .when(Sample.refresh(2, to: 3, expiresAt: Sample.afterDays(99)), by: Sample.customer, at: Sample.afterDays(2))
            .then(refreshed(3, until: Sample.afterDays(32)))
    }

    @Test func aSpentTokenEndsTheFamily() {
        let rotated = signedIn.given(refreshed(2, until: Sample.afterDays(31)))
        let over = rotated.when(Sample.refresh(1, to: 3), by: Sample.customer).then(ended(.tokenReused))
        over.when(Sample.refresh(2, to: 4), by: Sample.customer).thenRejected(.sessionNotValid)
    }

    @Test func whatWasNeverATokenEndsNothing() {
        let rotated = signedIn.given(refreshed(2, until: Sample.afterDays(31)))
        let refused = rotated.when(Sample.refresh(9, to: 3), by: Sample.customer)
        refused.thenRejected(.sessionNotValid)
        rotated.when(Sample.refresh(2, to: 3), by: Sample.customer).then(refreshed(3, until: Sample.afterDays(30)))
    }

    @Test func aTokenMustChange() {
        signedIn.when(Sample.refresh(1, to: 1), by: Sample.customer).thenInvalid("next")
    }

    @Test func anUnknownEndedOrExpiredSessionIsNotRefreshed() {
        Scenario.registered.when(Sample.refresh(1, to: 2), by: Sample.customer).thenRejected(.sessionNotValid)
        signedIn.given(ended(.signedOut)).when(Sample.refresh(1, to: 2), by: Sample.customer).thenRejected(.sessionNotValid)
        signedIn.when(Sample.refresh(1, to: 2), by: Sample.customer, at: Sample.afterDays(30)).thenRejected(.sessionNotValid)
    }

    @Test func nobodyEndsAnothersFamilyByGuessing() {
        signedIn.when(Sample.refresh(9, to: 2), by: Sample.stranger).thenRejected(.sessionNotValid)
        signedIn.when(Sample.signOut(), by: Sample.stranger).thenRejected(.notFound)
        Scenario.registered.when(Sample.signOut(), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func signingOutEndsTheFamilyOnce() {
        signedIn.when(Sample.signOut(), by: Sample.customer).then(ended(.signedOut))
            .when(Sample.signOut(), by: Sample.customer).thenNothing()
    }

    @Test func anExpiredSessionMayStillBeEnded() {
        signedIn.when(Sample.signOut(), by: Sample.customer, at: Sample.afterDays(40)).then(ended(.signedOut))
    }

    @Test func aSessionIgnoresWhatHappensToOthers() throws {
        let other = SessionID(71)
        let strange: [LoyaltyEvent] = [
            .sessionRefreshed(
                SessionRefreshed(session: other, account: Sample.owner, token: Secret(8), expiresAt: Sample.afterDays(60))),
            .sessionEnded(SessionEnded(session: other, account: Sample.owner, ending: .tokenReused)),
        ]
        let facts = ([Sample.signedIn()] + strange).map { Fact(position: 1, time: Sample.start, actor: Sample.owner, event: $0) }
        let session = try #require(Session.fold(facts))
        #expect(session == signedIn.world.sessions[Sample.session])
    }
}
