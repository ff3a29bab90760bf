/// The whole past in memory, for tests.
///
/// It is a value, so two copies of it can replay different histories. Besides time zones, it holds only states that are folded from facts,
/// and look-up maps derived from them.
public struct World: Hashable, Sendable {
    /// Position of the last fact that was applied; 0 before the first.
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
    /// The known time zones: the default zone of shops, and zones that tests add.
    public var zones = [ShopSchedule.defaultTimeZone: ZoneOffsets(seconds: 8 * 3_600)]
    public internal(set) var prints: [PrintID: PaperPrint] = [:]
    public internal(set) var papers: [PaperID: Paper] = [:]

    var accountsByPhone: [Secret: AccountID] = [:]
    /// The shops of each owner, in the order in which the owner received them.
    var shopsByOwner: [AccountID: [ShopID]] = [:]
    /// The campaigns of each shop, in the order in which they were published.
    var campaignsByShop: [ShopID: [CampaignID]] = [:]
    var codesBySecret: [Secret: CodeID] = [:]
    var usesByCode: [CodeID: [CodeUse]] = [:]
    var redemptionsBySecret: [Secret: RedemptionID] = [:]
    var printsBySecret: [Secret: PrintID] = [:]
    /// For each card that a reversal discarded, the card that replaced it.
    var replacements: [CardID: CardReplacement] = [:]
    /// For each card, the stamps that codes gave to it.
    var given: [CardID: GivenStamps] = [:]
    /// For each card, the stamps that reversals took off it.
    var takenByCard: [CardID: [TakenStamps]] = [:]
    /// The last card that a reversal discarded, with the stamps that the event before took off it.
    var replaced: ReplacedCard?
    /// For each holder and campaign, the card on which the holder collects.
    var collecting: [CardSlot: CardID] = [:]
    /// For each holder and campaign, the stamps that codes gave and that were not taken back, oldest first.
    var gains: [CardSlot: [StampGains.Gain]] = [:]
    var tallies: [CardSlot: CardTally] = [:]

    public init() {}

    public init(_ facts: some Sequence<Fact>) {
        for fact in facts { evolve(fact) }
    }
}

/// A card that somebody other than its holder discarded. Only a reversal of stamps discards such a card, and the next event in the log
/// belongs to the same reversal.
struct ReplacedCard: Hashable, Sendable {
    let card: CardID
    /// The stamps that the event before the discarding took off the card; nil if it took none. That event may belong to another reversal,
    /// which has another code.
    let taken: TakenStamps?
    let position: UInt64
}

/// A holder and a campaign. For each such pair, at most one collecting card exists, and the campaign's caps apply to the pair.
struct CardSlot: Hashable, Sendable {
    let holder: AccountID
    let campaign: CampaignID
}

