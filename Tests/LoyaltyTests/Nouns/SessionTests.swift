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

    @Test("A sign-in starts a session")
    func signIn() {
        Scenario.registered.when(Sample.signIn(), by: Sample.customer).then(Sample.signedIn())
    }

    @Test("A new session is valid for at most thirty days")
    func validityLimit() {
        Scenario.registered.when(Sample.signIn(expiresAt: Sample.afterDays(365)), by: Sample.customer)
            .then(Sample.signedIn(expiresAt: Sample.afterDays(30)))
    }

    @Test("A session that would be over already is neither started nor refreshed")
    func overAlready() {
        Scenario.registered.when(Sample.signIn(expiresAt: Sample.start), by: Sample.customer).thenInvalid("expiresAt")
        signedIn.when(Sample.refresh(1, to: 2, expiresAt: Sample.after(5)), by: Sample.customer, at: Sample.after(5))
            .thenInvalid("expiresAt")
    }

    @Test("A sign-in with the id of another account's session is not found")
    func takenID() {
        signedIn.when(Sample.signIn(), by: Sample.stranger).thenRejected(.notFound)
    }

    @Test("A refresh replaces the current token by the next one, which is valid for at most thirty days")
    func rotation() {
        signedIn.when(Sample.refresh(1, to: 2), by: Sample.customer, at: Sample.afterDays(1))
            .then(refreshed(2, until: Sample.afterDays(31)))
            .when(Sample.refresh(2, to: 3, expiresAt: Sample.afterDays(99)), by: Sample.customer, at: Sample.afterDays(2))
            .then(refreshed(3, until: Sample.afterDays(32)))
    }

    @Test("A token that is used a second time ends the session")
    func reusedToken() {
        let rotated = signedIn.given(refreshed(2, until: Sample.afterDays(31)))
        let over = rotated.when(Sample.refresh(1, to: 3), by: Sample.customer).then(ended(.tokenReused))
        over.when(Sample.refresh(2, to: 4), by: Sample.customer).thenRejected(.sessionNotValid)
    }

    @Test("A value that never was a token of the session does not end it")
    func unknownToken() {
        let rotated = signedIn.given(refreshed(2, until: Sample.afterDays(31)))
        let refused = rotated.when(Sample.refresh(9, to: 3), by: Sample.customer)
        refused.thenRejected(.sessionNotValid)
        rotated.when(Sample.refresh(2, to: 3), by: Sample.customer).then(refreshed(3, until: Sample.afterDays(30)))
    }

    @Test("A refresh to the same token is rejected")
    func aTokenMustChange() {
        signedIn.when(Sample.refresh(1, to: 1), by: Sample.customer).thenInvalid("next")
    }

    @Test("An unknown, ended or expired session is not refreshed")
    func notRefreshed() {
        Scenario.registered.when(Sample.refresh(1, to: 2), by: Sample.customer).thenRejected(.sessionNotValid)
        signedIn.given(ended(.signedOut)).when(Sample.refresh(1, to: 2), by: Sample.customer).thenRejected(.sessionNotValid)
        signedIn.when(Sample.refresh(1, to: 2), by: Sample.customer, at: Sample.afterDays(30)).thenRejected(.sessionNotValid)
    }

    @Test("An account can neither refresh nor end another account's session, nor end an unknown one")
    func guessing() {
        signedIn.when(Sample.refresh(9, to: 2), by: Sample.stranger).thenRejected(.sessionNotValid)
        signedIn.when(Sample.signOut(), by: Sample.stranger).thenRejected(.notFound)
        Scenario.registered.when(Sample.signOut(), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A sign-out ends the session, and a second one records nothing")
    func signOutOnce() {
        signedIn.when(Sample.signOut(), by: Sample.customer).then(ended(.signedOut))
            .when(Sample.signOut(), by: Sample.customer).thenNothing()
    }

    @Test("An expired session can still be ended")
    func endExpired() {
        signedIn.when(Sample.signOut(), by: Sample.customer, at: Sample.afterDays(40)).then(ended(.signedOut))
    }

    @Test("A session ignores the events of other sessions")
    func otherSessions() throws {
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
