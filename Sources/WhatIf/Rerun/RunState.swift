internal import Audit
internal import Loyalty
internal import ReadModels

/// The state of one run of history, as far as decisions about cards need it.
///
/// Memory grows with cards, paper cards, unused codes and reversals; old used codes and stamps are dropped.
///
/// An analysis changes the input of a decision, never the decision: as a `Past`, this type returns campaigns with the changed goal, caps
/// and options, and the issuing command sets a code's changed worth and validity.
///
/// A changed history is in no log, so no index can find its events. That is why this type keeps the state itself. A decision takes 6 µs
/// (97,000 events a second, each command decided twice).
struct RunState {
    /// The number of used or of unused codes from which old ones are dropped.
    private static let codesMin = 50_000
    /// A day before ``LogClock/earliest``: codes can be reversed and caps count stamps for that long.
    private static let keptSeconds: Int64 = 86_400

    let shared: SharedState
    /// Nil for the recorded rules.
    var rules: ProgrammeRules?

    private var codes: [CodeID: Code] = [:]
    private var codesBySecret: [Secret: CodeID] = [:]
    private var codesMax = Self.codesMin
    /// Paper cards, whose unused codes are in ``onPaper``.
    private var papers: [PaperID: Paper] = [:]
    private var onPaper: [CodeID: Code] = [:]
    /// A code whose stamps may still be reversed is never dropped.
    private var used: [CodeID: UsedCode] = [:]
    private var usedMax = Self.codesMin
    private var index = RowIndex()
    /// In the order of their openings. A history holds only what follows a redemption's first request.
    private var cards: [Card] = []
    private var held: [Holding: HeldCards] = [:]
    /// A replacement's `position` counts the events of this run.
    private var replacements = Replacements()
    /// Stamps of cards for persons who had not registered.
    private var given: [CardID: GivenStamps] = [:]
    private var redemptions: [RedemptionID: Redemption] = [:]
    private var redemptionsBySecret: [Secret: RedemptionID] = [:]
    /// Event times alone would drop too much while a clock is ahead.
    private var clock = LogClock()
    private var zones: [String: ReportZone] = [:]

    init(on shared: SharedState) { self.shared = shared }

    /// Unredeemed full cards.
    func fullCount(of holder: AccountID, in campaign: CampaignID) -> Int {
        places(of: holder, in: campaign).count { cards[$0].status == .full }
    }

    /// The oldest unexpired card with this status.
    func oldestCard(of holder: AccountID, in campaign: CampaignID, _ status: CardStatus, at now: Instant) -> CardID? {
        places(of: holder, in: campaign).first { cards[$0].status == status && !cards[$0].terms.isOver(at: now) }.map { cards[$0].id }
    }

    /// The oldest card whose milestone can be redeemed.
    func oldestCard(of holder: AccountID, in campaign: CampaignID, reaching milestone: Int, at now: Instant) -> CardID? {
        places(of: holder, in: campaign).first { cards[$0].isOpen(milestone: milestone, at: now) }.map { cards[$0].id }
    }

    private func places(of holder: AccountID, in campaign: CampaignID) -> [Int] {
        held[Holding(holder: holder, campaign: campaign)]?.cards ?? []
    }

    /// Nil for a used, destroyed or dropped code.
    func unusedCode(_ id: CodeID) -> Code? { codes[id] ?? onPaper[id] }

    /// The stamps of a used code that were not reversed, without those that lapsed at a takeover.
    func stampsLeft(of id: CodeID) -> Int? {
        used[id].map { used in
            let standing = used.uses.flatMap { given[$0.card]?.places(of: $0, by: id) ?? [$0] }.reduce(0) { $0 + $1.stamps }
            return min(standing, used.code.stampsLeft ?? standing)
        }
    }

    func knownRedemption(_ id: RedemptionID) -> Redemption? { redemptions[id] }
}

extension RunState {
    /// Applies an event. Returns its change of the figures.
    mutating func apply(_ fact: Fact) -> Tally {
        clock.note(fact.time)
        replacements.apply(fact)
        if let card = fact.event.card { given[card]?.evolve(fact) }
        if let redemption = fact.event.redemption { redemptions[redemption]?.evolve(fact) }
        switch fact.event {
        case .codeIssued(let event): open(event, fact)
        case .codeDestroyed(let event): drop(event.code)
        case .paperStamped(let event): wait(event, fact)
        case .paperStampReversed(let event):
            onPaper[event.code] = nil
            papers[event.paper.id]?.evolve(fact)
        case .paperCardTaken(let event): papers[event.paper.id, default: Paper(event.paper)].evolve(fact)
        case .cardOpened(let event): return open(event, fact)
        case .cardStamped(let event): use(event, fact)
        case .stampReversed(let event): reverse(event, fact)
        case .waitingCardTaken(let event): if let from = event.from { takeOver(event, from, fact) }
        case .redemptionRequested(let event): request(event.card, fact)
        case .milestoneRequested(let event): request(event.card, fact)
        default: break
        }
        return evolveCard(fact)
    }

