internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The figures of a shop from which ``ShopDigest`` makes its findings. A part is nil if it would need more than
/// ``ReadModelLimits/digestRowsMax`` rows.
public struct DigestFigures: Sendable {
    public var acts: Acts?
    public var cards: Cards?
    /// Unredeemed cards, collecting or full, that end within ``ReadModelLimits/digestEndingDays`` and still get a reward.
    public var ending: Int?
    /// Acts taken back in the reported days, by the member who took them back; a code counts once, however many cards it stamped.
    public var reversals: [AccountID: Int]?

    public init(acts: Acts? = nil, cards: Cards? = nil, ending: Int? = nil, reversals: [AccountID: Int]? = nil) {
        (self.acts, self.cards, self.ending, self.reversals) = (acts, cards, ending, reversals)
    }

    /// The activity of ``ReadModelLimits/digestDays`` whole days and of today.
    public struct Acts: Sendable {
        public var today: ShopReport.Day
        /// Stamps and rewards given, by member, also today.
        public var given: [AccountID: Int]
        /// Visits of the whole days, by day of the week (0 for Monday) and hour in the shop's time; see ``JourneyReport``.
        public var visits: [[Int]]

        public init(today: ShopReport.Day, given: [AccountID: Int] = [:], visits: [[Int]]) {
            (self.today, self.given, self.visits) = (today, given, visits)
        }
    }

    /// The cards of the shop's campaigns.
    public struct Cards: Sendable {
        /// Full cards, without coupons, whose reward was not handed out for ``ReadModelLimits/digestWaitingDays``.
        public var waiting = 0
        /// All full cards, without coupons, whose reward was not handed out.
        public var full = 0
        /// By running campaign, of the cards old enough to be idle.
        public var left: [CampaignID: AbandonmentReport] = [:]

        public init() {}
    }
}

/// The moment of a digest.
public struct DigestTime: Sendable {
    public let now: Instant
    public let zone: ReportZone

    public init(_ now: Instant, in zone: ReportZone) { (self.now, self.zone) = (now, zone) }

    public var today: Int { zone.day(of: now) }

    /// The whole days, and today.
    public var days: ClosedRange<Int> { today - ReadModelLimits.digestDays...today }

    func advanced(byDays days: Int) -> Instant { now.advanced(bySeconds: Int64(days) * 86_400) }
}

private struct DigestRows {
    let max: Int
    private(set) var number = 0

    init(max: Int) { self.max = max }

    mutating func count(_ model: String, of shop: ShopID) throws(ReadModelError) {
        number += 1
        guard number <= max else {
            throw ReadModelError(.tooMuch, model: model, "shop \(shop.text) has more than \(max) rows for its digest")
        }
    }
}

extension Statistics {
    /// Reads each row of the reported days.
    ///
    /// - Throws: ``ReadModelError/Code/tooMuch``.
    public func digest(of shop: ShopID, _ time: DigestTime) throws(ReadModelError) -> DigestFigures.Acts {
        try countedDigest(of: shop, time).acts
    }

    func countedDigest(
        of shop: ShopID, _ time: DigestTime, rowsMax: Int = ReadModelLimits.digestRowsMax
    ) throws(ReadModelError) -> (acts: DigestFigures.Acts, rows: Int) {
        try store.reading { (snapshot) throws(ReadModelError) in
            let (period, today) = (time.zone.period(time.days), time.today)
            var (making, rows, visits) = (ReportMaking(period), ReportRows(max: rowsMax), VisitHours(time))
            try walk(cards, of: shop, period.quarters, &rows, in: snapshot) { (quarter, card, row) throws(ReadModelError) in
                let activity: CardActivity = try store.decoded(row)
                making.add(activity, of: CardID(card), in: quarter)
                if activity.stamps > 0 { visits.add(activity.holder, in: quarter) }
            }
            try walk(staff, of: shop, period.quarters, &rows, in: snapshot) { (quarter, account, row) throws(ReadModelError) in
                making.add(try store.decoded(row) as StaffActivity, by: AccountID(account), in: quarter)
            }
            let report = making.report(firsts: [:])
            let given = report.staff.mapValues(\.given)
            let day = report.days.last ?? ShopReport.Day(day: today)
            return (DigestFigures.Acts(today: day, given: given, visits: visits.counts), rows.number)
        }
    }
}

/// Counts visits of the whole days by hours of the week. Quarters MUST ascend.
private struct VisitHours {
    private let time: DigestTime
    private let days: Range<Int>
    private var quarter: Quarter?
    private var seen: Set<AccountID> = []
    private var place: (day: Int, hour: Int)?
    private(set) var counts = Array(repeating: Array(repeating: 0, count: 24), count: 7)

    init(_ time: DigestTime) {
        self.time = time
        days = time.days.lowerBound..<time.today
    }

    mutating func add(_ holder: AccountID, in quarter: Quarter) {
        if self.quarter != quarter { begin(quarter) }
        guard let place, seen.insert(holder).inserted else { return }
        counts[place.day][place.hour] += 1
    }

