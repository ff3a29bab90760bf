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
    private var cards: [TrackedCard] = []
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
        Int(held[Holding(holder: holder, campaign: campaign)]?.full ?? 0)
    }

    /// A card without its history; nil if it was never opened.
    func tracked(_ id: CardID) -> TrackedCard? { index.place(of: id.value).map { cards[$0] } }

    /// The oldest unexpired card with this status.
    func oldestCard(of holder: AccountID, in campaign: CampaignID, _ status: CardStatus, at now: Instant) -> CardID? {
        oldestCard(of: holder, in: campaign) { $0.status == status && !$0.terms.isOver(at: now) }
    }

    /// The oldest card whose milestone can be redeemed.
    func oldestCard(of holder: AccountID, in campaign: CampaignID, reaching milestone: Int, at now: Instant) -> CardID? {
        oldestCard(of: holder, in: campaign) { $0.card.isOpen(milestone: milestone, at: now) }
    }

    private func oldestCard(of holder: AccountID, in campaign: CampaignID, where isWanted: (TrackedCard) -> Bool) -> CardID? {
        var (place, found) = (held[Holding(holder: holder, campaign: campaign)]?.newest ?? -1, CardID?.none)
        while place >= 0 {
            let card = cards[Int(place)]
            if isWanted(card) { found = card.id }
            place = card.previous
        }
        return found
    }

    /// Nil for a used, destroyed or dropped code.
    func unusedCode(_ id: CodeID) -> Code? { codes[id] ?? onPaper[id] }

    /// Nil for an unused or dropped code.
    func usedCode(_ id: CodeID) -> Code? { used[id]?.code }

    /// The stamps that a used code gave, with reversed ones, without those that lapsed at a takeover.
    func given(by id: CodeID) -> Int? {
        used[id].map { used in
            used.uses.flatMap { given[$0.card]?.places(of: $0, by: id) ?? [$0] }.reduce(0) { $0 + $1.stamps }
        }
    }

    func knownRedemption(_ id: RedemptionID) -> Redemption? { redemptions[id] }
}