    /// Applies an event to its card. Returns its change of the figures: none for an unknown card.
    private mutating func evolveCard(_ fact: Fact) -> Tally {
        guard let place = fact.event.card.flatMap({ index.place(of: $0.value) }) else { return Tally() }
        let before = cards[place].status
        cards[place].evolve(fact)
        // Decisions need of a history only what follows a request, and most cards are never redeemed.
        if cards[place].newestRedemption == nil { cards[place].history.removeAll(keepingCapacity: true) }
        var tally = Tally(of: fact.event)
        switch (before, cards[place].status, fact.event) {
        case (.collecting, .full, _): tally.filled += 1
        case (.full, .collecting, _), (.full, .discarded, .waitingCardTaken): tally.filled -= 1
        default: break
        }
        return tally
    }

    private mutating func open(_ event: CodeIssued, _ fact: Fact) {
        guard let code = Code(opening: fact) else { return }
        codes[event.code] = code
        codesBySecret[event.secret] = event.code
        if codes.count >= codesMax { dropExpired() }
    }

    /// The code keeps the worth with which it was issued in this run.
    private mutating func wait(_ event: PaperStamped, _ fact: Fact) {
        guard var code = drop(event.code) else { return }
        code.paper = event.paper
        onPaper[event.code] = code
        let stamped = PaperStamped(
            paper: event.paper, code: event.code, campaign: event.campaign, shop: event.shop, home: event.home, stamps: code.stamps)
        let waiting = Fact(position: fact.position, time: fact.time, actor: fact.actor, event: .paperStamped(stamped))
        papers[event.paper.id, default: Paper(event.paper)].evolve(waiting)
    }

    @discardableResult
    private mutating func drop(_ code: CodeID) -> Code? {
        guard let dropped = codes.removeValue(forKey: code) else { return nil }
        codesBySecret[dropped.secret] = nil
        return dropped
    }

    /// A code that gives stamps to several cards is marked by the first `CardStamped` only.
    private mutating func use(_ event: CardStamped, _ fact: Fact) {
        if var code = drop(event.code) ?? onPaper.removeValue(forKey: event.code) {
            code.evolve(fact)
            used[event.code] = UsedCode(code: code, at: fact.time)
            held[Holding(holder: event.holder, campaign: event.campaign)]?.codes += 1
        }
        used[event.code]?.uses.append(CodeUse(card: event.card, stamps: event.stamps, at: fact.time))
        let since = keptSince
        held[Holding(holder: event.holder, campaign: event.campaign)]?.add(
            StampGains.Gain(code: event.code, at: fact.time, stamps: event.worth), keptSince: since)
        guard used.count >= usedMax else { return }
        used = used.filter { $0.value.at >= since }
        usedMax = max(Self.codesMin, used.count * 2)
    }

    /// The moment since which expired codes, used codes and stamps are kept.
    private var keptSince: Instant { clock.earliest.advanced(bySeconds: -Self.keptSeconds) }

    private mutating func dropExpired() {
        let since = keptSince
        for code in codes.values.filter({ $0.expiresAt < since }) { drop(code.id) }
        codesMax = max(Self.codesMin, codes.count * 2)
    }

    private mutating func reverse(_ event: StampReversed, _ fact: Fact) {
        let isLast = used[event.code]?.code.isReversed == false && event.left == 0
        used[event.code]?.code.evolve(fact)
        held[Holding(holder: event.holder, campaign: event.campaign)]?.reverse(event, isLast: isLast)
    }

    private mutating func open(_ event: CardOpened, _ fact: Fact) -> Tally {
        guard var card = Card(opening: fact) else { return Tally() }
        if shared.isWaiting(event.holder) { given[event.card] = GivenStamps() }
        held[Holding(holder: event.holder, campaign: event.campaign), default: HeldCards()].open(index.insert(event.card.value))
        (card.reward, card.history) = ("", [])
        cards.append(card)
        return Tally(opened: 1, filled: event.goal == 0 ? 1 : 0)
    }

    /// Moves a waiting card to its place in the order of the account's openings.
    private mutating func takeOver(_ event: WaitingCardTaken, _ waiting: AccountID, _ fact: Fact) {
        guard let place = index.place(of: event.card.value) else { return }
        held[Holding(holder: waiting, campaign: event.campaign)]?.lose(place)
        let since = keptSince
        held[Holding(holder: event.holder, campaign: event.campaign), default: HeldCards()].gain(
            place, codes: event.codes, event.gain(at: fact.time), keptSince: since)
    }

    private mutating func request(_ card: CardID, _ fact: Fact) {
        guard let place = index.place(of: card.value), let redemption = Redemption(opening: fact) else { return }
        // The previous redemption was reversed, or this request replaces it. A milestone's redemption can still be reversed, so it stays.
        if let previous = cards[place].newestRedemption, let known = redemptions[previous], !known.isStandingMilestone {
            redemptions[previous] = nil
            redemptionsBySecret[known.secret] = nil
        }
        redemptions[redemption.id] = redemption
        redemptionsBySecret[redemption.secret] = redemption.id
    }
}

