internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

struct LiveCard {
    let campaign: CampaignID
    var holder: AccountID
    let goal: Int16
    var stamps: Int16 = 0
    var status = CardStatus.collecting
    /// Stays true if the card is discarded later; false after a reversal of the hand-out.
    var isRewarded = false
    var newestRedemption: RedemptionID?
    var redeemUntil = Instant(microseconds: .max)
    var openedAt = Instant(microseconds: 0)
    var expiresAt = Instant(microseconds: .max)
    /// The days before the card's end at which the last reminder was due; 0 before the first one.
    var reminded: UInt8 = 0
    /// Bit `n` is set for a milestone at `n` stamps.
    var milestones: UInt64 = 0
    /// Redeemed and not reversed milestones, in the same bits.
    var redeemedMilestones: UInt64 = 0

    /// Whether the card can still get and lose stamps.
    var isLive: Bool { status == .collecting || status == .full }
}

struct LiveCards {
    /// The places in ``all`` by id.
    var index = RowIndex()
    var all: [LiveCard] = []
    /// The newest card that began to collect, by a hash of holder and campaign.
    var collecting: [Int: Int32] = [:]
    /// By the index of the discarded card. They are few, so none is removed.
    var replacements: [Int: Replacement] = [:]
    /// The taken-over waiting cards, by index.
    var takeovers: [Int: Takeover] = [:]
    /// By the index of the card that lost the stamps. They are few, so none is removed.
    var lendings: [Int: Lending] = [:]

    subscript(place: Int) -> LiveCard {
        get { all[place] }
        set { all[place] = newValue }
    }
}

extension RuleBook {
    mutating func check(_ event: CardOpened, _ fact: Fact) {
        let isCoupon = event.goal == 0
        if isCoupon || !isGiven(to: event.holder) {
            requireOwn(event.holder, fact, "card \(event.card.text) was opened for somebody else")
        }
        requireStranger(event, event.holder)
        requireCounters(event, fact)
        if let campaign = campaign(of: event) {
            require(gives(campaign, fact), "campaign \(event.campaign.text) was not running")
            require(campaign.kind != .promotion, "campaign \(event.campaign.text) has no cards")
            let goal = campaign.terms.goal
            require(goal == event.goal, "card \(event.card.text) has the goal \(event.goal), its campaign \(goal)")
            requireTerms(of: event, campaign.terms.options, fact)
        }
        guard cards.index.place(of: event.card.value) == nil else { return require(false, "card \(event.card.text) was opened before") }
        _ = cards.index.insert(event.card.value)
        var card = LiveCard(campaign: event.campaign, holder: event.holder, goal: Int16(clamping: event.goal))
        card.redeemUntil = event.terms.redeemUntil ?? card.redeemUntil
        (card.openedAt, card.expiresAt) = (fact.time, event.terms.expiresAt ?? card.expiresAt)
        card.milestones = Self.bits(event.terms.milestones)
        if isCoupon { card.status = .full }
        cards.all.append(card)
        if isCoupon {
            // A coupon is claimed from the campaign and not at a branch.
            require(event.home == nil, "coupon \(event.card.text) was claimed at shop \(event.shop.text), not its campaign's")
            return requireOnlyCoupon(event)
        }
        requireOnlyCollecting(cards.all.count - 1, "card \(event.card.text) was opened beside one that collects")
        command.opened = event
    }

    private mutating func requireOnlyCoupon(_ event: CardOpened) {
        requireOnce(
            event.campaign.value &+ event.holder.value &* 3, .coupon,
            "\(event.holder.text) claimed the coupon of campaign \(event.campaign.text) before")
    }

    /// Requires that the next event puts the first stamps on an opened stamp card, at the same shop.
    mutating func checkOpened(before fact: Fact) {
        guard let opened = command.opened else { return }
        command.opened = nil
        guard case .cardStamped(let event) = fact.event, event.card == opened.card else {
            return require(false, "card \(opened.card.text) was opened before this event, and nothing was stamped on it")
        }
        let isSame = event.shop == opened.shop && event.home == opened.home
        require(isSame, "card \(opened.card.text) was opened at shop \(opened.shop.text), and stamped first at another")
    }

    mutating func requireOnlyCollecting(_ place: Int, _ what: @autoclosure () -> String) {
        var hasher = Hasher()
        hasher.combine(cards[place].holder)
        hasher.combine(cards[place].campaign)
        let key = hasher.finalize()
        if let other = cards.collecting[key].map({ Int($0) }), other != place, cards[other].holder == cards[place].holder,
            cards[other].campaign == cards[place].campaign
        {
            require(cards[other].status != .collecting, what())
        }
        cards.collecting[key] = Int32(clamping: place)
    }

