/// A card of one account in one campaign (集点卡). An account may have several cards in a campaign.
public struct Card: Hashable, Sendable {
    public let id: CardID
    public let campaign: CampaignID
    /// The campaign's own shop, wherever the card was opened.
    public let shop: ShopID
    /// Changes once, if an account takes over a waiting card.
    public private(set) var holder: AccountID
    /// 0 for a coupon.
    public let goal: Int
    public var reward: TypedText
    public var terms: CardTerms
    public var stamps: Int
    public var status: CardStatus
    public let openedAt: Instant
    /// All earlier redemptions' codes are void.
    public var newestRedemption: RedemptionID?
    /// Oldest first. The position of the last entry is the card's version.
    public var history: [CardEntry]

    public init(
        id: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, goal: Int, reward: TypedText, terms: CardTerms = .none,
        stamps: Int, status: CardStatus, openedAt: Instant, newestRedemption: RedemptionID?, history: [CardEntry]
    ) {
        (self.id, self.campaign, self.shop, self.holder) = (id, campaign, shop, holder)
        (self.goal, self.reward, self.terms, self.stamps) = (goal, reward, terms, stamps)
        (self.status, self.openedAt, self.newestRedemption, self.history) = (status, openedAt, newestRedemption, history)
    }
}

/// The state of a card: `collecting` → `full` → `redeemed`, or `expired`. A coupon begins as `full`; corrections lead back.
public enum CardStatus: UInt8, Hashable, Sendable, CaseIterable {
    case collecting = 1
    case full = 2
    case redeemed = 3
    case discarded = 4
    case expired = 5

    public init(openedFor goal: Int) { self = goal == 0 ? .full : .collecting }

    public func stamped(to stamps: Int, goal: Int) -> CardStatus { self == .collecting && stamps >= goal ? .full : self }
}

/// One line of a card's history.
public struct CardEntry: Hashable, Sendable {
    /// The kind of change.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case opened = 1
        case stamped = 2
        case redemptionRequested = 3
        case redeemed = 4
        case discarded = 5
        case reversed = 6
        case adjusted = 7
        case stampReversed = 8
        case reminded = 9
        case expired = 10
        case milestoneRequested = 11
        case milestoneRedeemed = 12
        case milestoneReversed = 13
        /// An account took over the waiting card, or stamps of a waiting card came to this one.
        case taken = 14

        public var isOfMilestone: Bool { self == .milestoneRequested || self == .milestoneRedeemed || self == .milestoneReversed }
    }

    var isRequest: Bool { kind == .redemptionRequested || kind == .milestoneRequested }

    public let at: Instant
    public let kind: Kind
    /// Negative if the entry took stamps off.
    public let stamps: Int
    public let position: UInt64
    /// The milestone's number of stamps; nil if the entry is about none.
    public let milestone: Int?

    public init(at: Instant, kind: Kind, stamps: Int, position: UInt64, milestone: Int? = nil) {
        (self.at, self.kind, self.stamps, self.position, self.milestone) = (at, kind, stamps, position, milestone)
    }
}

extension Card {
    public init?(opening fact: Fact) {
        guard case .cardOpened(let event) = fact.event else { return nil }
        self.init(
            id: event.card, campaign: event.campaign, shop: event.campaignShop, holder: event.holder, goal: event.goal,
            reward: event.reward, terms: event.terms, stamps: 0, status: CardStatus(openedFor: event.goal), openedAt: fact.time,
            newestRedemption: nil, history: [CardEntry(at: fact.time, kind: .opened, stamps: 0, position: fact.position)])
    }

    /// Replays spend most of their time here, so nothing may copy the history.
    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .cardStamped(let event) where event.card == id: addStamps(event.stamps, at: fact.time, position: fact.position)
        case .redemptionRequested(let event) where event.card == id:
            newestRedemption = event.redemption
            record(.redemptionRequested, fact)
        case .cardRedeemed(let event) where event.card == id:
            status = .redeemed
            record(.redeemed, fact)
        case .cardDiscarded(let event) where event.card == id:
            status = .discarded
            record(.discarded, fact)
        case .redemptionReversed(let event) where event.card == id:
            status = .full
            record(.reversed, fact)
        case .milestoneRequested(let event) where event.card == id:
            newestRedemption = event.redemption
            record(.milestoneRequested, fact, milestone: event.milestone)
        case .milestoneRedeemed(let event) where event.card == id: record(.milestoneRedeemed, fact, milestone: event.milestone)
        case .milestoneReversed(let event) where event.card == id: record(.milestoneReversed, fact, milestone: event.milestone)
        case .cardAdjusted(let event) where event.card == id: adjust(by: event.stamps, fact)
        case .stampReversed(let event) where event.card == id: takeBack(event.stamps, at: fact.time, position: fact.position)
        case .cardReminded(let event) where event.card == id: record(.reminded, fact)
        case .cardExpired(let event) where event.card == id:
            status = .expired
            record(.expired, fact)
        case .waitingCardTaken(let event) where event.card == id:
            let change = event.stamps - stamps
            (holder, stamps, status) = (event.holder, event.stamps, isHeld ? event.status : status)
            history.append(CardEntry(at: fact.time, kind: .taken, stamps: change, position: fact.position))
        default: break
        }
    }

    public mutating func addStamps(_ added: Int, at time: Instant, position: UInt64) {
        stamps += added
        status = status.stamped(to: stamps, goal: goal)
        history.append(CardEntry(at: time, kind: .stamped, stamps: added, position: position))
    }

    /// A full card collects again; a discarded or expired one keeps its state.
    public mutating func takeBack(_ taken: Int, at time: Instant, position: UInt64) {
        stamps -= taken
        if status == .full { status = .collecting }
        history.append(CardEntry(at: time, kind: .stampReversed, stamps: -taken, position: position))
    }

    private mutating func adjust(by change: Int, _ fact: Fact) {
        stamps += change
        status = stamps >= goal ? .full : .collecting
        history.append(CardEntry(at: fact.time, kind: .adjusted, stamps: change, position: fact.position))
    }

    private mutating func record(_ kind: CardEntry.Kind, _ fact: Fact, milestone: Int? = nil) {
        history.append(CardEntry(at: fact.time, kind: kind, stamps: 0, position: fact.position, milestone: milestone))
    }
}