extension Redemption {
    /// Whether a milestone's reward was handed out and not reversed.
    fileprivate var isStandingMilestone: Bool { milestone != nil && isRedeemed && !isReversed }
}

extension Tally {
    /// The change by an event alone, without the one that follows from its card.
    fileprivate init(of event: LoyaltyEvent) {
        self.init()
        switch event {
        case .cardStamped(let event): stamps = event.stamps
        case .cardAdjusted(let event): stamps = event.stamps
        case .stampReversed(let event): stamps = -event.stamps
        case .cardRedeemed: redeemed = 1
        case .redemptionReversed: redeemed = -1
        case .milestoneRedeemed: milestones = 1
        case .milestoneReversed: milestones = -1
        default: break
        }
    }
}

extension RunState: Past {
    typealias Failure = Never

    /// Placeholder values, because decisions need only the existence.
    func account(_ id: AccountID) -> Account? {
        guard shared.knows(id) else { return nil }
        return Account(id: id, phone: Secret(0), sealedPhone: Sealed([]), registeredAt: Instant(microseconds: 0), version: 0)
    }

    func shop(_ id: ShopID) -> Shop? { shared.shops[id] }

    func campaign(_ id: CampaignID) -> Campaign? {
        guard let recorded = shared.campaigns[id] else { return nil }
        return rules?.changed(recorded) ?? recorded
    }

    func code(_ id: CodeID) -> Code? { codes[id] ?? used[id]?.code }
    func code(secret: Secret) -> Code? { codesBySecret[secret].flatMap { codes[$0] } }
    func wasErased(_ id: AccountID) -> Bool { false }
    func print(_ id: PrintID) -> PaperPrint? { shared.prints[id] }
    func print(secret: Secret) -> PaperPrint? { nil }
    func paper(_ id: PaperID) -> Paper? { papers[id] }
    func uses(of code: CodeID) -> [CodeUse] { used[code]?.uses ?? [] }
    func card(_ id: CardID) -> Card? { index.place(of: id.value).map { cards[$0] } }
    func replacement(of card: CardID) -> CardReplacement? { replacements.known[card] }
    func isTakenOver(_ card: CardID) -> Bool { given[card]?.isTakenOver == true }
    func given(on card: CardID) -> GivenStamps { given[card] ?? GivenStamps() }
    func taken(from card: CardID) -> [TakenStamps] { replacements.taken[card] ?? [] }

    func collectingCard(of holder: AccountID, in campaign: CampaignID) -> Card? {
        places(of: holder, in: campaign).last { cards[$0].status == .collecting }.map { cards[$0] }
    }

    func gains(of holder: AccountID, in campaign: CampaignID) -> StampGains {
        held[Holding(holder: holder, campaign: campaign)]?.gains ?? StampGains()
    }

    mutating func secondsAhead(in timeZone: String, at moment: Instant) -> Int {
        let zone = zones[timeZone] ?? ReportZone(name: timeZone) ?? .utc
        zones[timeZone] = zone
        return zone.secondsAhead(at: moment)
    }

    /// Counts the holder's cards and used codes in the campaign.
    func tally(of holder: AccountID, in campaign: CampaignID) -> CardTally {
        guard let mine = held[Holding(holder: holder, campaign: campaign)] else { return CardTally() }
        let filled = mine.cards.filter { cards[$0].stamps >= cards[$0].goal }
        return CardTally(
            codes: mine.codes, filled: filled.count, expired: filled.count { cards[$0].status == .expired }, opened: mine.cards.count,
            first: mine.first.map { cards[$0].id })
    }

    func redemption(_ id: RedemptionID) -> Redemption? { redemptions[id] }
    func redemption(secret: Secret) -> Redemption? { redemptionsBySecret[secret].flatMap { redemptions[$0] } }

    // Only commands that are not decided again need these look-ups. `AgeCard` needs the notice only for a reminder.

    func account(phone: Secret) -> Account? { nil }
    func session(_ id: SessionID) -> Session? { nil }
    func openSessions(of account: AccountID) -> [Session] { [] }
    func shops(ownedBy owner: AccountID) -> [Shop] { [] }
    func employers(of account: AccountID) -> [Shop] { [] }
    func campaigns(of shop: ShopID) -> [Campaign] { [] }
    func review(_ id: ReviewID) -> Review? { nil }
    func notice(_ id: NoticeID) -> Notice? { nil }
    func hasRead(_ notice: NoticeID, by account: AccountID) -> Bool { false }
    func has(_ favorite: Favorite) -> Bool { false }
    func invitation(_ id: InvitationID) -> Invitation? { nil }
    func has(_ mute: Mute) -> Bool { false }
    func label(of account: AccountID, at shop: ShopID) -> TypedText? { nil }
    func search(_ id: SearchID) -> SavedSearch? { nil }
    func searchCount(of account: AccountID) -> Int { 0 }
}
