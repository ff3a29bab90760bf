public import Loyalty

/// The whole past in memory.
///
/// It is a value, so two copies of it can replay different histories. Besides time zones, it holds only states that are folded from facts,
/// and look-up maps derived from them.
public struct World: Hashable, Sendable {
    /// Position of the last fact that was applied; 0 before the first.
    public var position: UInt64 = 0

    public var accounts: [AccountID: Account] = [:]
    public var sessions: [SessionID: Session] = [:]
    public var shops: [ShopID: Shop] = [:]
    public var campaigns: [CampaignID: Campaign] = [:]
    public var codes: [CodeID: Code] = [:]
    public var cards: [CardID: Card] = [:]
    public var redemptions: [RedemptionID: Redemption] = [:]
    public var reviews: [ReviewID: Review] = [:]
    public var notices: [NoticeID: Notice] = [:]
    public var noticesRead: Set<NoticeReading> = []
    public var favorites: Set<Favorite> = []
    public var invitations: [InvitationID: Invitation] = [:]
    public var mutes: Set<Mute> = []
    /// The newest name of each account at each shop.
    public var labels: [Mute: TypedText] = [:]
    /// The known time zones: the default zone of shops, and zones that tests add.
    public var zones = [ShopSchedule.defaultTimeZone: ZoneOffsets(seconds: 8 * 3_600)]
    public var prints: [PrintID: PaperPrint] = [:]
    public var papers: [PaperID: Paper] = [:]
    public var searches: [SearchID: SavedSearch] = [:]

    public var accountsByPhone: [Secret: AccountID] = [:]
    /// The shops of each owner, in the order in which the owner received them.
    public var shopsByOwner: [AccountID: [ShopID]] = [:]
    /// The campaigns of each shop, in the order in which they were published.
    public var campaignsByShop: [ShopID: [CampaignID]] = [:]
    public var codesBySecret: [Secret: CodeID] = [:]
    public var usesByCode: [CodeID: [CodeUse]] = [:]
    public var redemptionsBySecret: [Secret: RedemptionID] = [:]
    public var printsBySecret: [Secret: PrintID] = [:]
    /// For each card that a reversal discarded, the card that replaced it.
    public var replacements: [CardID: CardReplacement] = [:]
    /// For each card, the stamps that codes gave to it.
    public var given: [CardID: GivenStamps] = [:]
    /// For each card, the stamps that reversals took off it.
    public var takenByCard: [CardID: [TakenStamps]] = [:]
    /// The last card that a reversal discarded, with the stamps that the event before took off it.
    public var replaced: ReplacedCard?
    /// For each holder and campaign, the card on which the holder collects.
    public var collecting: [CardSlot: CardID] = [:]
    /// For each holder and campaign, the stamps that codes gave and that were not taken back, oldest first.
    public var gains: [CardSlot: [StampGains.Gain]] = [:]
    public var tallies: [CardSlot: CardTally] = [:]

    public init() {}

    public init(_ facts: some Sequence<Fact>) {
        for fact in facts { evolve(fact) }
    }
}

/// A card that somebody other than its holder discarded. Only a reversal of stamps discards such a card, and the next event in the log
/// belongs to the same reversal.
public struct ReplacedCard: Hashable, Sendable {
    public let card: CardID
    /// The stamps that the event before the discarding took off the card; nil if it took none. That event may belong to another reversal,
    /// which has another code.
    public let taken: TakenStamps?
    public let position: UInt64
}

/// A holder and a campaign. For each such pair, at most one collecting card exists, and the campaign's caps apply to the pair.
public struct CardSlot: Hashable, Sendable {
    public let holder: AccountID
    public let campaign: CampaignID
}

extension Card {
    /// The account that collects on the card; nil if nobody does.
    fileprivate var collector: AccountID? { status == .collecting ? holder : nil }
}

