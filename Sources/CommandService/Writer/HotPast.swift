import Caches
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// The past for the writer's decisions: a cache in front of the log.
///
/// Most entities that a decision loads are cached, and every event that the writer stages is applied to the cached ones. So a decision sees
/// all events staged before it in the present batch. The cache is used only on the writer's thread.
///
/// An account's favourites are cached as one set, read from the account's own events. A search of the index for a single campaign would be
/// slow: if the campaign was never a favourite, the search would read the account's whole history on the writer's thread.
struct HotPast: Past {
    typealias Failure = any Error

    /// An account, and a campaign in which the account may have a card.
    private struct Holding: Hashable {
        let holder: AccountID
        let campaign: CampaignID
    }

    private let log: LogPast<Appender>
    private var accounts: GenerationalCache<AccountID, Account>
    private var shops: GenerationalCache<ShopID, Shop>
    private var campaigns: GenerationalCache<CampaignID, Campaign>
    /// The published campaigns of shops for which a recent decision needed them all, each list in the order of publication.
    private var campaignsByShop: GenerationalCache<ShopID, [CampaignID]>
    private var codes: GenerationalCache<CodeID, Code>
    private var codesBySecret: GenerationalCache<Secret, CodeID>
    private var cards: GenerationalCache<CardID, Card>
    /// The card on which an account still collects stamps in a campaign; the inner `nil` means that the account certainly has no such card.
    private var collecting: GenerationalCache<Holding, CardID?>
    /// Recent stamps of holders in campaigns that cap stamps.
    private var gains: GenerationalCache<Holding, RecentGains>
    /// Cards and codes of holders in campaigns that limit cards, give welcome stamps, or give each account one coupon.
    private var tallies: GenerationalCache<Holding, CardTally>
    private var redemptions: GenerationalCache<RedemptionID, Redemption>
    /// Favourites of accounts that changed them recently.
    private var kept: GenerationalCache<AccountID, Set<CampaignID>>
    /// The open sessions of accounts that signed in recently. Each sign-in needs them, and reading the log for them would find every
    /// session of the account.
    private var sessions: GenerationalCache<AccountID, [Session]>
    /// The muted shops of accounts that muted or unmuted one recently.
    private var muted: GenerationalCache<AccountID, Set<ShopID>>
    /// Time zones of shops with bonus hours.
    private var zones: GenerationalCache<String, ReportZone>

    init(_ appender: Appender, limit: Int = Limits.cachedEntitiesMax) {
        log = LogPast(appender)
        accounts = .init(limit: limit)
        shops = .init(limit: limit)
        campaigns = .init(limit: limit)
        campaignsByShop = .init(limit: min(limit, Limits.cachedShopListsMax))
        codes = .init(limit: limit)
        codesBySecret = .init(limit: limit)
        cards = .init(limit: limit)
        collecting = .init(limit: limit)
        gains = .init(limit: min(limit, Limits.cachedGainListsMax))
        tallies = .init(limit: min(limit, Limits.cachedGainListsMax))
        redemptions = .init(limit: limit)
        kept = .init(limit: min(limit, Limits.cachedFavoriteListsMax))
        sessions = .init(limit: min(limit, Limits.cachedSessionListsMax))
        muted = .init(limit: min(limit, Limits.cachedFavoriteListsMax))
        zones = .init(limit: min(limit, Limits.cachedZonesMax))
    }

    mutating func account(_ id: AccountID) throws -> Account? {
        try Self.look(id, in: &accounts) { try log.account(id) }
    }

    mutating func shop(_ id: ShopID) throws -> Shop? {
        try Self.look(id, in: &shops) { try log.shop(id) }
    }

    mutating func campaign(_ id: CampaignID) throws -> Campaign? {
        try Self.look(id, in: &campaigns) { try log.campaign(id) }
    }

    /// The campaigns of a shop, which every publication and edit needs. The list of their ids is cached, so each cached campaign takes one
    /// look-up in memory.
    mutating func campaigns(of shop: ShopID) throws -> [Campaign] {
        let known = campaignsByShop[shop]
        let ids = if let known { known } else { try log.campaignIDs(of: shop) }
        if known == nil { campaignsByShop[shop] = ids }
        return try ids.compactMap { try campaign($0) }
    }

    mutating func code(_ id: CodeID) throws -> Code? {
        try Self.look(id, in: &codes) { try log.code(id) }
    }

