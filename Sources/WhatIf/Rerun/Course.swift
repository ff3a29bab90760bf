internal import Audit
internal import Loyalty
internal import ReadModels

/// The state of one run of history, as far as decisions about cards need it: codes, cards, paper cards and redemptions.
///
/// Memory grows with the numbers of cards, paper cards, unused codes and reversals, and not with the number of all events. If there are
/// many used codes, codes used some days ago are dropped. Only the stamps of each holder's last days are stored. For each card, only the
/// newest redemption and the redemptions of milestones are stored.
///
/// A what-if analysis changes the input of a decision, never the decision. Decisions read this type as their `Past`, which returns
/// campaigns with the changed goal, caps and options. A code's changed worth and validity are set in the command that issues the code. One
/// instance of this type has the recorded history, and another one has the changed history.
struct Course {
    /// The number of unused codes below which expired codes are not dropped. The same number applies to used codes: below it, old used
    /// codes are not dropped.
    private static let codesMin = 50_000
    /// Seconds before ``LogClock/earliest`` for which expired codes, used codes and stamps are kept: a day, for which used codes can be
    /// reversed and caps count stamps.
    private static let keptSeconds: Int64 = 86_400

    let ground: Ground
    /// The rules that decisions use; nil for the recorded rules.
    var rules: ProgrammeRules?

    private var codes: [CodeID: Code] = [:]
    private var codesBySecret: [Secret: CodeID] = [:]
    private var codesMax = Self.codesMin
    /// The paper cards. ``onPaper`` has the codes on them that are not used yet.
    private var papers: [PaperID: Paper] = [:]
    private var onPaper: [CodeID: Code] = [:]
    /// The used codes. A code whose stamps may still be reversed is never dropped.
    private var used: [CodeID: UsedCode] = [:]
    private var usedMax = Self.codesMin
    private var index = RowIndex()
    private var cards: [TrackedCard] = []
    private var held: [Holding: HeldCards] = [:]
    /// The replacements of cards that reversals emptied and discarded. A replacement's `position` is the number of an event of this run.
    private var replacements = Replacements()
    /// The stamps of cards that were opened for persons who had not registered.
    private var given: [CardID: GivenStamps] = [:]
    private var redemptions: [RedemptionID: Redemption] = [:]
    private var redemptionsBySecret: [Secret: RedemptionID] = [:]
    /// The clock by which codes and stamps are dropped. The times of events alone would drop too much while a clock is ahead.
    private var clock = LogClock()
    /// The time zones of shops whose campaigns have bonus hours, by name.
    private var zones: [String: ReportZone] = [:]

    init(on ground: Ground) {
        self.ground = ground
    }

    /// The number of cards opened.
    var cardCount: Int { cards.count }

    /// The number of full cards that the holder has in the campaign and has not redeemed.
    func fullCount(of holder: AccountID, in campaign: CampaignID) -> Int {
        Int(held[Holding(holder: holder, campaign: campaign)]?.full ?? 0)
    }

    /// The state of a card, without its history; nil if no such card was opened.
    func tracked(_ id: CardID) -> TrackedCard? {
        index.place(of: id.value).map { cards[$0] }
    }

    /// The holder's unexpired card of a campaign with this status; if there are several, the card that was opened first.
    func oldestCard(of holder: AccountID, in campaign: CampaignID, _ status: CardStatus, at now: Instant) -> CardID? {
        guard let held = held[Holding(holder: holder, campaign: campaign)] else { return nil }
        var (place, found) = (Int(held.newest), CardID?.none)
        while place >= 0 {
            if cards[place].status == status, !cards[place].terms.isOver(at: now) { found = cards[place].id }
            place = Int(cards[place].previous)
        }
        return found
    }

    /// The holder's card of a campaign whose milestone can be redeemed; if there are several, the card that was opened first.
    func oldestCard(of holder: AccountID, in campaign: CampaignID, reaching milestone: Int, at now: Instant) -> CardID? {
        guard let held = held[Holding(holder: holder, campaign: campaign)] else { return nil }
        var (place, found) = (Int(held.newest), CardID?.none)
        while place >= 0 {
            if cards[place].card.isOpen(milestone: milestone, at: now) { found = cards[place].id }
            place = Int(cards[place].previous)
        }
        return found
    }

    /// A code that was issued, and neither used nor destroyed; nil also for an expired code that has been dropped.
    func unusedCode(_ id: CodeID) -> Code? { codes[id] ?? onPaper[id] }

    /// A used code; nil if the code was not used, or was used days ago and has been dropped.
    func usedCode(_ id: CodeID) -> Code? { used[id]?.code }

    /// The number of stamps that a used code has given, including reversed stamps, without those that lapsed when an account took over
    /// their card; nil if ``usedCode(_:)`` is nil.
    func given(by id: CodeID) -> Int? {
        used[id].map { used in
            used.uses.flatMap { given[$0.card]?.places(of: $0, by: id) ?? [$0] }.reduce(0) { $0 + $1.stamps }
        }
    }

