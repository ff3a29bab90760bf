/// Enter a stamp code: the actor's card gains the code's stamps.
public struct Stamp: Hashable, Sendable {
    public let secret: Secret
    /// nil for any campaign.
    public let campaign: CampaignID?
    /// Each further new card has the next number as its id.
    public let firstCard: CardID

    public init(secret: Secret, campaign: CampaignID?, firstCard: CardID) {
        (self.secret, self.campaign, self.firstCard) = (secret, campaign, firstCard)
    }
}

/// The facts that entering a stamp code needs.
public struct StampSituation: Hashable, Sendable {
    public private(set) var code: Code?
    public let campaign: Campaign?
    public let shop: Shop?
    /// nil if ``shop`` is the only one.
    public var shops: CampaignShops?
    public private(set) var card: Card?
    /// Empty for a campaign without caps.
    public var gains = StampGains()
    public var isNewCardTaken = false
    /// If ``card`` has expired, all stamps need new cards.
    var isNewCardTakenAfterEnd = false
    /// Loaded only if a term depends on it.
    public var tally = CardTally()
    /// The factor of the bonus hours at the time of issue.
    public var factor = 1
}

extension StampSituation {
    func with(_ code: Code) -> StampSituation {
        var situation = self
        situation.code = code
        return situation
    }

    /// `worth` is not checked yet.
    func newCardCount(for worth: Int) -> Int {
        guard let campaign, campaign.goal > 0 else { return 0 }
        let beyond = max(0, given(for: min(max(worth, 0), Limits.codeStamps.upperBound)) - (card?.room ?? 0))
        return min((beyond + campaign.goal - 1) / campaign.goal, newCardsMax)
    }

    fileprivate var withoutCard: StampSituation {
        var situation = self
        (situation.card, situation.isNewCardTaken) = (nil, isNewCardTakenAfterEnd)
        return situation
    }

    mutating func endCard(at now: Instant) -> [LoyaltyEvent] {
        guard let expired = card?.expiry(at: now) else { return [] }
        self = withoutCard
        return [.cardExpired(expired)]
    }

    /// Bonus hours do not multiply the welcome stamps.
    func given(for worth: Int) -> Int { worth * factor + (tally.codes == 0 ? campaign?.options.welcomeStamps ?? 0 : 0) }

    /// In the issuing shop's local time.
    ///
    /// - Parameter issuer: ``shop`` if nil.
    func factor<P: Past>(at issuedAt: Instant, of issuer: Shop? = nil, in past: inout P) throws(P.Failure) -> Int {
        guard let options = campaign?.options, options.needsLocalTime, let zone = (issuer ?? shop)?.schedule.timeZone else { return 1 }
        let time = LocalTime(of: issuedAt, secondsAhead: try past.secondsAhead(in: zone, at: issuedAt))
        return options.bonuses.factor(at: time)
    }

    var newCardsMax: Int {
        guard let repeats = campaign?.options.repeats else { return .max }
        return max(0, repeats - tally.filled - ((card?.room ?? 0) > 0 ? 1 : 0))
    }
}

extension Stamp {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> StampSituation {
        guard let code = try past.code(secret: secret) else {
            return StampSituation(code: nil, campaign: nil, shop: nil, card: nil)
        }
        var situation = StampSituation(
            code: code, campaign: try past.campaign(code.campaign), shop: try past.shop(code.shop),
            card: try past.collectingCard(of: actor, in: code.campaign))
        if let campaign = situation.campaign, campaign.shop != code.shop || !campaign.options.shops.isEmpty {
            situation.shops = try .load(of: campaign, knowing: situation.shop, in: &past)
        }
        try load(&situation, stamps: code.stamps, issuedAt: code.issuedAt, of: actor, in: &past)
        return situation
    }

    /// - Parameter issuedAt: nil leaves ``StampSituation/factor`` as it is.
    func load<P: Past>(
        _ situation: inout StampSituation, stamps: Int, issuedAt: Instant?, of holder: AccountID, in past: inout P
    ) throws(P.Failure) {
        if let campaign = situation.campaign, campaign.caps != .none { situation.gains = try past.gains(of: holder, in: campaign.id) }
        if let campaign = situation.campaign, campaign.options.needsTally { situation.tally = try past.tally(of: holder, in: campaign.id) }
        if let issuedAt { situation.factor = try situation.factor(at: issuedAt, in: &past) }
        for number in 0..<situation.newCardCount(for: stamps) where try past.card(newCard(number)) != nil {
            situation.isNewCardTaken = true
        }
        guard situation.card?.terms.expiresAt != nil else { return }
        // Only the decision has the clock, so the case of an expired collecting card is loaded as well.
        for number in 0..<situation.withoutCard.newCardCount(for: stamps) where try past.card(newCard(number)) != nil {
            situation.isNewCardTakenAfterEnd = true
        }
    }

