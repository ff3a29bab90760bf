public import Loyalty

/// A report on how customers return to a shop, and how their cards end.
///
/// All days are days of the requested zone. A **visit** is a quarter of an hour of the clock (10:00 to 10:15) in which at least one stamp
/// was added to a customer's cards at the shop. A customer's **first visit** is the earliest one ever, even if it is before the period.
/// Each part defines its own numbers.
public struct JourneyReport: Hashable, Sendable {
    /// Days since 1970-01-01 in the zone, both included.
    public let days: ClosedRange<Int>
    public let retention: RetentionReport
    public let fill: FillReport
    public let abandonment: AbandonmentReport
    /// The campaign's effect; nil if no campaign was requested.
    public let effect: CampaignEffect?
}

/// The parameters of a ``JourneyReport``.
public struct JourneyQuery: Sendable {
    /// The days, in a time zone. The caller MUST check that there are at most ``ReadModelLimits/journeyDaysMax``.
    public let period: ReportPeriod
    /// The day for which the report says which cards are idle and which weeks are over, in days since 1970-01-01 in the zone.
    public let today: Int
    /// Days without a stamp before ``today`` after which the report calls a collecting card idle.
    public let idleDays: Int
    /// The campaign whose effect is reported; nil for none.
    public let campaign: CampaignID?
    /// The number of weeks before the start of ``campaign`` and after its end that are compared, 1 to ``ReadModelLimits/effectWeeksMax``.
    public let weeks: Int

    public init(
        period: ReportPeriod, today: Int, idleDays: Int = ReadModelLimits.idleDaysDefault, campaign: CampaignID? = nil,
        weeks: Int = ReadModelLimits.effectWeeksDefault
    ) {
        (self.period, self.today, self.idleDays) = (period, today, idleDays)
        (self.campaign, self.weeks) = (campaign, min(max(1, weeks), ReadModelLimits.effectWeeksMax))
    }
}

/// Makes a report from a shop's rows, which come from a stored model or from a replay of the log.
package struct JourneyMaking {
    private let query: JourneyQuery
    private var retention: RetentionMaking
    private var effect: EffectMaking?
    private var cards: CardWayMaking

    /// - Parameter times: the times of the requested campaign; nil if none is requested, or the shop has no such campaign.
    package init(_ query: JourneyQuery, _ times: CampaignTimes?) {
        self.query = query
        retention = RetentionMaking(query.period)
        cards = CardWayMaking(query)
        if let campaign = query.campaign, let times { effect = EffectMaking(query, campaign, times) }
    }

    /// The quarters of an hour in which every visit is needed, and some more on both sides. Nil stands for all quarters: then the query's
    /// days are not those of a time zone, and no bounds can be computed.
    var quarters: ClosedRange<Quarter>? {
        var days = query.period.days
        if let effect = effect?.days { days = min(days.lowerBound, effect.lowerBound)...max(days.upperBound, effect.upperBound) }
        let quarters = ReportPeriod(days: days, day: query.period.day).quarters
        let isAround = query.period.day(quarters.lowerBound) < days.lowerBound && query.period.day(quarters.upperBound) > days.upperBound
        return isAround ? quarters : nil
    }

    /// Adds a visit. MUST be called for each customer's first visit ever and for every visit in ``quarters``, customer by customer, and in
    /// the order of time for each. May be called for other visits.
    package mutating func add(_ visit: ShopVisit) {
        let day = query.period.day(visit.quarter)
        retention.add(visit, on: day)
        effect?.add(visit, on: day)
    }

    /// Adds a card. Every card of the shop MUST be added, in any order.
    package mutating func add(_ card: CardJourney) {
        cards.add(card)
    }

    /// The report on the added rows.
    package func report() -> JourneyReport {
        JourneyReport(
            days: query.period.days, retention: retention.finished(), fill: cards.finishedFill(),
            abandonment: cards.finishedAbandonment(), effect: effect?.finished())
    }
}