    mutating func code(secret: Secret) throws -> Code? {
        if let id = codesBySecret[secret] { return try code(id) }
        guard let code = try log.code(secret: secret) else { return nil }
        codesBySecret[secret] = code.id
        codes[code.id] = code
        return code
    }

    mutating func card(_ id: CardID) throws -> Card? {
        try Self.look(id, in: &cards) { try log.card(id) }
    }

    /// A card from the cache; nil if it would have to be read from the log.
    mutating func known(_ id: CardID) -> Card? { cards[id] }

    mutating func collectingCard(of holder: AccountID, in campaign: CampaignID) throws -> Card? {
        let holding = Holding(holder: holder, campaign: campaign)
        if let known = collecting[holding] { return try known.flatMap { try card($0) } }
        let found = try log.collectingCard(of: holder, in: campaign)
        collecting[holding] = .some(found?.id)
        if let found { cards[found.id] = found }
        return found
    }

    mutating func gains(of holder: AccountID, in campaign: CampaignID) throws -> StampGains {
        let holding = Holding(holder: holder, campaign: campaign)
        if let counted = gains[holding]?.counted { return counted }
        let read = try RecentGains(of: holder, in: campaign, from: log)
        gains[holding] = read
        return read.counted ?? StampGains()
    }

    mutating func tally(of holder: AccountID, in campaign: CampaignID) throws -> CardTally {
        let holding = Holding(holder: holder, campaign: campaign)
        return try Self.look(holding, in: &tallies) { try log.tally(of: holder, in: campaign) } ?? CardTally()
    }

    mutating func secondsAhead(in timeZone: String, at moment: Instant) -> Int {
        let known = zones[timeZone]
        let zone = known ?? ReportZone(name: timeZone) ?? .utc
        if known == nil { zones[timeZone] = zone }
        return zone.secondsAhead(at: moment)
    }

    mutating func redemption(_ id: RedemptionID) throws -> Redemption? {
        try Self.look(id, in: &redemptions) { try log.redemption(id) }
    }

    // The functions from here to `hasRead` read their answers from the log each time, because most of them are rarely needed.

    func wasErased(_ id: AccountID) throws -> Bool { try log.wasErased(id) }
    func print(_ id: PrintID) throws -> PaperPrint? { try log.print(id) }
    func print(secret: Secret) throws -> PaperPrint? { try log.print(secret: secret) }
    func paper(_ id: PaperID) throws -> Paper? { try log.paper(id) }
    func uses(of code: CodeID) throws -> [CodeUse] { try log.uses(of: code) }
    func replacement(of card: CardID) throws -> CardReplacement? { try log.replacement(of: card) }
    func isTakenOver(_ card: CardID) throws -> Bool { try log.isTakenOver(card) }
    func given(on card: CardID) throws -> GivenStamps { try log.given(on: card) }
    func taken(from card: CardID) throws -> [TakenStamps] { try log.taken(from: card) }
    func account(phone: Secret) throws -> Account? { try log.account(phone: phone) }
    func session(_ id: SessionID) throws -> Session? { try log.session(id) }
    func employers(of account: AccountID) throws -> [Shop] { try log.employers(of: account) }
    func redemption(secret: Secret) throws -> Redemption? { try log.redemption(secret: secret) }
    func review(_ id: ReviewID) throws -> Review? { try log.review(id) }
    func notice(_ id: NoticeID) throws -> Notice? { try log.notice(id) }
    func invitation(_ id: InvitationID) throws -> Invitation? { try log.invitation(id) }
    func hasRead(_ notice: NoticeID, by account: AccountID) throws -> Bool { try log.hasRead(notice, by: account) }

    mutating func openSessions(of account: AccountID) throws -> [Session] {
        if let known = sessions[account] { return known }
        let open = try log.openSessions(of: account)
        sessions[account] = open
        return open
    }

    mutating func has(_ favorite: Favorite) throws -> Bool {
        let known = kept[favorite.account]
        let campaigns = if let known { known } else { try log.favorites(of: favorite.account) }
        if known == nil { kept[favorite.account] = campaigns }
        return campaigns.contains(favorite.campaign)
    }

    mutating func has(_ mute: Mute) throws -> Bool {
        let known = muted[mute.account]
        let shops = if let known { known } else { try log.mutedShops(of: mute.account) }
        if known == nil { muted[mute.account] = shops }
        return shops.contains(mute.shop)
    }