    mutating func check(_ event: CardStamped, _ fact: Fact) {
        let lapses = use(event, fact)
        let isGiven = isGiven(to: event.holder)
        require(event.holder == fact.actor || isGiven, "card \(event.card.text) was stamped by somebody else")
        requireStranger(event, event.holder)
        requireCounters(event, fact)
        if let campaign = campaign(of: event) {
            require(gives(campaign, fact), "campaign \(event.campaign.text) was not running")
            requireWithinCaps(event, campaign.terms.caps, fact)
        }
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let card = cards[place]
        require(card.status == .collecting, "card \(event.card.text) was \(card.status), and collects nothing more")
        require(fact.time < card.expiresAt, "card \(event.card.text) was stamped after its end")
        require(event.stamps >= 1 && Int(card.stamps) + event.stamps <= card.goal, "card \(event.card.text) has more stamps than its goal")
        cards[place].stamps = Int16(clamping: Int(card.stamps) + event.stamps)
        let isFull = cards[place].stamps >= card.goal
        require(!lapses || isFull, "stamps of code \(event.code.text) lapsed, and card \(event.card.text) had room for them")
        if card.status == .collecting, isFull {
            cards[place].status = .full
            countFilled(1, event.holder, event.campaign)
        }
    }

    mutating func check(_ event: CardDiscarded, _ fact: Fact) {
        _ = campaign(event.campaign, of: event.shop)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        if event.holder != fact.actor {
            // A shop's people discard an empty card only when a reversal makes a full card collect again. The next event must be that
            // reversal. Their right is checked there, because the card's shop may have left the campaign.
            let isEmpty = status == .collecting && cards[place].stamps == 0
            require(isEmpty, "card \(event.card.text) was discarded by somebody else")
            command.replaced = replacedCard(place, event, fact)
        }
        require(status != .discarded, "card \(event.card.text) was discarded before")
        cards[place].status = .discarded
    }

    mutating func check(_ event: CardAdjusted, _ fact: Fact) {
        requireAccount(fact.actor)
        _ = campaign(event.campaign, of: event.shop)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let card = cards[place]
        require(event.stamps != 0, "card \(event.card.text) was adjusted by nothing")
        require(card.isLive, "card \(event.card.text) was \(card.status), and cannot be adjusted")
        require(fact.time < card.expiresAt, "card \(event.card.text) was adjusted after its end")
        let stamps = Int(card.stamps) + event.stamps
        require((0...Int(card.goal)).contains(stamps), "card \(event.card.text) was adjusted to \(stamps) stamps, its goal is \(card.goal)")
        cards[place].stamps = Int16(clamping: stamps)
        requireMilestonesKept(place, event.card)
        endRedemption(place)
        let (was, now) = (card.stamps >= card.goal, stamps >= card.goal)
        if was != now { countFilled(now ? 1 : -1, event.holder, event.campaign) }
        guard card.isLive else { return }
        cards[place].status = stamps >= card.goal ? .full : .collecting
        guard card.status == .full, stamps < card.goal else { return }
        requireOnlyCollecting(place, "card \(event.card.text) was adjusted to collect beside one that does")
    }

    /// The index of the card that an event names; requires that it exists, and that its campaign and holder match.
    mutating func place(of id: CardID, campaign: CampaignID, holder: AccountID) -> Int? {
        guard let place = cards.index.place(of: id.value) else {
            require(false, "card \(id.text) was never opened")
            return nil
        }
        let card = cards[place]
        require(card.campaign == campaign && card.holder == holder, "card \(id.text) is of another campaign or holder")
        return place
    }
}

struct Saver: Hashable {
    let account: AccountID
    let campaign: CampaignID
}

struct Gain {
    let code: CodeID
    let at: Instant
    var stamps: Int
}

extension RuleBook {
    /// Requires that all stamps of the account stay within the campaign's caps. Stamps from before the caps are not recorded.
    mutating func requireWithinCaps(_ event: CardStamped, _ caps: StampCaps, _ fact: Fact) {
        guard caps != .none else { return }
        let saver = Saver(account: event.holder, campaign: event.campaign)
        let dayAgo = fact.time.advanced(bySeconds: -Limits.stampDaySeconds)
        var lately = gains[saver, default: []].filter { $0.at > dayAgo }
        // Stamps with later times were recorded while the clock was fast, and must not make a customer wait.
        let past = lately.filter { $0.at <= fact.time }
        // A code that fills several cards stamps all of them at one time.
        if let gap = caps.minimumGapSeconds, let last = past.filter({ $0.code != event.code }).map(\.at).max() {
            let isApart = fact.time >= last.advanced(bySeconds: Int64(gap))
            require(
                isApart || command.taking != nil,
                "\(event.holder.text) entered two codes of campaign \(event.campaign.text) within \(gap) seconds")
        }
        lately.append(Gain(code: event.code, at: fact.time, stamps: event.worth))
        let gained = past.reduce(event.worth) { $0 + $1.stamps }
        let most = caps.stampsPerDayMax ?? .max
        // For a paper card, the cap was checked when the card was taken.
        require(
            gained <= most || command.taking != nil,
            "\(event.holder.text) gained \(gained) stamps of campaign \(event.campaign.text) within a day, \(most) at most")
        gains[saver] = lately
    }
}