    /// The addition must not trap, because any number is a valid id.
    func newCard(_ number: Int) -> CardID { CardID(firstCard.value &+ UInt128(number)) }
}

extension Stamp: Decision {
    /// All faults of the code are checked first and get one refusal, so that guessing reveals nothing. An expired collecting card's end is
    /// recorded first, so that the account has only one.
    public func decide(_ situation: StampSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        try decide(situation, for: actor, at: now)
    }

    /// The refusals, in this order. The holder need not be a registered account.
    ///
    /// 1. `.codeNotValid`: there is no such code or its shop is gone; it is used, on a paper card, destroyed or expired; the issuing shop
    ///    or the campaign's own has closed, or the issuer has left since; it is of another campaign than ``campaign``; or its campaign is
    ///    gone or has no cards to fill. The newest of several codes with one secret counts.
    /// 2. `.ownCampaign`: the holder owns or works for the issuing shop, or one of the campaign's shops of the same owner.
    /// 3. `.suspended`: the issuing shop or the campaign's own is suspended.
    /// 4. `.campaignNotRunning`: the campaign has not begun, is over, or was ended.
    /// 5. `.cardLimitReached`: the collecting card has no room, and the holder may fill no further card.
    /// 6. `.stampedTooOften`: the campaign's daily cap or minimum gap.
    /// 7. `.notFound`: a new card's id is taken.
    ///
    /// Before them, a typed code's actor that is unknown or erased is `.notFound`. After them, ``Command/decide(in:by:at:)`` refuses a
    /// suspended actor with `.accountSuspended`, and a shop whose owner is unknown or erased with `.shopClosed`. `StampRoutes.stamp` lists
    /// the refusals of a request before its decision.
    func decide(_ situation: StampSituation, for holder: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        if situation.card?.expiry(at: now) != nil {
            var later = situation
            return later.endCard(at: now) + (try decide(later, for: holder, at: now))
        }
        guard let code = situation.code, let shop = situation.shop,
            code.status(at: now, of: shop, home: situation.shops?.home) == .open, campaign == nil || campaign == code.campaign,
            let running = situation.campaign, running.goal > 0
        else { throw .codeNotValid }
        guard !shop.employs(holder), situation.shops?.employs(holder) != true else { throw .ownCampaign }
        guard !shop.isSuspended, situation.shops?.home.isSuspended != true else { throw .suspended }
        guard running.isRunning(at: now) else { throw .campaignNotRunning }
        guard (situation.card?.room ?? 0) > 0 || situation.newCardsMax > 0 else { throw .cardLimitReached }
        if let seconds = running.caps.waitSeconds(for: code.stamps, after: situation.gains, at: now) {
            throw .stampedTooOften(retryAfterSeconds: seconds)
        }
        guard !situation.isNewCardTaken else { throw .notFound }
        return fill(situation, from: code, of: running, for: holder, at: now)
    }

    private struct Filling {
        let card: CardID
        let isNew: Bool
        let stamps: Int
    }

    /// Stamps beyond the last card that the account may fill are lost.
    func fill(
        _ situation: StampSituation, from code: Code, of campaign: Campaign, for holder: AccountID, at now: Instant
    ) -> [LoyaltyEvent] {
        let fillings = fillings(situation, from: code, of: campaign)
        let opening = CardOpened(
            card: firstCard, campaign: campaign.id, shop: code.shop, home: campaign.home(besides: code.shop), holder: holder,
            goal: campaign.goal, reward: campaign.reward, terms: campaign.options.cardTerms(at: now))
        return zip(fillings, worths(of: fillings, code.stamps)).flatMap { filling, worth -> [LoyaltyEvent] in
            let stamped = CardStamped(
                card: filling.card, code: code.id, campaign: code.campaign, shop: code.shop, home: opening.home, holder: holder,
                stamps: filling.stamps, worth: worth)
            return (filling.isNew ? [.cardOpened(opening.of(filling.card))] : []) + [.cardStamped(stamped)]
        }
    }

    private func fillings(_ situation: StampSituation, from code: Code, of campaign: Campaign) -> [Filling] {
        var fillings: [Filling] = []
        var left = situation.given(for: code.stamps)
        if let card = situation.card, card.room > 0 {
            fillings.append(Filling(card: card.id, isNew: false, stamps: min(left, card.room)))
            left -= min(left, card.room)
        }
        var opened = 0
        while left > 0, opened < situation.newCardsMax {
            fillings.append(Filling(card: newCard(opened), isNew: true, stamps: min(left, campaign.goal)))
            left -= min(left, campaign.goal)
            opened += 1
        }
        return fillings
    }