extension Card {
    /// Regardless of time.
    public var room: Int { status == .collecting ? max(0, goal - stamps) : 0 }

    public var isRewarded: Bool { history.last { $0.kind == .redeemed || $0.kind == .reversed }?.kind == .redeemed }

    /// The fewest stamps since the newest request for a code, which stays void once the card fell below its stamps.
    var fewestSinceRequest: Int {
        var (then, fewest) = (stamps, stamps)
        for entry in history.reversed() where entry.stamps != 0 || entry.isRequest {
            if entry.isRequest { break }
            then -= entry.stamps
            fewest = min(fewest, then)
        }
        return fewest
    }

    /// The holder alone cannot raise this number.
    var stampEntries: Int { history.count { $0.kind == .stamped || $0.kind == .stampReversed } }

    public var version: UInt64 { history.last?.position ?? 0 }
}

/// The ageing of a card. Every rule compares the terms with the clock; `CardExpired` spares read models a clock.
extension Card {
    /// The state at `now`, even if the end is not recorded yet.
    public func status(at now: Instant) -> CardStatus { isHeld && terms.isOver(at: now) ? .expired : status }

    public func aged(to now: Instant) -> Card {
        var card = self
        card.status = status(at: now)
        return card
    }

    public var isHeld: Bool { status == .collecting || status == .full }

    /// nil once recorded, and for a redeemed or discarded card.
    func expiry(at now: Instant) -> CardExpired? {
        guard status(at: now) == .expired, status != .expired, let dueAt = terms.expiresAt else { return nil }
        return CardExpired(card: id, campaign: campaign, shop: shop, holder: holder, dueAt: dueAt)
    }

    /// The latest due reminder that was not sent.
    ///
    /// It is recorded even if the card cannot be redeemed now: otherwise its entry in `Deadlines` would stay due, and the writer would
    /// judge it each second.
    ///
    /// - Parameter closing: `nil` while the shop is open.
    func reminder(at now: Instant, closing: ShopClosing? = nil) -> CardReminder? {
        guard isHeld, !terms.isOver(at: now) else { return nil }
        let reminders = terms.redeemed(until: closing?.redeemUntil).reminders(openedAt: openedAt)
        guard let due = reminders.last(where: { $0.dueAt <= now }) else { return nil }
        return history.contains { $0.kind == .reminded && $0.at >= due.dueAt } ? nil : due
    }
}

extension CardTerms {
    public func isOver(at now: Instant) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Earliest first; only those due while the full card can be redeemed.
    public func reminders(openedAt: Instant) -> [CardReminder] {
        guard let expiresAt else { return [] }
        return Limits.reminderDays.map { days in
            CardReminder(daysLeft: days, dueAt: expiresAt.advanced(bySeconds: -Int64(days) * Limits.daySeconds))
        }.filter { $0.dueAt > openedAt && isRedeemable(at: $0.dueAt) }
    }

    /// Unchanged without `closing`.
    func redeemed(until closing: Instant?) -> CardTerms {
        guard let closing else { return self }
        return CardTerms(expiresAt: expiresAt, redeemUntil: min(closing, redeemUntil ?? closing), milestones: milestones)
    }

    func ending(by latest: Instant) -> Instant { min(latest, redeemUntil ?? latest, expiresAt ?? latest) }
}

/// A card's promises besides goal and reward, fixed at its opening.
///
/// A limit of cards and a welcome are no promises of a card. They are the campaign's when a code is entered, see ``CardTally``.
public struct CardTerms: Hashable, Sendable {
    /// Cards from before terms existed have no promises either.
    public static let none = CardTerms(expiresAt: nil, redeemUntil: nil)