extension RunState {
    /// Applies an event. Returns its change of the figures; nil if there are none, or if the card is unknown.
    mutating func apply(_ fact: Fact) -> Tally? {
        clock.note(fact.time)
        replacements.apply(fact)
        if let card = fact.event.card { given[card]?.evolve(fact) }
        if let redemption = fact.event.redemption { redemptions[redemption]?.evolve(fact) }
        switch fact.event {
        case .codeIssued(let event):
            open(event, fact)
            return nil
        case .codeDestroyed(let event):
            drop(event.code)
            return nil
        case .paperStamped(let event):
            wait(event, fact)
            return nil
        case .paperStampReversed(let event):
            onPaper[event.code] = nil
            papers[event.paper.id]?.evolve(fact)
            return nil
        case .paperCardTaken(let event):
            papers[event.paper.id, default: Paper(event.paper)].evolve(fact)
            return nil
        case .cardOpened(let event):
            open(event)
            return Tally(opened: 1, filled: event.goal == 0 ? 1 : 0)
        case .cardStamped(let event):
            use(event, fact)
            let since = keptSince
            held[Holding(holder: event.holder, campaign: event.campaign)]?.add(
                StampGains.Gain(code: event.code, at: fact.time, stamps: event.worth), keptSince: since)
            return change(event.card, Tally(stamps: event.stamps)) { $0.addStamps(event.stamps) }
        case .cardDiscarded(let event): return change(event.card, Tally()) { $0.status = .discarded }
        case .cardExpired(let event): return change(event.card, Tally()) { $0.expire() }
        case .cardAdjusted(let event):
            return change(event.card, Tally(stamps: event.stamps)) { $0.adjust(by: event.stamps) }
        case .waitingCardTaken(let event):
            if event.from != nil { return takeOver(event, fact) }
            return change(event.card, Tally()) { $0.apply(event) }
        case .stampReversed(let event):
            let isFirst = used[event.code]?.code.isReversed == false
            used[event.code]?.code.evolve(fact)
            held[Holding(holder: event.holder, campaign: event.campaign)]?.reverse(event.code, isFirst: isFirst)
            return change(event.card, Tally(stamps: -event.stamps)) { $0.takeBack(event.stamps) }
        case .redemptionRequested(let event):
            request(event.card, fact)
            return nil
        case .cardRedeemed(let event): return change(event.card, Tally(redeemed: 1)) { ($0.status, $0.isRewarded) = (.redeemed, true) }
        case .redemptionReversed(let event): return change(event.card, Tally(redeemed: -1)) { ($0.status, $0.isRewarded) = (.full, false) }
        case .milestoneRequested(let event):
            request(event.card, fact)
            return nil
        case .milestoneRedeemed(let event): return change(event.card, Tally(milestones: 1)) { $0.redeem(milestone: event.milestone) }
        case .milestoneReversed(let event): return change(event.card, Tally(milestones: -1)) { $0.reverse(milestone: event.milestone) }
        default: return nil
        }
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
        guard used.count >= usedMax else { return }
        let since = keptSince
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

    private mutating func open(_ event: CardOpened) {
        if shared.isWaiting(event.holder) { given[event.card] = GivenStamps() }
        let holding = Holding(holder: event.holder, campaign: event.campaign)
        let place = Int32(index.insert(event.card.value))
        var mine = held[holding] ?? HeldCards()
        let card = TrackedCard(event, previous: mine.newest)
        cards.append(card)
        mine.newest = place
        if mine.first < 0 { mine.first = place }
        if card.status == .collecting { mine.collecting = place } else { mine.full += 1 }
        held[holding] = mine
    }

    /// Moves a waiting card to its place in the order of the account's openings.
    private mutating func takeOver(_ event: WaitingCardTaken, _ fact: Fact) -> Tally? {
        guard let place = index.place(of: event.card.value) else { return nil }
        let (place32, before) = (Int32(place), cards[place])
        var theirs = held[Holding(holder: before.holder, campaign: event.campaign)] ?? HeldCards()
        if theirs.newest == place32 { theirs.newest = before.previous } else { unlink(place32, after: theirs.newest) }
        if theirs.collecting == place32 { theirs.collecting = -1 }
        if before.status == .full { theirs.full -= 1 }
        held[Holding(holder: before.holder, campaign: event.campaign)] = theirs
        cards[place].apply(event)
        var mine = held[Holding(holder: event.holder, campaign: event.campaign)] ?? HeldCards()
        if mine.newest < place32 {
            (cards[place].previous, mine.newest) = (mine.newest, place32)
        } else {
            link(place32, after: mine.newest)
        }
        if cards[place].status == .collecting { mine.collecting = place32 }
        if cards[place].status == .full { mine.full += 1 }
        mine.codes += Int32(clamping: event.codes)
        mine.add(event.gain(at: fact.time), keptSince: keptSince)
        held[Holding(holder: event.holder, campaign: event.campaign)] = mine
        return Tally(filled: before.status == .full && cards[place].status != .full ? -1 : 0)
    }

    private mutating func unlink(_ place: Int32, after newest: Int32) {
        var at = newest
        while at >= 0 {
            let next = cards[Int(at)].previous
            if next == place { cards[Int(at)].previous = cards[Int(place)].previous }
            at = next
        }
    }

    private mutating func link(_ place: Int32, after newest: Int32) {
        var at = newest
        while cards[Int(at)].previous > place { at = cards[Int(at)].previous }
        cards[Int(place)].previous = cards[Int(at)].previous
        cards[Int(at)].previous = place
    }

    private mutating func request(_ card: CardID, _ fact: Fact) {
        guard let place = index.place(of: card.value), let redemption = Redemption(opening: fact) else { return }
        // The previous redemption was reversed, or this request replaces it. A milestone's redemption can still be reversed, so it stays.
        if let previous = cards[place].newestRedemption, let known = redemptions[previous], !known.isStandingMilestone {
            redemptions[previous] = nil
            redemptionsBySecret[known.secret] = nil
        }
        cards[place].newestRedemption = redemption.id
        redemptions[redemption.id] = redemption
        redemptionsBySecret[redemption.secret] = redemption.id
    }

    private mutating func change(_ id: CardID, _ tally: Tally, _ body: (inout TrackedCard) -> Void) -> Tally? {
        guard let place = index.place(of: id.value) else { return nil }
        let before = cards[place].status
        body(&cards[place])
        let (card, now) = (cards[place], cards[place].status)
        guard before != now else { return tally }
        var tally = tally
        var mine = held[Holding(holder: card.holder, campaign: card.campaign)] ?? HeldCards()
        if before == .full { mine.full -= 1 }
        if now == .full { mine.full += 1 }
        if now == .collecting { mine.collecting = Int32(place) } else if before == .collecting { mine.collecting = -1 }
        held[Holding(holder: card.holder, campaign: card.campaign)] = mine
        if before == .collecting, now == .full { tally.filled += 1 }
        if before == .full, now == .collecting { tally.filled -= 1 }
        return tally
    }
}

extension Redemption {
    /// Whether a milestone's reward was handed out and not reversed.
    fileprivate var isStandingMilestone: Bool { milestone != nil && isRedeemed && !isReversed }
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
    func card(_ id: CardID) -> Card? { index.place(of: id.value).map { cards[$0].card } }
    func replacement(of card: CardID) -> CardReplacement? { replacements.known[card] }
    func isTakenOver(_ card: CardID) -> Bool { given[card]?.isTakenOver == true }
    func given(on card: CardID) -> GivenStamps { given[card] ?? GivenStamps() }
    func taken(from card: CardID) -> [TakenStamps] { replacements.taken[card] ?? [] }

    func collectingCard(of holder: AccountID, in campaign: CampaignID) -> Card? {
        guard let mine = held[Holding(holder: holder, campaign: campaign)], mine.collecting >= 0 else { return nil }
        return cards[Int(mine.collecting)].card
    }

    func gains(of holder: AccountID, in campaign: CampaignID) -> StampGains {
        StampGains(held[Holding(holder: holder, campaign: campaign)]?.gains ?? [])
    }

    mutating func secondsAhead(in timeZone: String, at moment: Instant) -> Int {
        let zone = zones[timeZone] ?? ReportZone(name: timeZone) ?? .utc
        zones[timeZone] = zone
        return zone.secondsAhead(at: moment)
    }

    /// Counts the holder's cards and used codes in the campaign.
    func tally(of holder: AccountID, in campaign: CampaignID) -> CardTally {
        guard let mine = held[Holding(holder: holder, campaign: campaign)] else { return CardTally() }
        var (place, filled, expired, opened) = (Int(mine.newest), 0, 0, 0)
        while place >= 0 {
            opened += 1
            if cards[place].stamps >= cards[place].goal { filled += 1 }
            if cards[place].stamps >= cards[place].goal, cards[place].status == .expired { expired += 1 }
            place = Int(cards[place].previous)
        }
        let first = mine.first < 0 ? nil : cards[Int(mine.first)].id
        return CardTally(codes: Int(mine.codes), filled: filled, expired: expired, opened: opened, first: first)
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
}