    /// The shops that an account owns. Decisions need them when a shop is opened or taken over, or an account is erased. The ids of the
    /// shops are read from the log; each cached shop then takes one look-up in memory.
    mutating func shops(ownedBy owner: AccountID) throws -> [Shop] {
        try log.shopIDs(of: owner).compactMap { try shop($0) }.filter { $0.owner == owner }
    }

    func facts(ofRequest request: UInt128) throws -> (facts: [Fact], digest: UInt128)? {
        try log.facts(ofRequest: request)
    }

    /// Applies an event that was just staged.
    mutating func evolve(_ fact: Fact) {
        count(fact)
        switch fact.event {
        case .accountRegistered(let event): accounts[event.account] = Account(opening: fact)
        case .profileEdited, .passwordSet, .passwordRemoved, .phoneChanged, .phoneChangeRequested, .phoneChangeEnded, .accountSuspended,
            .accountReinstated:
            evolveAccount(fact)
        case .accountErased(let event):
            accounts[event.account] = nil
            kept[event.account] = nil
            sessions[event.account] = nil
            muted[event.account] = nil
        case .shopOpened(let event): shops[event.shop] = Shop(opening: fact)
        case .campaignPublished(let event):
            campaigns[event.campaign] = Campaign(opening: fact)
            campaignsByShop.update(event.shop) { $0.append(event.campaign) }
        case .shopEdited, .staffAdded, .staffRemoved, .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .transferOffered,
            .transferLapsed, .shopTransferred, .employmentEnded, .shopSuspended, .shopReinstated, .shopClosed:
            if let shop = fact.event.shop { shops.update(shop) { $0.evolve(fact) } }
        case .shopMuted(let event): muted.update(event.account) { $0.insert(event.shop) }
        case .shopUnmuted(let event): muted.update(event.account) { $0.remove(event.shop) }
        case .campaignEdited(let event): campaigns.update(event.campaign) { $0.evolve(fact) }
        case .campaignEnded(let event): campaigns.update(event.campaign) { $0.evolve(fact) }
        case .campaignReopened(let event): campaigns.update(event.campaign) { $0.evolve(fact) }
        case .codeIssued(let event):
            codes[event.code] = Code(opening: fact)
            codesBySecret[event.secret] = event.code
        case .codeDestroyed(let event): codes.update(event.code) { $0.evolve(fact) }
        case .paperCardsPrinted, .paperStamped, .paperCardTaken, .paperStampReversed: evolveWaitingCode(fact)
        case .cardOpened(let event):
            let card = Card(opening: fact)
            cards[event.card] = card
            guard card?.status == .collecting else { return }
            collecting[Holding(holder: event.holder, campaign: event.campaign)] = .some(event.card)
        case .cardStamped(let event):
            codes.update(event.code) { $0.evolve(fact) }
            gains.update(Holding(holder: event.holder, campaign: event.campaign)) {
                $0.add(StampGains.Gain(code: event.code, at: fact.time, stamps: event.worth))
            }
            evolveCard(event.card, of: event.holder, in: event.campaign, fact)
        case .cardDiscarded(let event): evolveCard(event.card, of: event.holder, in: event.campaign, fact)
        case .cardExpired(let event): evolveCard(event.card, of: event.holder, in: event.campaign, fact)
        case .cardReminded(let event): evolveCard(event.card, of: event.holder, in: event.campaign, fact)
        case .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed, .milestoneReversed:
            evolveRedemption(fact)
        case .stampReversed(let event):
            codes.update(event.code) { $0.evolve(fact) }
            cards.update(event.card) { $0.evolve(fact) }
            // A card that was full may be collecting again, so the next look-up reads the log.
            collecting[Holding(holder: event.holder, campaign: event.campaign)] = nil
            gains.update(Holding(holder: event.holder, campaign: event.campaign)) { $0.remove(event.code) }
        case .cardAdjusted(let event):
            cards.update(event.card) { $0.evolve(fact) }
            // The card may have begun or stopped collecting, and may not be in the cache, so the next look-up reads the log.
            collecting[Holding(holder: event.holder, campaign: event.campaign)] = nil
        case .waitingCardTaken(let event): takeOver(event, fact)
        case .sessionStarted, .sessionRefreshed, .sessionEnded: evolveSessions(fact)
        case .reviewPosted, .replyPosted: break
        case .favoriteAdded(let event): kept.update(event.account) { $0.insert(event.campaign) }
        case .favoriteRemoved(let event): kept.update(event.account) { $0.remove(event.campaign) }
        case .noticeScheduled, .noticeWithdrawn, .noticeLapsed: break
        case .reviewRemoved, .noticePosted, .noticeRead, .feedbackGiven, .imageTakenDown, .accountSearched: break
        }
    }

