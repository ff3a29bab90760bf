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

/// One line of a card's history, as its holder sees it.
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