    public let expiresAt: Instant?
    public let redeemUntil: Instant?
    public var milestones: [Milestone]

    public init(expiresAt: Instant?, redeemUntil: Instant?, milestones: [Milestone] = []) {
        (self.expiresAt, self.redeemUntil, self.milestones) = (expiresAt, redeemUntil, milestones)
    }

    func isRedeemable(at now: Instant) -> Bool { redeemUntil.map { now < $0 } ?? true }
}

/// The holder's reminder that the card's time will soon be over.
public struct CardReminder: Hashable, Sendable {
    /// One of ``Limits/reminderDays``.
    public let daysLeft: Int
    public let dueAt: Instant
}

/// The cards and codes that one account has had in one campaign.
///
/// A redeemed or discarded card still counts as filled. An account whose only code was reversed gets the welcome stamps again.
public struct CardTally: Hashable, Sendable {
    private struct Progress: Hashable {
        let goal: Int
        var stamps = 0
    }

    private var cards: [CardID: Progress] = [:]
    private var lastUsed: CodeID?
    private var lastReversed: CodeID?
    public private(set) var first: CardID?

    /// Without reversed ones.
    public private(set) var codes = 0
    /// Without coupons.
    public private(set) var filled = 0
    /// Filled cards that ended before redemption.
    public private(set) var expired = 0
    public private(set) var opened = 0

    public init() {}

    /// No events may be applied to this tally, because it lacks the single cards.
    public init(codes: Int, filled: Int, expired: Int, opened: Int, first: CardID?) {
        (self.codes, self.filled, self.expired, self.opened, self.first) = (codes, filled, expired, opened, first)
    }

    public mutating func evolve(_ event: LoyaltyEvent) {
        switch event {
        case .cardOpened(let event):
            cards[event.card] = Progress(goal: event.goal)
            opened += 1
            first = first ?? event.card
        case .cardStamped(let event):
            // The events of one code are consecutive.
            if lastUsed != event.code { codes += 1 }
            lastUsed = event.code
            change(event.card, by: event.stamps)
        case .stampReversed(let event):
            if event.left == 0 {
                if lastReversed != event.code { codes -= 1 }
                lastReversed = event.code
            }
            change(event.card, by: -event.stamps)
        case .cardAdjusted(let event): change(event.card, by: event.stamps)
        case .cardExpired(let event): if let card = cards[event.card], card.stamps >= card.goal { expired += 1 }
        case .waitingCardTaken(let event):
            if cards[event.card] == nil {
                cards[event.card] = Progress(goal: event.goal)
                opened += 1
            }
            codes += event.codes
            change(event.card, by: event.stamps - (cards[event.card]?.stamps ?? 0))
        default: break
        }
    }

    private mutating func change(_ card: CardID, by stamps: Int) {
        guard var known = cards[card] else { return }
        let wasFilled = known.stamps >= known.goal
        known.stamps += stamps
        cards[card] = known
        filled += (known.stamps >= known.goal ? 1 : 0) - (wasFilled ? 1 : 0)
    }
}

/// A customer opened a card, or claimed a coupon. Later edits of the campaign do not change it.
public struct CardOpened: Hashable, Sendable, SharedEvent {
    public let card: CardID
    public let campaign: CampaignID
    /// For a coupon, the campaign's own shop.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let goal: Int
    public let reward: TypedText
    public let terms: CardTerms

    public init(
        card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, goal: Int, reward: TypedText,
        terms: CardTerms = .none
    ) {
        (self.card, self.campaign, self.shop, self.home) = (card, campaign, shop, home)
        (self.holder, self.goal, self.reward, self.terms) = (holder, goal, reward, terms)
    }
}

/// A code added stamps to a card (集点). One stamp that uses up one stamp, the most frequent event, is stored in tags alone.
public struct CardStamped: Hashable, Sendable, SharedEvent {
    public let card: CardID
    public let code: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let stamps: Int
    /// The code's own stamps that this event uses up, 0 to 10, so that a replay needs neither the campaign's terms nor a time zone. A
    /// code's last event uses up its last stamp.
    public let worth: Int

    public init(
        card: CardID, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, stamps: Int,
        worth: Int? = nil
    ) {
        (self.card, self.code, self.campaign, self.shop) = (card, code, campaign, shop)
        (self.home, self.holder, self.stamps) = (home, holder, stamps)
        self.worth = worth ?? stamps
    }
}

extension CardReminded {
    /// The end of the card's time.
    public var expiresAt: Instant { dueAt.advanced(bySeconds: Int64(daysLeft) * Limits.daySeconds) }
}

extension WaitingCardTaken {
    public var status: CardStatus {
        if stamps == 0 { return .discarded }
        return stamps >= goal ? .full : .collecting
    }

    /// The gain that caps count. The stamps may come from several codes, so the card's id takes the place of a code's.
    public func gain(at time: Instant) -> StampGains.Gain { StampGains.Gain(code: CodeID(card.value), at: time, stamps: worth) }
}