    /// Only the last event completes the worth, so that a replay recognises it.
    private func worths(of fillings: [Filling], _ worth: Int) -> [Int] {
        var (worths, left) = ([Int](), worth)
        for filling in fillings.reversed() {
            worths.append(min(left, filling.stamps))
            left -= worths[worths.count - 1]
        }
        // Includes the worth of lost stamps.
        if !worths.isEmpty { worths[0] += left }
        return worths.reversed()
    }
}

extension CardOpened {
    fileprivate func of(_ card: CardID) -> CardOpened {
        CardOpened(card: card, campaign: campaign, shop: shop, home: home, holder: holder, goal: goal, reward: reward, terms: terms)
    }
}

/// A one-time stamp code (集点码).
public struct Code: Hashable, Sendable {
    public let id: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    public var home: ShopID?
    public let secret: Secret
    public let attempt: Int
    public var stamps: Int
    public var expiresAt: Instant
    public let issuer: AccountID
    public let issuedAt: Instant
    /// `.max` while the issuing event is being decided, 0 for a code from a paper card.
    public private(set) var position: UInt64 = 0
    public var isUsed: Bool
    public var isDestroyed: Bool
    /// No stamps are left.
    public private(set) var isReversed = false
    /// Stamps on cards that can still be taken back; nil before the first reversal, which may take all.
    public private(set) var stampsLeft: Int?
    public var paper: PaperName?

    public init(
        id: CodeID, campaign: CampaignID, shop: ShopID, secret: Secret, attempt: Int, stamps: Int, expiresAt: Instant, issuer: AccountID,
        issuedAt: Instant, isUsed: Bool, isDestroyed: Bool
    ) {
        (self.id, self.campaign, self.shop, self.secret) = (id, campaign, shop, secret)
        (self.attempt, self.stamps, self.expiresAt, self.issuer) = (attempt, stamps, expiresAt, issuer)
        (self.issuedAt, self.isUsed, self.isDestroyed) = (issuedAt, isUsed, isDestroyed)
    }
}

/// The state of a stamp code, as the shop that issued it sees it, by its name in the API.
public enum CodeStatus: String, Hashable, Sendable, CaseIterable { case open, used, destroyed, expired }

extension Code {
    /// An open code counts as destroyed if its issuer has left the shop since, or if this shop or the campaign's own shop has closed.
    ///
    /// - Parameter home: the campaign's own shop, if that is another.
    public func status(at now: Instant, of shop: Shop, home: Shop?) -> CodeStatus {
        let own = status(at: now)
        let isClosed = shop.closing != nil || home?.closing != nil
        return own == .open && (isClosed || hasLostIssuer(shop)) ? .destroyed : own
    }

    /// The order in the log decides, because the clock may have been set back.
    private func hasLostIssuer(_ shop: Shop) -> Bool { shop.employmentEnds[issuer].map { $0 > position } ?? false }

    /// - Parameter usedAt: nil for a code that waits on a paper card.
    public func reversibleUntil(usedAt: Instant?) -> Instant? {
        guard let begin = paper == nil ? usedAt : min(issuedAt, usedAt ?? issuedAt) else { return nil }
        return begin.advanced(bySeconds: Limits.reversalSeconds)
    }

    /// Without regard to shops and staff. A code on a paper card counts as used: nobody can type or withdraw it, and it does not expire.
    public func status(at now: Instant) -> CodeStatus {
        if isUsed || paper != nil { return .used }
        if isDestroyed { return .destroyed }
        return Validity.holds(at: now, from: issuedAt, until: expiresAt) ? .open : .expired
    }
}

extension Code {
    public init?(opening fact: Fact) {
        guard case .codeIssued(let event) = fact.event else { return nil }
        self.init(
            id: event.code, campaign: event.campaign, shop: event.shop, secret: event.secret, attempt: event.attempt, stamps: event.stamps,
            expiresAt: event.expiresAt, issuer: fact.actor, issuedAt: fact.time, isUsed: false, isDestroyed: false)
        home = event.home
        position = fact.position
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        // One for each card that the code fills.
        case .cardStamped(let event) where event.code == id: isUsed = true
        case .stampReversed(let event) where event.code == id: (isReversed, stampsLeft) = (event.left == 0, event.left)
        case .paperStamped(let event) where event.code == id: paper = event.paper
        case .paperStampReversed(let event) where event.code == id: isReversed = true
        case .codeDestroyed(let event) where event.code == id: isDestroyed = true
        default: break
        }
    }
}

