/// The state of every entity at the end of the log. It is the only source of facts for decisions.
///
/// The writer implements this protocol with its cache and the tag index; tests and replays implement it in memory. An answer MUST reflect
/// every event appended so far, including those of the batch in progress. A `Past` is used from one thread at a time.
public protocol Past {
    /// The error that a look-up can throw; `Never` if the past is in memory.
    associatedtype Failure: Error

    /// The account, even if it is suspended; `nil` if it is unknown or was erased.
    mutating func account(_ id: AccountID) throws(Failure) -> Account?
    /// The account that registered with this hash, even if it was erased; see ``AccountRegistered/phone``.
    mutating func account(phone: Secret) throws(Failure) -> Account?
    mutating func session(_ id: SessionID) throws(Failure) -> Session?
    /// The account's sessions that have not ended, in any order. Expired sessions may be among them.
    mutating func openSessions(of account: AccountID) throws(Failure) -> [Session]
    mutating func shop(_ id: ShopID) throws(Failure) -> Shop?
    /// All shops that the account owns, including closed ones, in the order in which the account became their owner.
    mutating func shops(ownedBy owner: AccountID) throws(Failure) -> [Shop]
    /// The shops that the account works for and does not own, in any order.
    mutating func employers(of account: AccountID) throws(Failure) -> [Shop]
    mutating func campaign(_ id: CampaignID) throws(Failure) -> Campaign?
    /// All campaigns that the shop has ever had, in any order.
    mutating func campaigns(of shop: ShopID) throws(Failure) -> [Campaign]
    mutating func code(_ id: CodeID) throws(Failure) -> Code?
    mutating func code(secret: Secret) throws(Failure) -> Code?
    /// Whether an account with this id was registered and erased.
    mutating func wasErased(_ id: AccountID) throws(Failure) -> Bool
    /// The stamps that a code gave, one entry for each card, oldest first; empty if the code was not used.
    mutating func uses(of code: CodeID) throws(Failure) -> [CodeUse]
    /// The paper cards that a shop printed at once; `nil` if no print has this id.
    mutating func print(_ id: PrintID) throws(Failure) -> PaperPrint?
    mutating func print(secret: Secret) throws(Failure) -> PaperPrint?
    /// A paper card; `nil` if there is no event about it, whether or not it was printed.
    mutating func paper(_ id: PaperID) throws(Failure) -> Paper?
    mutating func card(_ id: CardID) throws(Failure) -> Card?
    /// The replacement of a card that a reversal discarded; `nil` for any other card, also for a card that its holder discarded.
    mutating func replacement(of card: CardID) throws(Failure) -> CardReplacement?
    /// Whether an account took over the card after it had waited for a phone number.
    mutating func isTakenOver(_ card: CardID) throws(Failure) -> Bool
    /// The stamps that codes gave to a card that waits, or waited, for a phone number.
    mutating func given(on card: CardID) throws(Failure) -> GivenStamps
    /// The stamps that reversals took off a card, oldest first.
    mutating func taken(from card: CardID) throws(Failure) -> [TakenStamps]
    /// The card on which this holder collects in this campaign; `nil` if there is none. The card may have expired already, if no event has
    /// recorded that yet.
    mutating func collectingCard(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> Card?
    /// The recent stamps of this holder in this campaign, on all cards together.
    mutating func gains(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> StampGains
    /// How many seconds the clocks of a time zone are ahead of UTC at a moment; 0 if the zone is unknown.
    mutating func secondsAhead(in timeZone: String, at moment: Instant) throws(Failure) -> Int
    /// The cards and codes that this holder has had in this campaign.
    mutating func tally(of holder: AccountID, in campaign: CampaignID) throws(Failure) -> CardTally
    mutating func redemption(_ id: RedemptionID) throws(Failure) -> Redemption?
    mutating func redemption(secret: Secret) throws(Failure) -> Redemption?
    mutating func review(_ id: ReviewID) throws(Failure) -> Review?
    mutating func notice(_ id: NoticeID) throws(Failure) -> Notice?
    mutating func hasRead(_ notice: NoticeID, by account: AccountID) throws(Failure) -> Bool
    mutating func has(_ favorite: Favorite) throws(Failure) -> Bool
    mutating func invitation(_ id: InvitationID) throws(Failure) -> Invitation?
    /// Whether the account has muted the shop.
    mutating func has(_ mute: Mute) throws(Failure) -> Bool
}

/// An event as the log holds it: with its position, its time and its actor.
public struct Fact: Hashable, Sendable {
    /// Positions are dense and begin at 1.
    public let position: UInt64
    public let time: Instant
    /// The account that gave the command; for `CardRedeemed` this is the owner or member of staff. ``AccountID/system`` if time alone
    /// caused the event.
    public let actor: AccountID
    public let event: LoyaltyEvent

    public init(position: UInt64, time: Instant, actor: AccountID, event: LoyaltyEvent) {
        self.position = position
        self.time = time
        self.actor = actor
        self.event = event
    }
}

extension AccountID {
    /// The actor of events that time alone causes. No account has this id.
    public static var system: AccountID { AccountID(0) }
}