    /// Moves a card to the account that took it over. What the account has in the campaign is not read again, because a waiting person may
    /// have many cards.
    private mutating func takeOver(_ event: WaitingCardTaken, _ fact: Fact) {
        cards.update(event.card) { $0.evolve(fact) }
        let mine = Holding(holder: event.holder, campaign: event.campaign)
        gains.update(mine) { $0.add(event.gain(at: fact.time)) }
        for holder in [event.holder, event.from].compactMap(\.self) {
            let holding = Holding(holder: holder, campaign: event.campaign)
            if let known = collecting[holding], known == event.card { collecting[holding] = .some(nil) }
        }
        if event.status == .collecting { collecting[mine] = .some(event.card) }
    }

    private mutating func evolveRedemption(_ fact: Fact) {
        guard let redemption = fact.event.redemption, let card = fact.event.card, let holder = fact.event.holder,
            let campaign = fact.event.campaign
        else { return }
        if let requested = Redemption(opening: fact) {
            redemptions[redemption] = requested
        } else {
            redemptions.update(redemption) { $0.evolve(fact) }
        }
        evolveCard(card, of: holder, in: campaign, fact)
    }

    /// Applies an event to the code of a paper card. Paper cards themselves are not cached; their codes may be.
    private mutating func evolveWaitingCode(_ fact: Fact) {
        switch fact.event {
        case .paperStamped(let event): codes.update(event.code) { $0.evolve(fact) }
        case .paperStampReversed(let event): codes.update(event.code) { $0.evolve(fact) }
        default: break
        }
    }

    private mutating func evolveAccount(_ fact: Fact) {
        switch fact.event {
        case .profileEdited(let event): accounts.update(event.account) { $0.evolve(fact) }
        case .passwordSet(let event): accounts.update(event.account) { $0.evolve(fact) }
        case .passwordRemoved(let event): accounts.update(event.account) { $0.evolve(fact) }
        case .phoneChanged(let event): accounts.update(event.account) { $0.evolve(fact) }
        case .phoneChangeRequested(let event): accounts.update(event.account) { $0.evolve(fact) }
        case .phoneChangeEnded(let event): accounts.update(event.account) { $0.evolve(fact) }
        case .accountSuspended(let event): accounts.update(event.account) { $0.evolve(fact) }
        case .accountReinstated(let event): accounts.update(event.account) { $0.evolve(fact) }
        default: break
        }
    }

    private mutating func count(_ fact: Fact) {
        guard let holder = fact.event.holder, let campaign = fact.event.campaign else { return }
        tallies.update(Holding(holder: holder, campaign: campaign)) { $0.evolve(fact.event) }
    }

    private mutating func evolveSessions(_ fact: Fact) {
        switch fact.event {
        case .sessionStarted(let event):
            sessions.update(event.account) { open in
                if let session = Session(opening: fact) { open.append(session) }
            }
        case .sessionRefreshed(let event):
            sessions.update(event.account) { open in
                for index in open.indices where open[index].id == event.session {
                    open[index].evolve(fact)
                    open[index] = open[index].withoutSpentTokens
                }
            }
        case .sessionEnded(let event): sessions.update(event.account) { $0.removeAll { $0.id == event.session } }
        default: break
        }
    }

    /// Applies an event to a cached card. If the card is not cached, it is unknown whether it still collects, and the next look-up reads
    /// the log.
    private mutating func evolveCard(_ id: CardID, of holder: AccountID, in campaign: CampaignID, _ fact: Fact) {
        var status: CardStatus?
        cards.update(id) { card in
            card.evolve(fact)
            status = card.status
        }
        guard status != .collecting else { return }
        let holding = Holding(holder: holder, campaign: campaign)
        guard let known = collecting[holding], known == id else { return }
        collecting[holding] = status == nil ? nil : .some(nil)
    }

    private static func look<Key, Value>(
        _ key: Key, in cache: inout GenerationalCache<Key, Value>, orElse load: () throws -> Value?
    ) throws -> Value? {
        if let value = cache[key] { return value }
        let value = try load()
        if let value { cache[key] = value }
        return value
    }
}
