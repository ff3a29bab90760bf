import Loyalty
import Testing

@Suite struct AccountTests {
    @Test("An account is registered with a phone number that is new")
    func newPhone() {
        Scenario().when(Sample.register(AccountID(7), phone: 7), by: AccountID(7)).then(
            .accountRegistered(
                AccountRegistered(account: AccountID(7), phone: Secret(7), sealedPhone: Sealed(Array(repeating: 7, count: 40)))))
    }

    @Test("A registration with a known phone number records nothing")
    func knownPhone() {
        Scenario.registered.when(Sample.register(AccountID(7), phone: Sample.owner.value), by: AccountID(7)).thenNothing()
    }

    @Test("A registration with the id of an existing account and another phone number is rejected")
    func takenID() {
        Scenario.registered.when(Sample.register(Sample.owner, phone: 777), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A sealed phone number has at most 256 bytes")
    func phoneBound() {
        Scenario().when(Sample.register(AccountID(7), phone: 7, sealed: 256), by: AccountID(7)).thenAccepted()
        Scenario().when(Sample.register(AccountID(7), phone: 7, sealed: 257), by: AccountID(7)).thenInvalid("phone")
    }

    @Test("A command by an account that was never registered is rejected as not found", arguments: Self.everyOtherCommand)
    func unregistered(_ command: Command) {
        Scenario.redemptionShown.given(Sample.reviewed(), Sample.signedIn())
            .when(command, by: Sample.ghost).thenRejected(.notFound)
    }

    static let everyOtherCommand: [Command] = [
        Sample.signIn(SessionID(71)), Sample.refresh(1, to: 2), Sample.signOut(), Sample.open(ShopID(12)),
        Sample.publish(CampaignID(29)), Sample.end(), Sample.issue(CodeID(31), secret: Secret(5)), Sample.destroy(), Sample.stamp(),
        Sample.discard(), Sample.request(), Sample.redeem(), Sample.review(ReviewID(61)), Sample.reply(ReviewID(62)),
        Sample.remove(), Sample.remove(asOperator: true), Sample.notify(), Sample.notify(to: .all), Sample.read(), Sample.tell(),
        Sample.favor(), Sample.unfavor(), Sample.invite(Sample.stranger), Sample.accept(), Sample.decline(), Sample.withdraw(),
        Sample.dismiss(Sample.staff), Sample.leave(), Sample.mute(), Sample.unmute(),
        .endSessions(EndSessions()), Sample.editProfile(), Sample.setPassword(), .removePassword(RemovePassword()),
        .eraseAccount(EraseAccount()), Sample.reopen(), Sample.close(), Sample.takeBack(),
        .giveStamps(
            GiveStamps(
                issue: IssueCode(code: CodeID(31), campaign: Sample.campaign, secret: Secret(5), attempt: 0, stamps: 1, validFor: 600),
                holder: Sample.customer, isWaiting: false, firstCard: CardID(600))),
        .destroyCodes(DestroyCodes(shop: Sample.shop, issuer: Sample.owner, codes: [Sample.code])),
        .issueStrip(
            IssueStrip(codes: [
                IssueCode(code: CodeID(31), campaign: Sample.campaign, secret: Secret(5), attempt: 0, stamps: 1, validFor: 600)
            ])),
    ]

    @Test("An account keeps its phone number and the time of its registration")
    func registration() throws {
        let fact = Fact(position: 1, time: Sample.start, actor: Sample.owner, event: Sample.registered(Sample.owner))
        let account = try #require(Account.fold([fact]))
        let expected = Account(
            id: Sample.owner, phone: Secret(1), sealedPhone: Sealed([1, 2, 3]), registeredAt: Sample.start, version: 1)
        #expect(account == expected)
    }
}