    private mutating func begin(_ quarter: Quarter) {
        self.quarter = quarter
        seen.removeAll(keepingCapacity: true)
        let local = LocalTime(of: quarter.start, secondsAhead: time.zone.secondsAhead(at: quarter.start))
        place = days.contains(time.zone.day(of: quarter.start)) ? (local.day, local.minute / 60) : nil
    }
}

extension Journeys {
    /// Reads each card of the shop, and asks for the holder of each full one.
    ///
    /// - Parameters:
    ///   - campaigns: those that still hand out rewards; true for those that run.
    ///   - isHeld: whether a holder of a full card still exists, because this model keeps the cards of erased accounts.
    /// - Throws: ``ReadModelError/Code/tooMuch``.
    public func digest(
        of shop: ShopID, _ time: DigestTime, campaigns: [CampaignID: Bool], isHeld: (AccountID) throws(ReadModelError) -> Bool
    ) throws(ReadModelError) -> DigestFigures.Cards {
        try countedDigest(of: shop, time, campaigns: campaigns, isHeld: isHeld).cards
    }

    func countedDigest(
        of shop: ShopID, _ time: DigestTime, campaigns: [CampaignID: Bool], rowsMax: Int = ReadModelLimits.digestRowsMax,
        isHeld: (AccountID) throws(ReadModelError) -> Bool
    ) throws(ReadModelError) -> (cards: DigestFigures.Cards, rows: Int) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var (making, rows) = (DigestCards(time, campaigns), DigestRows(max: rowsMax))
            try store.walk(cards, of: shop.value, from: RowKey(shop.value), keyBytes: 32, in: snapshot) { (_, row) throws(ReadModelError) in
                try rows.count(Self.name, of: shop)
                let card = try store.decoded(row) as CardJourney
                var isWaiting = making.isWaiting(card)
                if isWaiting { isWaiting = try isHeld(card.holder) }
                making.add(card, isWaiting: isWaiting)
                return .next
            }
            return (making.finished, rows.number)
        }
    }
}

/// Counts cards for a digest. Every card of the shop MUST be added.
package struct DigestCards {
    private let query: JourneyQuery
    private let waitingSince: ClosedRange<Instant>
    private let campaigns: [CampaignID: Bool]
    private var cards = DigestFigures.Cards()
    private var left: [CampaignID: CardWayMaking] = [:]

    package init(_ time: DigestTime, _ campaigns: [CampaignID: Bool]) {
        let last = time.today - ReadModelLimits.idleDaysDefault - 1
        let days = (last - ReadModelLimits.digestLeftDays + 1)...last
        query = JourneyQuery(period: time.zone.period(days), today: time.today)
        waitingSince =
            time.advanced(byDays: -ReadModelLimits.digestWaitingDaysMax)...time.advanced(byDays: -ReadModelLimits.digestWaitingDays)
        self.campaigns = campaigns
    }

    package func isWaiting(_ card: CardJourney) -> Bool {
        guard card.goal > 0, campaigns[card.campaign] != nil else { return false }
        return card.filledAt != nil && card.redeemedAt == nil && card.discardedAt == nil
    }

    package mutating func add(_ card: CardJourney, isWaiting: Bool) {
        guard card.goal > 0, let isRunning = campaigns[card.campaign] else { return }
        if isRunning { left[card.campaign, default: CardWayMaking(query)].add(card) }
        guard isWaiting, let filled = card.filledAt else { return }
        cards.full += 1
        if waitingSince.contains(filled) { cards.waiting += 1 }
    }

    package var finished: DigestFigures.Cards {
        var cards = cards
        cards.left = left.mapValues { $0.finishedAbandonment() }
        return cards
    }
}

extension Deadlines {
    /// The shop's unredeemed cards that end soon. Reads two rows for each of its cards with an end.
    ///
    /// - Throws: ``ReadModelError/Code/tooMuch``.
    public func ending(of shop: ShopID, _ time: DigestTime) throws(ReadModelError) -> Int { try countedEnding(of: shop, time).cards }

    func countedEnding(
        of shop: ShopID, _ time: DigestTime, rowsMax: Int = ReadModelLimits.digestRowsMax
    ) throws(ReadModelError) -> (cards: Int, rows: Int) {
        let last = time.advanced(byDays: ReadModelLimits.digestEndingDays)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var (found, rows) = (0, DigestRows(max: rowsMax))
            try store.walk(shops, of: shop.value, from: RowKey(shop.value), keyBytes: 24, in: snapshot) {
                (_, row) throws(ReadModelError) in
                try rows.count(Self.name, of: shop)
                try rows.count(Self.name, of: shop)
                let id = try store.id(row, "a card with an end")
                guard let card: CardDeadline = try store.row(cards, RowKey(id), in: snapshot) else {
                    throw store.damaged("the row of card \(CardID(id).text) is missing")
                }
                // A holder whose reward is over needs no reminder.
                let hasReward = card.redeemUntil.map { $0 > time.now } ?? true
                if card.isHeld, hasReward, card.expiresAt > time.now, card.expiresAt <= last { found += 1 }
                return .next
            }
            return (found, rows.number)
        }
    }
}
