/// The whole past in memory: for tests, and for replays that ask "what if".
///
/// It is a value: copy it and a replay goes two ways. Nothing in it but folded facts and look-up maps derived from them.
public struct World: Hashable, Sendable {
    /// Position of the last fact folded; 0 before the first.
    public internal(set) var position: UInt64 = 0

    public internal(set) var accounts: [AccountID: Account] = [:]
    public internal(set) var sessions: [SessionID: Session] = [:]
    public internal(set) var shops: [ShopID: Shop] = [:]
    public internal(set) var campaigns: [CampaignID: Campaign] = [:]
    public internal(set) var codes: [CodeID: Code] = [:]
    public internal(set) var cards: [CardID: Card] = [:]
    public internal(set) var redemptions: [RedemptionID: Redemption] = [:]
    public internal(set) var reviews: [ReviewID: Review] = [:]
    public internal(set) var notices: [NoticeID: Notice] = [:]
    public internal(set) var noticesRead: Set<NoticeReading> = []
    public internal(set) var favorites: Set<Favorite> = []
    public internal(set) var invitations: [InvitationID: Invitation] = [:]
    public internal(set) var mutes: Set<Mute> = []

    var accountsByPhone: [Secret: AccountID] = [:]
    var shopsByOwner: [AccountID: ShopID] = [:]
    /// In the order in which they were published.
    var campaignsByShop: [ShopID: [CampaignID]] = [:]
    var codesBySecret: [Secret: CodeID] = [:]
    var redemptionsBySecret: [Secret: RedemptionID] = [:]
    /// Only cards that still take stamps.
    var collecting: [CardSlot: CardID] = [:]
    var gains: [CardSlot: StampGains] = [:]

    public init() {}

    public init(_ facts: some Sequence<Fact>) {
        for fact in facts { evolve(fact) }
    }
}

/// One holder in one campaign: where at most one collecting card can be, and what caps are about.
struct CardSlot: Hashable, Sendable {
    let holder: AccountID
    let campaign: CampaignID
}