extension World {
    /// Applies the next fact to every entity that the fact is about. The caller passes each fact once, in ascending order of positions.
    public mutating func evolve(_ fact: Fact) {
        position = fact.position
        if let holder = fact.event.holder, let campaign = fact.event.campaign {
            tallies[CardSlot(holder: holder, campaign: campaign), default: CardTally()].evolve(fact.event)
        }
        if let card = fact.event.card { given[card, default: GivenStamps()].evolve(fact) }
        switch fact.event {
        case .accountRegistered, .shopOpened, .campaignPublished, .codeIssued, .sessionStarted, .reviewPosted, .replyPosted:
            open(fact)
        case .profileEdited, .passwordSet, .passwordRemoved, .accountErased, .phoneChanged, .phoneChangeRequested, .phoneChangeEnded,
            .accountSuspended, .accountReinstated:
            evolveAccount(fact)
        case .sessionRefreshed(let event): sessions[event.session]?.evolve(fact)
        case .sessionEnded(let event): sessions[event.session]?.evolve(fact)
        case .shopEdited, .staffAdded, .staffRemoved, .employmentEnded, .shopSuspended, .shopReinstated, .shopClosed:
            if let shop = fact.event.shop { shops[shop]?.evolve(fact) }
        case .staffInvited(let event):
            invitations[event.invitation] = Invitation(opening: fact)
            shops[event.shop]?.evolve(fact)
        case .invitationEnded(let event): evolve(event.invitation, of: event.shop, fact)
        case .staffJoined(let event): evolve(event.invitation, of: event.shop, fact)
        case .roleChanged(let event):
            if let invitation = event.invitation { invitations[invitation]?.evolve(fact) }
            shops[event.shop]?.evolve(fact)
        case .transferOffered(let event):
            invitations[event.invitation] = Invitation(opening: fact)
            shops[event.shop]?.evolve(fact)
        case .transferLapsed(let event): evolve(event.invitation, of: event.shop, fact)
        case .shopTransferred(let event):
            evolve(event.invitation, of: event.shop, fact)
            shopsByOwner[event.formerOwner]?.removeAll { $0 == event.shop }
            shopsByOwner[event.account, default: []].append(event.shop)
        case .campaignEdited(let event): campaigns[event.campaign]?.evolve(fact)
        case .campaignEnded(let event): campaigns[event.campaign]?.evolve(fact)
        case .campaignReopened(let event): campaigns[event.campaign]?.evolve(fact)
        case .codeDestroyed(let event): codes[event.code]?.evolve(fact)
        case .paperCardsPrinted, .paperStamped, .paperCardTaken, .paperStampReversed: evolvePaper(fact)
        case .cardOpened, .redemptionRequested, .milestoneRequested: open(fact)
        case .cardStamped(let event):
            codes[event.code]?.evolve(fact)
            noteGain(event, at: fact.time)
            evolveCard(event.card, fact)
        case .stampReversed(let event):
            codes[event.code]?.evolve(fact)
            gains[CardSlot(holder: event.holder, campaign: event.campaign)]?.removeAll { $0.code == event.code }
            noteReplacement(event, at: fact.position)
            takenByCard[event.card, default: []].append(TakenStamps(code: event.code, stamps: event.stamps))
            evolveCard(event.card, fact)
        case .cardRedeemed, .redemptionReversed, .milestoneRedeemed, .milestoneReversed:
            if let redemption = fact.event.redemption { redemptions[redemption]?.evolve(fact) }
            if let card = fact.event.card { evolveCard(card, fact) }
        case .cardDiscarded(let event):
            if event.holder != fact.actor { noteReplaced(event.card, at: fact.position) }
            evolveCard(event.card, fact)
        case .cardAdjusted, .cardExpired: if let card = fact.event.card { evolveCard(card, fact) }
        case .cardReminded(let event):
            notices[event.notice] = Notice(opening: fact)
            evolveCard(event.card, fact)
        case .waitingCardTaken(let event):
            if event.from == nil { evolveCard(event.card, fact) } else { takeOver(event, fact) }
        case .reviewRemoved(let event): reviews[event.review]?.evolve(fact)
        case .noticePosted, .noticeScheduled, .noticeWithdrawn, .noticeLapsed: evolveNotice(fact)
        case .noticeRead(let event): noticesRead.insert(NoticeReading(notice: event.notice, account: event.account))
        case .shopMuted, .shopUnmuted: evolveMutes(fact)
        case .feedbackGiven, .imageTakenDown, .accountSearched: break
        case .favoriteAdded(let event): favorites.insert(Favorite(account: event.account, campaign: event.campaign))
        case .favoriteRemoved(let event): favorites.remove(Favorite(account: event.account, campaign: event.campaign))
        }
    }

    private mutating func evolve(_ invitation: InvitationID, of shop: ShopID, _ fact: Fact) {
        invitations[invitation]?.evolve(fact)
        shops[shop]?.evolve(fact)
    }

    private mutating func noteGain(_ event: CardStamped, at time: Instant) {
        let slot = CardSlot(holder: event.holder, campaign: event.campaign)
        gains[slot, default: []].append(StampGains.Gain(code: event.code, at: time, stamps: event.worth))
        usesByCode[event.code, default: []].append(CodeUse(card: event.card, stamps: event.stamps, at: time))
    }

    /// Moves a waiting card to the account that took it over.
    private mutating func takeOver(_ event: WaitingCardTaken, _ fact: Fact) {
        let slot = CardSlot(holder: event.holder, campaign: event.campaign)
        cards[event.card]?.evolve(fact)
        for (other, card) in collecting where card == event.card { collecting[other] = nil }
        if cards[event.card]?.status == .collecting { collecting[slot] = event.card }
        gains[slot, default: []].append(event.gain(at: fact.time))
    }

    /// If the previous event records that a reversal discarded a card, records that the event's card replaces the discarded card.
    private mutating func noteReplacement(_ event: StampReversed, at position: UInt64) {
        guard let replaced, replaced.position + 1 == position, replaced.card != event.card else { return }
        let stamps = if let taken = replaced.taken, taken.code == event.code { taken.stamps } else { 0 }
        replacements[replaced.card] = CardReplacement(
            card: event.card, code: event.code, stamps: stamps, position: replaced.position)
    }

    private mutating func noteReplaced(_ card: CardID, at position: UInt64) {
        let last = cards[card]?.history.last
        let isTaken = last?.kind == .stampReversed && last?.position == position - 1
        replaced = ReplacedCard(card: card, taken: isTaken ? takenByCard[card]?.last : nil, position: position)
    }

    private mutating func evolveMutes(_ fact: Fact) {
        switch fact.event {
        case .shopMuted(let event): mutes.insert(Mute(account: event.account, shop: event.shop))
        case .shopUnmuted(let event): mutes.remove(Mute(account: event.account, shop: event.shop))
        default: break
        }
    }