extension World {
    /// Applies the next fact to every entity that it concerns, and to the look-up maps. The caller passes each fact once, in order of
    /// positions.
    public mutating func evolve(_ fact: Fact) {
        position = fact.position
        let collector = fact.event.card.flatMap { cards[$0]?.collector }
        if case .cardDiscarded(let event) = fact.event, event.holder != fact.actor { noteReplaced(event.card, at: fact.position) }
        accounts.apply(fact)
        sessions.apply(fact)
        shops.apply(fact)
        campaigns.apply(fact)
        codes.apply(fact)
        cards.apply(fact)
        redemptions.apply(fact)
        reviews.apply(fact)
        notices.apply(fact)
        invitations.apply(fact)
        prints.apply(fact)
        papers.apply(fact)
        searches.apply(fact)
        evolveCard(fact, collectedBy: collector)
        evolveMaps(fact)
    }

    /// Applies an event about a card to what is derived from cards.
    private mutating func evolveCard(_ fact: Fact, collectedBy before: AccountID?) {
        guard let id = fact.event.card, let holder = fact.event.holder, let campaign = fact.event.campaign else { return }
        let slot = CardSlot(holder: holder, campaign: campaign)
        tallies[slot, default: CardTally()].evolve(fact.event)
        given[id, default: GivenStamps()].evolve(fact)
        if let before { collecting[CardSlot(holder: before, campaign: campaign)] = nil }
        if let now = cards[id]?.collector { collecting[CardSlot(holder: now, campaign: campaign)] = id }
        switch fact.event {
        case .cardStamped(let event):
            gains[slot, default: []].append(StampGains.Gain(code: event.code, at: fact.time, stamps: event.worth))
            usesByCode[event.code, default: []].append(CodeUse(card: event.card, stamps: event.stamps, at: fact.time))
        case .stampReversed(let event):
            gains[slot]?.limit(event.code, to: event.left)
            noteReplacement(event, at: fact.position)
            takenByCard[event.card, default: []].append(TakenStamps(event))
        case .waitingCardTaken(let event) where event.from != nil: gains[slot, default: []].append(event.gain(at: fact.time))
        default: break
        }
    }

    /// Applies an event to the maps by which entities are looked up, and to the sets of an account.
    private mutating func evolveMaps(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event): accountsByPhone[event.phone] = event.account
        case .shopOpened(let event): shopsByOwner[event.owner, default: []].append(event.shop)
        case .shopTransferred(let event):
            shopsByOwner[event.formerOwner]?.removeAll { $0 == event.shop }
            shopsByOwner[event.account, default: []].append(event.shop)
        case .campaignPublished(let event): campaignsByShop[event.shop, default: []].append(event.campaign)
        case .codeIssued(let event): codesBySecret[event.secret] = event.code
        case .redemptionRequested(let event): redemptionsBySecret[event.secret] = event.redemption
        case .milestoneRequested(let event): redemptionsBySecret[event.secret] = event.redemption
        case .paperCardsPrinted(let event): printsBySecret[event.secret] = event.print
        case .noticeRead(let event): noticesRead.insert(NoticeReading(notice: event.notice, account: event.account))
        case .shopMuted(let event): mutes.insert(Mute(account: event.account, shop: event.shop))
        case .staffLabeled(let event): labels[Mute(account: event.account, shop: event.shop)] = event.label
        case .shopUnmuted(let event): mutes.remove(Mute(account: event.account, shop: event.shop))
        case .favoriteAdded(let event): favorites.insert(Favorite(account: event.account, campaign: event.campaign))
        case .favoriteRemoved(let event): favorites.remove(Favorite(account: event.account, campaign: event.campaign))
        default: break
        }
    }

    /// If the previous event records that a reversal discarded a card, records that the event's card replaces the discarded card.
    private mutating func noteReplacement(_ event: StampReversed, at position: UInt64) {
        guard let replaced, replaced.position + 1 == position, replaced.card != event.card else { return }
        let stamps = if let taken = replaced.taken, taken.isOfCommand(of: event) { taken.stamps } else { 0 }
        replacements[replaced.card] = CardReplacement(
            card: event.card, code: event.code, stamps: stamps, position: replaced.position)
    }

    private mutating func noteReplaced(_ card: CardID, at position: UInt64) {
        let last = cards[card]?.history.last
        let isTaken = last?.kind == .stampReversed && last?.position == position - 1
        replaced = ReplacedCard(card: card, taken: isTaken ? takenByCard[card]?.last : nil, position: position)
    }
}

