/// A card of one account in one campaign (集点卡), with its stamps and its state. An account may have several cards in a campaign.
public struct Card: Hashable, Sendable {
    public let id: CardID
    public let campaign: CampaignID
    /// The campaign's own shop, wherever the card was opened.
    public let shop: ShopID
    /// The account that has the card. It changes once, if an account takes over the card of a waiting person.
    public private(set) var holder: AccountID
    /// The number of stamps that fill the card; 0 for a coupon, which is full from the start.
    public let goal: Int
    public var reward: TypedText
    public var terms: CardTerms
    public var stamps: Int
    public var status: CardStatus
    public let openedAt: Instant
    /// The redemption that was requested last, of the full card or of a milestone; nil if there is none. The codes of all earlier
    /// redemptions are void.
    public var newestRedemption: RedemptionID?
    /// The changes of the card, oldest first. The position of the last entry is the card's version.
    public var history: [CardEntry]

    public init(
        id: CardID,
        campaign: CampaignID,
        shop: ShopID,
        holder: AccountID,
        goal: Int,
        reward: TypedText,
        terms: CardTerms = .none,
        stamps: Int,
        status: CardStatus,
        openedAt: Instant,
        newestRedemption: RedemptionID?,
        history: [CardEntry]
    ) {
        self.id = id
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.goal = goal
        self.reward = reward
        self.terms = terms
        self.stamps = stamps
        self.status = status
        self.openedAt = openedAt
        self.newestRedemption = newestRedemption
        self.history = history
    }
}

/// The state of a card: `collecting` → `full` → `redeemed`; a coupon begins as `full`. The holder may discard a card in any state. Time
/// moves a collecting or full card to `expired`, see ``Card/status(at:)``.
///
/// Corrections lead back to an earlier state. The reversal of a redemption leads to `full`, from `redeemed` or from `discarded` after a
/// redemption. The reversal of stamps, or an operator's adjustment, leads from `full` to `collecting`. An adjustment may also fill a
/// collecting card.
public enum CardStatus: UInt8, Hashable, Sendable, CaseIterable {
    case collecting = 1
    case full = 2
    case redeemed = 3
    case discarded = 4
    case expired = 5

    /// The state of a card that has just been opened. A coupon has nothing to collect and is full at once.
    public init(openedFor goal: Int) { self = goal == 0 ? .full : .collecting }

    /// The state after stamps were added, where `stamps` is the new total.
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
        /// The reward was taken back, so the card is full again.
        case reversed = 6
        /// An operator corrected the number of stamps.
        case adjusted = 7
        /// The shop took stamps back.
        case stampReversed = 8
        /// The holder was reminded that the card's time will soon be over.
        case reminded = 9
        /// The card's time was over.
        case expired = 10
        case milestoneRequested = 11
        case milestoneRedeemed = 12
        /// A milestone's reward was taken back.
        case milestoneReversed = 13
        /// The holder verified the phone number for which the card had waited, or the card got stamps of such a card.
        case taken = 14

        /// Whether the entry is about one of the card's milestones.
        public var isOfMilestone: Bool { self == .milestoneRequested || self == .milestoneRedeemed || self == .milestoneReversed }
    }

    /// Whether the entry records that a code for a reward was requested.
    var isRequest: Bool { kind == .redemptionRequested || kind == .milestoneRequested }

    public let at: Instant
    public let kind: Kind
    /// The stamps that this entry added: 0 if it added none, negative if it took some off.
    public let stamps: Int
    /// The position of the event that caused the entry.
    public let position: UInt64
    /// The milestone that the entry is about, by its number of stamps; nil if it is about none.
    public let milestone: Int?

    public init(at: Instant, kind: Kind, stamps: Int, position: UInt64, milestone: Int? = nil) {
        self.at = at
        self.kind = kind
        self.stamps = stamps
        self.position = position
        self.milestone = milestone
    }
}

extension Card {
    public init?(opening fact: Fact) {
        guard case .cardOpened(let event) = fact.event else { return nil }
        self.init(
            id: event.card, campaign: event.campaign, shop: event.campaignShop, holder: event.holder, goal: event.goal,
            reward: event.reward, terms: event.terms, stamps: 0, status: CardStatus(openedFor: event.goal), openedAt: fact.time,
            newestRedemption: nil,
            history: [CardEntry(at: fact.time, kind: .opened, stamps: 0, position: fact.position)])
    }

    /// Applies one fact. Replays spend most of their time in this function, so it changes the card in place. It copies nothing as long as
    /// nothing else refers to the card's history.
    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .cardStamped(let event) where event.card == id:
            addStamps(event.stamps, at: fact.time, position: fact.position)
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
        case .milestoneRedeemed(let event) where event.card == id:
            record(.milestoneRedeemed, fact, milestone: event.milestone)
        case .milestoneReversed(let event) where event.card == id:
            record(.milestoneReversed, fact, milestone: event.milestone)
        case .cardAdjusted(let event) where event.card == id:
            adjust(by: event.stamps, fact)
        case .stampReversed(let event) where event.card == id:
            takeBack(event.stamps, at: fact.time, position: fact.position)
        case .cardReminded(let event) where event.card == id:
            record(.reminded, fact)
        case .cardExpired(let event) where event.card == id:
            status = .expired
            record(.expired, fact)
        case .waitingCardTaken(let event) where event.card == id:
            let change = event.stamps - stamps
            (holder, stamps, status) = (event.holder, event.stamps, isHeld ? event.status : status)
            history.append(CardEntry(at: fact.time, kind: .taken, stamps: change, position: fact.position))
        default:
            break
        }
    }

    /// Applies a `CardStamped`, of which the caller passes only the stamps, the time and the position.
    public mutating func addStamps(_ added: Int, at time: Instant, position: UInt64) {
        stamps += added
        status = status.stamped(to: stamps, goal: goal)
        history.append(CardEntry(at: time, kind: .stamped, stamps: added, position: position))
    }

    /// Applies a `StampReversed`: a full card collects again, and a discarded or expired card keeps its state.
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
    /// The number of stamps that still fit on the card if its time is not over; 0 if it is full, redeemed, discarded or expired.
    public var room: Int {
        status == .collecting ? max(0, goal - stamps) : 0
    }

    /// Whether the card's reward was handed out and not taken back, even if the card was discarded since.
    public var isRewarded: Bool {
        history.last { $0.kind == .redeemed || $0.kind == .reversed }?.kind == .redeemed
    }

    /// The fewest stamps that the card has had since its newest code for a reward was requested, or since it was opened if none was.
    ///
    /// A code for a reward becomes void when the card falls below the stamps that the reward needs. It stays void even if the card gains
    /// stamps again: the holder was told so, and requests a new code.
    var fewestSinceRequest: Int {
        var (then, fewest) = (stamps, stamps)
        for entry in history.reversed() where entry.stamps != 0 || entry.isRequest {
            if entry.isRequest { break }
            then -= entry.stamps
            fewest = min(fewest, then)
        }
        return fewest
    }

    /// The number of changes of the card by codes that added stamps and by shops that took stamps back. The holder alone cannot raise it.
    var stampEntries: Int {
        history.count { $0.kind == .stamped || $0.kind == .stampReversed }
    }

    /// The position of the card's newest event, for `ETag` and `If-Match`.
    public var version: UInt64 {
        history.last?.position ?? 0
    }
}