    private mutating func evolvePaper(_ fact: Fact) {
        switch fact.event {
        case .paperCardsPrinted(let event):
            prints[event.print] = PaperPrint(opening: fact)
            printsBySecret[event.secret] = event.print
        case .paperStamped(let event): codes[event.code]?.evolve(fact)
        case .paperStampReversed(let event): codes[event.code]?.evolve(fact)
        default: break
        }
        guard let paper = fact.event.paper else { return }
        papers[paper.id, default: Paper(paper)].evolve(fact)
    }

    private mutating func evolveNotice(_ fact: Fact) {
        switch fact.event {
        case .noticePosted(let event):
            if notices[event.notice]?.evolve(fact) == nil { notices[event.notice] = Notice(opening: fact) }
        case .noticeScheduled(let event): notices[event.notice] = Notice(opening: fact)
        case .noticeWithdrawn(let event): notices[event.notice]?.evolve(fact)
        case .noticeLapsed(let event): notices[event.notice]?.evolve(fact)
        default: break
        }
    }

    private mutating func evolveAccount(_ fact: Fact) {
        switch fact.event {
        case .profileEdited(let event): accounts[event.account]?.evolve(fact)
        case .passwordSet(let event): accounts[event.account]?.evolve(fact)
        case .passwordRemoved(let event): accounts[event.account]?.evolve(fact)
        case .accountErased(let event): accounts[event.account]?.evolve(fact)
        case .phoneChanged(let event): accounts[event.account]?.evolve(fact)
        case .phoneChangeRequested(let event): accounts[event.account]?.evolve(fact)
        case .phoneChangeEnded(let event): accounts[event.account]?.evolve(fact)
        case .accountSuspended(let event): accounts[event.account]?.evolve(fact)
        case .accountReinstated(let event): accounts[event.account]?.evolve(fact)
        default: break
        }
    }

    /// Changes the card in place, by index, so that its history is not copied and its new status needs no second look-up.
    private mutating func evolveCard(_ id: CardID, _ fact: Fact) {
        guard let index = cards.index(forKey: id) else { return }
        let before = cards.values[index].status
        cards.values[index].evolve(fact)
        let now = cards.values[index].status
        guard (before == .collecting) != (now == .collecting) else { return }
        let card = cards.values[index]
        collecting[CardSlot(holder: card.holder, campaign: card.campaign)] = now == .collecting ? id : nil
    }

    private mutating func open(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered: openAccount(fact)
        case .sessionStarted(let event): sessions[event.session] = Session(opening: fact)
        case .shopOpened(let event):
            shops[event.shop] = Shop(opening: fact)
            shopsByOwner[event.owner, default: []].append(event.shop)
        case .campaignPublished(let event):
            campaigns[event.campaign] = Campaign(opening: fact)
            campaignsByShop[event.shop, default: []].append(event.campaign)
        case .codeIssued(let event):
            codes[event.code] = Code(opening: fact)
            codesBySecret[event.secret] = event.code
        case .cardOpened(let event):
            let card = Card(opening: fact)
            cards[event.card] = card
            guard card?.status == .collecting else { return }
            collecting[CardSlot(holder: event.holder, campaign: event.campaign)] = event.card
        case .redemptionRequested(let event):
            redemptions[event.redemption] = Redemption(opening: fact)
            redemptionsBySecret[event.secret] = event.redemption
            evolveCard(event.card, fact)
        case .milestoneRequested(let event):
            redemptions[event.redemption] = Redemption(opening: fact)
            redemptionsBySecret[event.secret] = event.redemption
            evolveCard(event.card, fact)
        case .reviewPosted(let event): reviews[event.review] = Review(opening: fact)
        case .replyPosted(let event): reviews[event.reply] = Review(opening: fact)
        default: break
        }
    }

    private mutating func openAccount(_ fact: Fact) {
        guard let account = Account(opening: fact) else { return }
        accounts[account.id] = account
        accountsByPhone[account.phone] = account.id
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

/// A state that is folded from events alone.
public protocol Folded {
    /// The state of a thing after its first event; `nil` if the event does not open a thing of this kind.
    init?(opening fact: Fact)

    /// Applies one event. It MUST ignore an event about any other thing. It MUST NOT refuse an event, because an event in the log has
    /// already happened.
    mutating func evolve(_ fact: Fact)
}

extension Folded {
    /// The state after `facts`, or `nil` if none of them opens a thing of this kind. If the facts are about several such things, the result
    /// is the thing that is opened first.
    @inlinable
    public static func fold(_ facts: some Sequence<Fact>) -> Self? {
        var state: Self?
        for fact in facts {
            if state == nil {
                state = Self(opening: fact)
            } else {
                state?.evolve(fact)
            }
        }
        return state
    }
}
