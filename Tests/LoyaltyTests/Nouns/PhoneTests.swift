import Loyalty
import Testing
import World

/// An account's phone number changes in two ways. The holder changes it with a proof, or an operator requests the change. Such a request
/// takes effect after three days, unless the holder objects.
@Suite struct PhoneTests {
    private static let hold: Int64 = 72 * 3_600
    private let other = SessionID(71)
    /// The sealed phone number in the event `Sample.registered`.
    private let first: Sealed
    private let signedIn: Scenario

    init() throws {
        first = try #require(Scenario.registered.world.account(Sample.customer)?.sealedPhone)
        signedIn = Scenario.registered.given(Sample.signedIn(), Sample.signedIn(as: other))
    }

    private func change(to phone: UInt8, replacing: Sealed, keeping: SessionID? = Sample.session) -> Command {
        .changePhone(ChangePhone(sealedPhone: Sealed([phone]), replacing: replacing, keeping: keeping))
    }

    private func changed(to phone: UInt8) -> LoyaltyEvent {
        .phoneChanged(PhoneChanged(account: Sample.customer, sealedPhone: Sealed([phone])))
    }

    private func request(_ phone: UInt8, reason: TypedText = "Stolen") -> Command {
        .requestPhoneChange(RequestPhoneChange(account: Sample.customer, sealedPhone: Sealed([phone]), reason: reason))
    }

    private func requested(_ phone: UInt8, at time: Instant = Sample.start) -> LoyaltyEvent {
        .phoneChangeRequested(
            PhoneChangeRequested(
                account: Sample.customer, sealedPhone: Sealed([phone]), reason: "Stolen", holdsAt: time.advanced(bySeconds: Self.hold)))
    }

    private let object = Command.objectToPhoneChange(ObjectToPhoneChange())
    private let complete = Command.completePhoneChange(CompletePhoneChange())
    private let ended = LoyaltyEvent.phoneChangeEnded(PhoneChangeEnded(account: Sample.customer))

    @Test("The holder changes the number, and every other session ends")
    func change() {
        let after = signedIn.when(change(to: 8, replacing: first), by: Sample.customer).then(changed(to: 8), Sample.signedOut(other))
        #expect(after.world.account(Sample.customer)?.sealedPhone == Sealed([8]))
        #expect(after.world.account(Sample.customer)?.version == after.world.position - 1)
    }