    func knownRedemption(_ id: RedemptionID) -> Redemption? { redemptions[id] }
}

extension Course {
    /// Applies an event.
    ///
    /// - Returns: the change that the event makes to the figures of the card's holder and shop, which may be zero; nil if the event has no
    ///   figures, or its card is unknown.
    mutating func take(_ fact: Fact) -> Tally? {
        clock.note(fact.time)
        replacements.take(fact)
        if let card = fact.event.card { given[card]?.evolve(fact) }
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
            return change(event.card, Tally()) { $0.take(event) }
        case .stampReversed(let event):
            let isFirst = used[event.code]?.code.isReversed == false
            used[event.code]?.code.evolve(fact)
            held[Holding(holder: event.holder, campaign: event.campaign)]?.reverse(event.code, isFirst: isFirst)
            return change(event.card, Tally(stamps: -event.stamps)) { $0.takeBack(event.stamps) }
        case .redemptionRequested(let event):
            request(event.card, fact)
            return nil
        case .cardRedeemed(let event):
            redemptions[event.redemption]?.evolve(fact)
            return change(event.card, Tally(redeemed: 1)) { ($0.status, $0.isRewarded) = (.redeemed, true) }
        case .redemptionReversed(let event):
            redemptions[event.redemption]?.evolve(fact)
            return change(event.card, Tally(redeemed: -1)) { ($0.status, $0.isRewarded) = (.full, false) }
        case .milestoneRequested(let event):
            request(event.card, fact)
            return nil
        case .milestoneRedeemed(let event):
            redemptions[event.redemption]?.evolve(fact)
            return change(event.card, Tally(milestones: 1)) { $0.redeem(milestone: event.milestone) }
        case .milestoneReversed(let event):
            redemptions[event.redemption]?.evolve(fact)
            return change(event.card, Tally(milestones: -1)) { $0.reverse(milestone: event.milestone) }
        default: return nil
        }
    }

    private mutating func open(_ event: CodeIssued, _ fact: Fact) {
        guard let code = Code(opening: fact) else { return }
        codes[event.code] = code
        codesBySecret[event.secret] = event.code
        if codes.count >= codesMax { dropExpired() }
    }

    /// Adds a code to a paper card. The code keeps the worth with which it was issued in this run.
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

    /// Marks a code as used, and records the stamps that it gives. If a code gives stamps to several cards, only its first `CardStamped`
    /// marks it.
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
        if ground.isWaiting(event.holder) { given[event.card] = GivenStamps() }
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

    /// Moves a waiting card to the account that takes it over, to the place that its opening has among the account's cards.
    private mutating func takeOver(_ event: WaitingCardTaken, _ fact: Fact) -> Tally? {
        guard let place = index.place(of: event.card.value) else { return nil }
        let (place32, before) = (Int32(place), cards[place])
        var theirs = held[Holding(holder: before.holder, campaign: event.campaign)] ?? HeldCards()
        if theirs.newest == place32 { theirs.newest = before.previous } else { unlink(place32, after: theirs.newest) }
        if theirs.collecting == place32 { theirs.collecting = -1 }
        if before.status == .full { theirs.full -= 1 }
        held[Holding(holder: before.holder, campaign: event.campaign)] = theirs
        cards[place].take(event)
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
        // A redemption is requested only for a card that is not redeemed. So the card's previous redemption is dropped: it was reversed, or
        // the new request replaces it. A milestone's redemption that was handed out is not dropped, because it can still be reversed.
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
    /// Whether this is a milestone's redemption whose reward was handed out and not reversed.
    fileprivate var isStandingMilestone: Bool { milestone != nil && isRedeemed && !isReversed }
}

extension Course: Past {
    typealias Failure = Never

    /// An account with placeholder values, because decisions only need to know that the account exists; nil if it does not exist.
    func account(_ id: AccountID) -> Account? {
        guard ground.knows(id) else { return nil }
        return Account(id: id, phone: Secret(0), sealedPhone: Sealed([]), registeredAt: Instant(microseconds: 0), version: 0)
    }

    func shop(_ id: ShopID) -> Shop? { ground.shops[id] }

    func campaign(_ id: CampaignID) -> Campaign? {
        guard let recorded = ground.campaigns[id] else { return nil }
        return rules?.changed(recorded) ?? recorded
    }

    func code(_ id: CodeID) -> Code? { codes[id] ?? used[id]?.code }
    func code(secret: Secret) -> Code? { codesBySecret[secret].flatMap { codes[$0] } }
    func wasErased(_ id: AccountID) -> Bool { false }
    func print(_ id: PrintID) -> PaperPrint? { ground.prints[id] }
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

    /// Counts the holder's cards and used codes in the campaign. Called only for a campaign that limits the cards of an account, gives
    /// welcome stamps, or gives coupons.
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

    // Only decisions of commands that are not about cards need the following look-ups. Such commands are not decided again here. `AgeCard`
    // also looks up a notice, but needs it only for a reminder.

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
