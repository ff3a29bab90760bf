import Caches
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// The past for the writer's decisions: a cache in front of the log, used only on the writer's thread.
///
/// Favourites are cached per account: the index search for a campaign that never was one would read the account's whole history.
///
/// A look-up in the index's files takes 7 µs, and a stamp needs several of them.
struct HotPast: Past {
    typealias Failure = any Error

    private struct Holding: Hashable {
        let holder: AccountID
        let campaign: CampaignID
    }

    private let log: LogPast<Appender>
    private var accounts: GenerationalCache<AccountID, Account>
    private var shops: GenerationalCache<ShopID, Shop>
    private var campaigns: GenerationalCache<CampaignID, Campaign>
    private var campaignsByShop: GenerationalCache<ShopID, [CampaignID]>
    private var codes: GenerationalCache<CodeID, Code>
    private var codesBySecret: GenerationalCache<Secret, CodeID>
    private var cards: GenerationalCache<CardID, Card>
    /// The collecting card; an inner nil means that there certainly is none.
    private var collecting: GenerationalCache<Holding, CardID?>
    private var gains: GenerationalCache<Holding, RecentGains>
    private var tallies: GenerationalCache<Holding, CardTally>
    private var redemptions: GenerationalCache<RedemptionID, Redemption>
    private var kept: GenerationalCache<AccountID, Set<CampaignID>>
    /// The open sessions of accounts that signed in recently. Reading them from the log finds every session of the account.
    private var sessions: GenerationalCache<AccountID, [Session]>
    private var muted: GenerationalCache<AccountID, Set<ShopID>>
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

    mutating func account(_ id: AccountID) throws -> Account? { try Self.look(id, in: &accounts) { try log.account(id) } }
    mutating func shop(_ id: ShopID) throws -> Shop? { try Self.look(id, in: &shops) { try log.shop(id) } }
    mutating func campaign(_ id: CampaignID) throws -> Campaign? { try Self.look(id, in: &campaigns) { try log.campaign(id) } }

    /// The campaigns of a shop. Only the list of ids is cached.
    mutating func campaigns(of shop: ShopID) throws -> [Campaign] {
        let known = campaignsByShop[shop]
        let ids = if let known { known } else { try log.campaignIDs(of: shop) }
        if known == nil { campaignsByShop[shop] = ids }
        return try ids.compactMap { try campaign($0) }
    }

    mutating func code(_ id: CodeID) throws -> Code? { try Self.look(id, in: &codes) { try log.code(id) } }

    mutating func code(secret: Secret) throws -> Code? {
        if let id = codesBySecret[secret] { return try code(id) }
        guard let code = try log.code(secret: secret) else { return nil }
        codesBySecret[secret] = code.id
        codes[code.id] = code
        return code
    }

    mutating func card(_ id: CardID) throws -> Card? { try Self.look(id, in: &cards) { try log.card(id) } }
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

    mutating func redemption(_ id: RedemptionID) throws -> Redemption? { try Self.look(id, in: &redemptions) { try log.redemption(id) } }

    // The functions from here to `hasRead` read the log each time, because most are rarely needed.

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
    func label(of account: AccountID, at shop: ShopID) throws -> TypedText? { try log.label(of: account, at: shop) }
    func search(_ id: SearchID) throws -> SavedSearch? { try log.search(id) }
    func searchCount(of account: AccountID) throws -> Int { try log.searchCount(of: account) }
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

    mutating func shops(ownedBy owner: AccountID) throws -> [Shop] {
        try log.shopIDs(of: owner).compactMap { try shop($0) }.filter { $0.owner == owner }
    }

    func facts(ofRequest request: UInt128) throws -> (facts: [Fact], digest: UInt128)? { try log.facts(ofRequest: request) }

    mutating func evolve(_ fact: Fact) {
        accounts.apply(fact)
        shops.apply(fact)
        campaigns.apply(fact)
        codes.apply(fact)
        cards.apply(fact)
        redemptions.apply(fact)
        if let (card, campaign, holder) = fact.event.holding { evolveHolding(Holding(holder: holder, campaign: campaign), of: card, fact) }
        evolveLists(fact)
    }

    private mutating func evolveHolding(_ holding: Holding, of card: CardID, _ fact: Fact) {
        tallies.update(holding) { $0.evolve(fact.event) }
        switch fact.event {
        case .cardOpened: if cards[card]?.status == .collecting { collecting[holding] = .some(card) }
        case .cardAdjusted:
            // The card may now collect or not, and may not be cached, so the next look-up reads the log.
            collecting[holding] = nil
        case .stampReversed(let event):
            // A full card may collect again, so the next look-up reads the log.
            collecting[holding] = nil
            gains.update(holding) { $0.limit(event.code, to: event.left) }
        case .waitingCardTaken(let event): takeOver(event, fact)
        case .cardStamped(let event):
            gains.update(holding) { $0.add(StampGains.Gain(code: event.code, at: fact.time, stamps: event.worth)) }
            endCollecting(holding, on: card)
        default: endCollecting(holding, on: card)
        }
    }

    private mutating func endCollecting(_ holding: Holding, on card: CardID) {
        let status = cards[card]?.status
        guard status != .collecting, let known = collecting[holding], known == card else { return }
        collecting[holding] = status == nil ? nil : .some(nil)
    }

    /// Moves a card to the account that took it over. The holding is not read again, because a waiting person may have many cards.
    private mutating func takeOver(_ event: WaitingCardTaken, _ fact: Fact) {
        let mine = Holding(holder: event.holder, campaign: event.campaign)
        gains.update(mine) { $0.add(event.gain(at: fact.time)) }
        for holder in [event.holder, event.from].compactMap(\.self) {
            let holding = Holding(holder: holder, campaign: event.campaign)
            if let known = collecting[holding], known == event.card { collecting[holding] = .some(nil) }
        }
        if event.status == .collecting { collecting[mine] = .some(event.card) }
    }

    private mutating func evolveLists(_ fact: Fact) {
        switch fact.event {
        case .accountErased(let event):
            accounts[event.account] = nil
            kept[event.account] = nil
            sessions[event.account] = nil
            muted[event.account] = nil
        case .campaignPublished(let event): campaignsByShop.update(event.shop) { $0.append(event.campaign) }
        case .codeIssued(let event): codesBySecret[event.secret] = event.code
        case .shopMuted(let event): muted.update(event.account) { $0.insert(event.shop) }
        case .shopUnmuted(let event): muted.update(event.account) { $0.remove(event.shop) }
        case .favoriteAdded(let event): kept.update(event.account) { $0.insert(event.campaign) }
        case .favoriteRemoved(let event): kept.update(event.account) { $0.remove(event.campaign) }
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

    private static func look<Key, Value>(
        _ key: Key, in cache: inout GenerationalCache<Key, Value>, orElse load: () throws -> Value?
    ) throws -> Value? {
        if let value = cache[key] { return value }
        let value = try load()
        if let value { cache[key] = value }
        return value
    }
}

extension GenerationalCache where Value: Entity, Key == ID<Value> {
    fileprivate mutating func apply(_ fact: Fact) {
        guard let id = Value.id(in: fact.event) else { return }
        if let opened = Value(opening: fact) {
            self[id] = opened
        } else {
            update(id) { $0.evolve(fact) }
        }
    }
}