    @Test("A proof of a number that the account had earlier is refused")
    func staleProof() {
        signedIn.given(changed(to: 8)).when(change(to: 9, replacing: first), by: Sample.customer).thenRejected(.passwordNotValid)
        signedIn.when(change(to: 9, replacing: Sealed([8])), by: Sample.customer).thenRejected(.passwordNotValid)
        signedIn.when(change(to: 9, replacing: first), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("A sealed phone number has a maximum length in bytes, and is not empty")
    func bounds() {
        for bytes in [[], Array(repeating: UInt8(1), count: 257)] {
            let command = Command.changePhone(ChangePhone(sealedPhone: Sealed(bytes), replacing: first, keeping: nil))
            signedIn.when(command, by: Sample.customer).thenInvalid("phone")
        }
    }

    @Test("An operator's request takes effect after 72 hours, not a microsecond earlier; all sessions end then")
    func requestHolds() {
        let asked = signedIn.when(request(8), by: Sample.stranger).then(requested(8))
        let holdsAt = Sample.after(Self.hold)
        let before = Instant(microseconds: holdsAt.microseconds - 1)
        asked.when(complete, by: Sample.customer, at: before).thenNothing()
        #expect(asked.world.account(Sample.customer)?.sealedPhone(at: before) == first)
        #expect(asked.world.account(Sample.customer)?.sealedPhone(at: holdsAt) == Sealed([8]))
        let after = asked.when(complete, by: Sample.customer, at: holdsAt)
            .then(changed(to: 8), Sample.signedOut(), Sample.signedOut(other))
        #expect(after.world.account(Sample.customer)?.comingPhone == nil)
    }

    @Test("The holder objects in time; later there is nothing to object to")
    func objection() {
        let asked = signedIn.when(request(8), by: Sample.stranger).then(requested(8))
        asked.when(object, by: Sample.customer, at: Sample.after(Self.hold)).thenRejected(.notFound)
        asked.when(object, by: Sample.owner, at: Sample.after(1)).thenRejected(.notFound)
        let kept = asked.when(object, by: Sample.customer, at: Sample.after(Self.hold - 1))
        #expect(kept.verdict == .success([ended]))
        kept.after.when(object, by: Sample.customer, at: Sample.after(1)).thenRejected(.notFound)
        kept.after.when(complete, by: Sample.customer, at: Sample.after(Self.hold)).thenNothing()
        signedIn.when(object, by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A newer request replaces an older one; if the older number is due, its change is recorded first")
    func twoRequests() {
        let asked = signedIn.given(requested(8))
        asked.when(request(9), by: Sample.stranger).then(requested(9))
        let now = Sample.after(Self.hold)
        asked.when(request(9), by: Sample.stranger, at: now)
            .then(changed(to: 8), Sample.signedOut(), Sample.signedOut(other), requested(9, at: now))
    }

    @Test("The holder's own change ends a request; once a requested number is due, a change must replace that number")
    func ownChangeWins() {
        let asked = signedIn.given(requested(8))
        let own = asked.when(change(to: 7, replacing: first), by: Sample.customer).then(changed(to: 7), Sample.signedOut(other))
        own.when(complete, by: Sample.customer, at: Sample.after(Self.hold)).thenNothing()
        let late = Sample.after(Self.hold)
        asked.when(change(to: 7, replacing: first), by: Sample.customer, at: late).thenRejected(.passwordNotValid)
        asked.when(change(to: 7, replacing: Sealed([8])), by: Sample.customer, at: late).then(changed(to: 7), Sample.signedOut(other))
    }

    @Test("A sign-in begins no session if the holder changed the number before the decision")
    func staleSignIn() {
        let signIn = Sample.signIn(SessionID(73), phone: first)
        signedIn.when(signIn, by: Sample.customer).thenAccepted()
        let moved = signedIn.given(changed(to: 8))
        moved.when(signIn, by: Sample.customer).thenRejected(.passwordNotValid)
        moved.when(Sample.signIn(SessionID(73), phone: Sealed([8])), by: Sample.customer).thenAccepted()
    }

    @Test("The lost number signs in until the requested one is due, and the requested one from then on, recorded or not")
    func signInAroundRequest() {
        let asked = signedIn.given(requested(8))
        let (lost, new) = (Sample.signIn(SessionID(73), phone: first), Sample.signIn(SessionID(73), phone: Sealed([8])))
        let holdsAt = Sample.after(Self.hold)
        let before = Instant(microseconds: holdsAt.microseconds - 1)
        asked.when(lost, by: Sample.customer, at: before).thenAccepted()
        asked.when(new, by: Sample.customer, at: before).thenRejected(.passwordNotValid)
        for due in [asked, asked.when(complete, by: Sample.customer, at: holdsAt).after] {
            due.when(lost, by: Sample.customer, at: holdsAt).thenRejected(.passwordNotValid)
            due.when(new, by: Sample.customer, at: holdsAt).thenAccepted()
        }
    }

    @Test("A request for another number needs a reason and a registered account")
    func reasons() {
        signedIn.when(request(8, reason: ""), by: Sample.stranger).thenInvalid("reason")
        Scenario().given(Sample.registered(Sample.stranger)).when(request(8), by: Sample.stranger).thenRejected(.notFound)
        signedIn.given(Sample.erased()).when(request(8), by: Sample.stranger).thenRejected(.notFound)
    }
}

/// A suspended account may do nothing until it is reinstated.
@Suite struct AccountSuspensionTests {
    private let suspended = LoyaltyEvent.accountSuspended(AccountSuspended(account: Sample.customer, reason: "Sells stamps"))
    private let reinstated = LoyaltyEvent.accountReinstated(AccountReinstated(account: Sample.customer, reason: ""))

    @Test("A suspension ends all sessions; a second one does nothing; reinstating ends it")
    func suspension() {
        let closed = Scenario.running.given(Sample.signedIn()).when(Sample.suspend(Sample.customer), by: Sample.stranger)
            .then(suspended, Sample.signedOut())
        closed.when(Sample.suspend(Sample.customer, reason: "Still"), by: Sample.stranger).thenNothing()
        let open = closed.when(Sample.reinstate(Sample.customer), by: Sample.stranger).then(reinstated)
        open.when(Sample.reinstate(Sample.customer), by: Sample.stranger).thenNothing()
        open.when(Sample.favor(), by: Sample.customer).thenAccepted()
    }

    @Test("A suspension has a reason that fits, and nobody suspends themselves or an unregistered account")
    func limits() {
        Scenario.running.when(Sample.suspend(Sample.customer, reason: ""), by: Sample.stranger).thenInvalid("reason")
        Scenario.running.when(Sample.suspend(Sample.ghost), by: Sample.stranger).thenRejected(.notFound)
        Scenario.running.when(Sample.suspend(Sample.stranger), by: Sample.stranger).thenRejected(.forbidden)
        Scenario.running.given(suspended).when(Sample.reinstate(Sample.customer, reason: "\u{0}"), by: Sample.stranger)
            .thenInvalid("reason")
    }

    private static let everyAct: [Command] = [
        Sample.favor(), Sample.stamp(), Sample.review(), Sample.tell(), Sample.signIn(), Sample.open(ShopID(19)), Sample.mute(),
        Sample.setPassword(),
    ]

    @Test("A suspended account does not act", arguments: everyAct)
    func acts(_ command: Command) {
        let shown = Scenario.codeShown
        shown.when(command, by: Sample.customer).thenAccepted()
        shown.given(suspended).when(command, by: Sample.customer).thenRejected(.accountSuspended)
    }

    @Test("A suspended account gets stamps at the counter, and its pending requests to sign out or to be erased are accepted")
    func remains() {
        let closed = Scenario.running.given(Sample.signedIn(), suspended)
        closed.when(.endSession(EndSession(session: Sample.session)), by: Sample.customer).then(Sample.signedOut())
        closed.when(.eraseAccount(EraseAccount()), by: Sample.customer).thenAccepted()
        let issue = IssueCode(code: CodeID(31), campaign: Sample.campaign, secret: Secret(7), attempt: 0, stamps: 1, validFor: 1)
        let give = GiveStamps(issue: issue, holder: Sample.customer, isWaiting: false, firstCard: CardID(900))
        closed.when(.giveStamps(give), by: Sample.owner).thenAccepted()
    }

    @Test("Each search is recorded, whether or not it finds somebody")
    func search() {
        for found in [Sample.customer, nil] {
            Scenario.running.when(.noteSearch(NoteSearch(found: found)), by: Sample.stranger)
                .then(.accountSearched(AccountSearched(account: found)))
        }
        Scenario.running.when(.noteSearch(NoteSearch(found: nil)), by: Sample.ghost).thenRejected(.notFound)
        let atShop = Command.noteSearch(NoteSearch(found: nil, at: Sample.shop))
        Scenario.running.when(atShop, by: Sample.owner).then(.accountSearched(AccountSearched(shop: Sample.shop)))
        Scenario.running.when(atShop, by: Sample.stranger).thenRejected(.forbidden)
        Scenario.running.when(.noteSearch(NoteSearch(found: nil, at: ShopID(9))), by: Sample.owner).thenRejected(.notFound)
    }
}
