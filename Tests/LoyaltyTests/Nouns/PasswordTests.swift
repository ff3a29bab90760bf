import Loyalty
import Testing
import World

@Suite struct PasswordTests {
    private let other = SessionID(71)
    private let theirs = SessionID(72)

    private var signedIn: Scenario {
        Scenario.registered.given(
            Sample.signedIn(), Sample.signedIn(as: other), Sample.signedIn(Sample.stranger, as: theirs),
            Sample.signedIn(as: SessionID(73), expiresAt: Sample.after(1)))
    }

    @Test("A first password replaces none, and the account keeps its position and sealed hash")
    func firstPassword() throws {
        let set = Scenario.registered.when(Sample.setPassword(), by: Sample.customer).then(Sample.passwordSet())
        let password = try #require(set.world.account(Sample.customer)?.password)
        #expect(password == AccountPassword(position: set.world.position, sealedHash: Sealed([5])))
    }

    @Test("A new password ends every other session of the account, also an expired one, which a corrected clock would make alive again")
    func otherSessions() {
        signedIn.when(Sample.setPassword(keeping: Sample.session), by: Sample.customer, at: Sample.after(2))
            .then(Sample.passwordSet(), Sample.signedOut(other), Sample.signedOut(SessionID(73)))
    }

    @Test("A new password is set only if it names the present password as the one that it replaces")
    func replacesNamed() throws {
        let set = Scenario.registered.given(Sample.passwordSet())
        let position = set.world.position
        set.when(Sample.setPassword(6, replacing: position), by: Sample.customer).then(Sample.passwordSet(Sample.customer, 6))
        set.when(Sample.setPassword(6, replacing: nil), by: Sample.customer).thenRejected(.passwordNotValid)
        set.when(Sample.setPassword(6, replacing: position - 1), by: Sample.customer).thenRejected(.passwordNotValid)
    }

    @Test("A sealed password hash longer than 512 bytes is rejected")
    func aSealedHashHasABound() {
        let command = Command.setPassword(
            SetPassword(sealedHash: Sealed(Array(repeating: 1, count: 513)), replacing: nil, keeping: nil))
        Scenario.registered.when(command, by: Sample.customer).thenInvalid("new")
    }

    @Test("A sign-out everywhere ends each of the account's sessions once, also an expired one")
    func signOutAll() {
        let everywhere = Command.endSessions(EndSessions())
        signedIn.when(everywhere, by: Sample.customer, at: Sample.after(2))
            .then(Sample.signedOut(), Sample.signedOut(other), Sample.signedOut(SessionID(73)))
            .when(everywhere, by: Sample.customer, at: Sample.after(2)).thenNothing()
        Scenario.registered.when(everywhere, by: Sample.customer).thenNothing()
    }

    @Test("A sign-in begins no session if its password was replaced or removed before the decision")
    func staleSignIn() {
        let set = Scenario.registered.given(Sample.passwordSet())
        let signIn = Sample.signIn(password: set.world.position)
        set.when(signIn, by: Sample.customer).then(Sample.signedIn())
        let replaced = set.given(Sample.passwordSet(Sample.customer, 6))
        replaced.when(signIn, by: Sample.customer).thenRejected(.passwordNotValid)
        replaced.when(Sample.signIn(), by: Sample.customer).then(Sample.signedIn())
        set.given(.passwordRemoved(PasswordRemoved(account: Sample.customer))).when(signIn, by: Sample.customer)
            .thenRejected(.passwordNotValid)
    }

    @Test("A repeated sign-in changes nothing, also after its password was replaced")
    func repeatedSignIn() {
        let set = Scenario.registered.given(Sample.passwordSet())
        let signIn = Sample.signIn(password: set.world.position)
        set.given(Sample.signedIn(), Sample.passwordSet(Sample.customer, 6)).when(signIn, by: Sample.customer).thenNothing()
    }

    @Test("A removed password is gone, and removing none changes nothing")
    func removed() {
        let remove = Command.removePassword(RemovePassword())
        let gone = LoyaltyEvent.passwordRemoved(PasswordRemoved(account: Sample.customer))
        let none = Scenario.registered.given(Sample.passwordSet()).when(remove, by: Sample.customer).then(gone)
        none.when(remove, by: Sample.customer).thenNothing()
        none.when(Sample.setPassword(6), by: Sample.customer).then(Sample.passwordSet(Sample.customer, 6))
    }
}
