/// The state of every entity at the end of the log, the only source of facts for decisions. It MUST reflect every event so far, including
/// those of the batch in progress. For one thread at a time.
public protocol Past {
    /// `Never` if the past is in memory.
    associatedtype Failure: Error

    /// `nil` if the account is unknown or was erased.
    mutating func account(_ id: AccountID) throws(Failure) -> Account?
    /// Also finds erased accounts.
    mutating func account(phone: Secret) throws(Failure) -> Account?
    mutating func session(_ id: SessionID) throws(Failure) -> Session?
    /// May include expired sessions.
    mutating func openSessions(of account: AccountID) throws(Failure) -> [Session]
    mutating func shop(_ id: ShopID) throws(Failure) -> Shop?
    /// Oldest ownership first; includes closed shops.
    mutating func shops(ownedBy owner: AccountID) throws(Failure) -> [Shop]
    /// Without own shops.
    mutating func employers(of account: AccountID) throws(Failure) -> [Shop]
    mutating func campaign(_ id: CampaignID) throws(Failure) -> Campaign?
    /// Includes ended campaigns.
    mutating func campaigns(of shop: ShopID) throws(Failure) -> [Campaign]
    mutating func code(_ id: CodeID) throws(Failure) -> Code?
    mutating func code(secret: Secret) throws(Failure) -> Code?
    mutating func wasErased(_ id: AccountID) throws(Failure) -> Bool
    /// One entry for each card, oldest first.
    mutating func uses(of code: CodeID) throws(Failure) -> [CodeUse]
    mutating func print(_ id: PrintID) throws(Failure) -> PaperPrint?
    mutating func print(secret: Secret) throws(Failure) -> PaperPrint?
    /// `nil` for a blank paper, printed or not.
    mutating func paper(_ id: PaperID) throws(Failure) -> Paper?
    mutating func card(_ id: CardID) throws(Failure) -> Card?
    mutating func replacement(of card: CardID) throws(Failure) -> CardReplacement?
    mutating func isTakenOver(_ card: CardID) throws(Failure) -> Bool
    mutating func given(on card: CardID) throws(Failure) -> GivenStamps
    /// Oldest first.
    mutating func taken(from card: CardID) throws(Failure) -> [TakenStamps]
    /// May have expired without a record.
    mutating func collectingCard(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> Card?
    mutating func gains(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> StampGains
    /// 0 if the zone is unknown.
    mutating func secondsAhead(in timeZone: String, at moment: Instant) throws(Failure) -> Int
    mutating func tally(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> CardTally
    mutating func redemption(_ id: RedemptionID) throws(Failure) -> Redemption?
    mutating func redemption(secret: Secret) throws(Failure) -> Redemption?
    mutating func review(_ id: ReviewID) throws(Failure) -> Review?
    mutating func notice(_ id: NoticeID) throws(Failure) -> Notice?
    mutating func hasRead(_ notice: NoticeID, by account: AccountID) throws(Failure) -> Bool
    mutating func has(_ favorite: Favorite) throws(Failure) -> Bool
    mutating func invitation(_ id: InvitationID) throws(Failure) -> Invitation?
    mutating func has(_ mute: Mute) throws(Failure) -> Bool
    /// `nil` if the account was never named there.
    mutating func label(of account: AccountID, at shop: ShopID) throws(Failure) -> TypedText?
    /// Includes removed searches.
    mutating func search(_ id: SearchID) throws(Failure) -> SavedSearch?
    /// Without removed searches.
    mutating func searchCount(of account: AccountID) throws(Failure) -> Int
}

/// An event as the log holds it.
public struct Fact: Hashable, Sendable {
    /// Positions are dense and begin at 1.
    public let position: UInt64
    public let time: Instant
    /// ``AccountID/system`` if time alone caused the event.
    public let actor: AccountID
    public let event: LoyaltyEvent

    public init(position: UInt64, time: Instant, actor: AccountID, event: LoyaltyEvent) {
        (self.position, self.time, self.actor, self.event) = (position, time, actor, event)
    }
}

extension AccountID {
    /// No account has this id.
    public static var system: AccountID { AccountID(0) }
}