extension World: Past {
    public typealias Failure = Never

    public func account(_ id: AccountID) -> Account? { accounts[id].flatMap { $0.isErased ? nil : $0 } }
    public func account(phone: Secret) -> Account? { accountsByPhone[phone].flatMap { accounts[$0] } }
    public func session(_ id: SessionID) -> Session? { sessions[id] }
    public func shop(_ id: ShopID) -> Shop? { shops[id] }
    public func shops(ownedBy owner: AccountID) -> [Shop] { shopsByOwner[owner, default: []].compactMap { shops[$0] } }
    public func employers(of account: AccountID) -> [Shop] {
        shops.values.filter { $0.staff.contains(account) }.sorted { $0.id < $1.id }
    }
    public func campaign(_ id: CampaignID) -> Campaign? { campaigns[id] }
    public func code(_ id: CodeID) -> Code? { codes[id] }
    public func code(secret: Secret) -> Code? { codesBySecret[secret].flatMap { codes[$0] } }
    public func print(_ id: PrintID) -> PaperPrint? { prints[id] }
    public func print(secret: Secret) -> PaperPrint? { printsBySecret[secret].flatMap { prints[$0] } }
    public func paper(_ id: PaperID) -> Paper? { papers[id] }
    public func wasErased(_ id: AccountID) -> Bool { accounts[id]?.isErased == true }
    public func uses(of code: CodeID) -> [CodeUse] { usesByCode[code] ?? [] }
    public func card(_ id: CardID) -> Card? { cards[id] }
    public func replacement(of card: CardID) -> CardReplacement? { replacements[card] }
    public func isTakenOver(_ card: CardID) -> Bool { given[card]?.isTakenOver == true }
    public func given(on card: CardID) -> GivenStamps { given[card] ?? GivenStamps() }
    public func taken(from card: CardID) -> [TakenStamps] { takenByCard[card] ?? [] }
    public func redemption(_ id: RedemptionID) -> Redemption? { redemptions[id] }
    public func redemption(secret: Secret) -> Redemption? { redemptionsBySecret[secret].flatMap { redemptions[$0] } }
    public func review(_ id: ReviewID) -> Review? { reviews[id] }
    public func notice(_ id: NoticeID) -> Notice? { notices[id] }
    public func hasRead(_ notice: NoticeID, by account: AccountID) -> Bool {
        noticesRead.contains(NoticeReading(notice: notice, account: account))
    }
    public func has(_ favorite: Favorite) -> Bool { favorites.contains(favorite) }
    public func invitation(_ id: InvitationID) -> Invitation? { invitations[id] }
    public func has(_ mute: Mute) -> Bool { mutes.contains(mute) }
    public func label(of account: AccountID, at shop: ShopID) -> TypedText? { labels[Mute(account: account, shop: shop)] }
    public func search(_ id: SearchID) -> SavedSearch? { searches[id] }
    public func searchCount(of account: AccountID) -> Int { searches.values.count { $0.account == account && !$0.isRemoved } }

    public func openSessions(of account: AccountID) -> [Session] {
        sessions.values.filter { $0.account == account && !$0.isEnded }.sorted { $0.id < $1.id }.map(\.withoutSpentTokens)
    }

    public func campaigns(of shop: ShopID) -> [Campaign] {
        campaignsByShop[shop, default: []].compactMap { campaigns[$0] }
    }

    public func gains(of holder: AccountID, in campaign: CampaignID) -> StampGains {
        StampGains(gains[CardSlot(holder: holder, campaign: campaign)] ?? [])
    }

    public func tally(of holder: AccountID, in campaign: CampaignID) -> CardTally {
        tallies[CardSlot(holder: holder, campaign: campaign)] ?? CardTally()
    }

    public func secondsAhead(in timeZone: String, at moment: Instant) -> Int { zones[timeZone]?.seconds(at: moment) ?? 0 }

    public func collectingCard(of holder: AccountID, in campaign: CampaignID) -> Card? {
        collecting[CardSlot(holder: holder, campaign: campaign)].flatMap { cards[$0] }
    }
}

/// A notice and an account that has read it.
public struct NoticeReading: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        self.notice = notice
        self.account = account
    }
}