/// Decides when a code or an offer is valid, and for how long a step can be taken back.
///
/// A thing in the future was made by a fast clock, and is invalid until ``Limits/clockLeadSeconds`` before its start. So it is valid for at
/// most a minute too long after a restart, or a ninth too long while the service runs (see `ForwardClock`).
enum Validity {
    /// A `begin` slightly in the future is valid, so that a small correction of the clock has no effect.
    static func holds(at now: Instant, from begin: Instant, until end: Instant) -> Bool {
        begin <= now.advanced(bySeconds: Limits.clockLeadSeconds) && now < end
    }
}

/// Limits on how fast one account gains stamps in one campaign, over all its cards.
public struct StampCaps: Hashable, Sendable {
    public static let none = StampCaps(stampsPerDayMax: nil, minimumGapSeconds: nil)

    /// Within any 24 hours.
    public let stampsPerDayMax: Int?
    /// Between two codes of one account.
    public let minimumGapSeconds: Int?

    public init(stampsPerDayMax: Int?, minimumGapSeconds: Int?) {
        (self.stampsPerDayMax, self.minimumGapSeconds) = (stampsPerDayMax, minimumGapSeconds)
    }
}

extension StampCaps {
    var countedSeconds: Int64 { max(stampsPerDayMax == nil ? 0 : Limits.stampDaySeconds, Int64(minimumGapSeconds ?? 0)) }

    /// The wait in seconds; nil for none. Gains later than `now` come from a fast clock and are ignored.
    func waitSeconds(for added: Int, after gains: StampGains, at now: Instant) -> Int64? {
        let past = gains.newest.filter { $0.at <= now }
        let moments = [gapEnd(after: past), room(for: added, after: past, at: now)].compactMap(\.self)
        guard let until = moments.max(), now < until else { return nil }
        return (until.microseconds - now.microseconds + 999_999) / 1_000_000
    }

    private func gapEnd(after gains: [StampGains.Gain]) -> Instant? {
        guard let minimumGapSeconds, let last = gains.map(\.at).max() else { return nil }
        return last.advanced(bySeconds: Int64(minimumGapSeconds))
    }

    /// The moment at which the stamps fit the daily cap; nil if they fit now. If `added` alone exceeds the cap, it is a day from now, when
    /// the code has expired.
    private func room(for added: Int, after gains: [StampGains.Gain], at now: Instant) -> Instant? {
        guard let stampsPerDayMax else { return nil }
        guard added <= stampsPerDayMax else { return now.advanced(bySeconds: Limits.stampDaySeconds) }
        let dayAgo = now.advanced(bySeconds: -Limits.stampDaySeconds)
        let recent = gains.filter { $0.at > dayAgo }.sorted { $0.at < $1.at }
        var gained = recent.reduce(0) { $0 + $1.stamps }
        var until: Instant?
        for gain in recent where gained + added > stampsPerDayMax {
            gained -= gain.stamps
            until = gain.at.advanced(bySeconds: Limits.stampDaySeconds)
        }
        return until
    }
}

/// The newest ``Limits/stampGains`` gains of one account in one campaign, which suffice for the caps.
///
/// Position decides, not time, because the clock may have been set back. So a restarted writer decides as before.
public struct StampGains: Hashable, Sendable {
    /// Stamps of one code on one card, without extra stamps, which no cap limits.
    public struct Gain: Hashable, Sendable {
        public let code: CodeID
        public let at: Instant
        public let stamps: Int

        public init(code: CodeID, at: Instant, stamps: Int) { (self.code, self.at, self.stamps) = (code, at, stamps) }
    }

    /// Oldest first.
    public private(set) var newest: [Gain] = []

    public init() {}

    /// - Parameter gains: oldest first, without those that were taken back.
    public init(_ gains: some Sequence<Gain>) { for gain in gains { add(gain) } }

    /// A gain of 0, if extra stamps alone filled the card, must not displace one that counts.
    public mutating func add(_ gain: Gain) {
        guard gain.stamps > 0 else { return }
        if newest.count == Limits.stampGains { newest.removeFirst() }
        newest.append(gain)
    }

    /// - Parameter left: the code's stamps that were not taken back.
    public mutating func limit(_ code: CodeID, to left: Int) { newest.limit(code, to: left) }
}

extension [StampGains.Gain] {
    /// Keeps the newest stamps of the code. What one reversal leaves does not depend on the number of its events.
    public mutating func limit(_ code: CodeID, to left: Int) {
        var left = left
        for place in indices.reversed() where self[place].code == code {
            let stamps = Swift.min(left, self[place].stamps)
            left -= stamps
            self[place] = StampGains.Gain(code: code, at: self[place].at, stamps: stamps)
        }
        removeAll { $0.code == code && $0.stamps == 0 }
    }
}
