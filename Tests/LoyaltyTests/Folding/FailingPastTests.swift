import Loyalty
import Testing

/// If the store cannot be read, a decision must fail instead of assuming that nothing is stored.
@Suite struct FailingPastTests {
    @Test(
        "A command whose past cannot be read throws the store's error and decides nothing",
        arguments: AccountTests.everyOtherCommand + [Sample.register(AccountID(7), phone: 7), Sample.lapseTransfer()])
    func failure(_ command: Command) {
        var past = BrokenPast()
        #expect(throws: BrokenPast.Failure()) {
            _ = try command.decide(in: &past, by: Sample.customer, at: Sample.start)
        }
    }
}

private struct BrokenPast: Past {
    struct Failure: Error, Equatable {}

    func account(_ id: AccountID) throws(Failure) -> Account? { throw Failure() }
    func account(phone: Secret) throws(Failure) -> Account? { throw Failure() }
    func openSessions(of account: AccountID) throws(Failure) -> [Session] { throw Failure() }
    func campaigns(of shop: ShopID) throws(Failure) -> [Campaign] { throw Failure() }
    func session(_ id: SessionID) throws(Failure) -> Session? { throw Failure() }
    func shop(_ id: ShopID) throws(Failure) -> Shop? { throw Failure() }
    func shops(ownedBy owner: AccountID) throws(Failure) -> [Shop] { throw Failure() }
    func employers(of account: AccountID) throws(Failure) -> [Shop] { throw Failure() }
    func campaign(_ id: CampaignID) throws(Failure) -> Campaign? { throw Failure() }
    func code(_ id: CodeID) throws(Failure) -> Code? { throw Failure() }
    func code(secret: Secret) throws(Failure) -> Code? { throw Failure() }
    func wasErased(_ id: AccountID) throws(Failure) -> Bool { throw Failure() }
    func uses(of code: CodeID) throws(Failure) -> [CodeUse] { throw Failure() }
    func print(_ id: PrintID) throws(Failure) -> PaperPrint? { throw Failure() }
    func print(secret: Secret) throws(Failure) -> PaperPrint? { throw Failure() }
    func paper(_ id: PaperID) throws(Failure) -> Paper? { throw Failure() }
    func card(_ id: CardID) throws(Failure) -> Card? { throw Failure() }
    func replacement(of card: CardID) throws(Failure) -> CardReplacement? { throw Failure() }
    func isTakenOver(_ card: CardID) throws(Failure) -> Bool { throw Failure() }
    func given(on card: CardID) throws(Failure) -> GivenStamps { throw Failure() }
    func taken(from card: CardID) throws(Failure) -> [TakenStamps] { throw Failure() }
    func collectingCard(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> Card? { throw Failure() }
    func gains(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> StampGains { throw Failure() }
    func tally(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> CardTally { throw Failure() }
    func secondsAhead(in timeZone: String, at moment: Instant) throws(Failure) -> Int { throw Failure() }
    func redemption(_ id: RedemptionID) throws(Failure) -> Redemption? { throw Failure() }
    func redemption(secret: Secret) throws(Failure) -> Redemption? { throw Failure() }
    func review(_ id: ReviewID) throws(Failure) -> Review? { throw Failure() }
    func notice(_ id: NoticeID) throws(Failure) -> Notice? { throw Failure() }
    func hasRead(_ notice: NoticeID, by account: AccountID) throws(Failure) -> Bool { throw Failure() }
    func has(_ favorite: Favorite) throws(Failure) -> Bool { throw Failure() }
    func invitation(_ id: InvitationID) throws(Failure) -> Invitation? { throw Failure() }
    func has(_ mute: Mute) throws(Failure) -> Bool { throw Failure() }
    func label(of account: AccountID, at shop: ShopID) throws(Failure) -> TypedText? { throw Failure() }
    func search(_ id: SearchID) throws(Failure) -> SavedSearch? { throw Failure() }
    func searchCount(of account: AccountID) throws(Failure) -> Int { throw Failure() }
}
