public import Loyalty

/// How customers come back to a shop and what becomes of their cards.
///
/// All days are days of the zone that was asked for. A **visit** is a quarter of an hour (of the clock: 10:00 to 10:15) in which at
/// least one stamp was added to a customer's cards at the shop; a customer's **first visit** is the earliest one ever, whether it
/// lies in the period or not. The parts say what their figures mean.
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
    /// Today, or the day as of which cards are called idle and weeks are over; days since 1970-01-01 in the zone.
    public let today: Int
    /// A card that collects and got its last stamp more than so many days before ``today`` is abandoned.
    public let idleDays: Int
    /// The campaign whose effect is asked for.
    public let campaign: CampaignID?
    /// Weeks before its start and after its end that are looked at, 1 to ``ReadModelLimits/effectWeeksMax``.
    public let weeks: Int

    public init(
        period: ReportPeriod, today: Int, idleDays: Int = ReadModelLimits.idleDaysDefault, campaign: CampaignID? = nil,
        weeks: Int = ReadModelLimits.effectWeeksDefault
    ) {
        (self.period, self.today, self.idleDays) = (period, today, idleDays)
        (self.campaign, self.weeks) = (campaign, min(max(1, weeks), ReadModelLimits.effectWeeksMax))
    }
}

/// Adds a shop's rows up to a report. Whoever has them hands them in, a stored model or a replay of the log.
package struct JourneyMaking {
    private let query: JourneyQuery
    private var retention: RetentionMaking
    private var effect: EffectMaking?
    private var cards: CardWayMaking

    /// - Parameter times: of the campaign that is asked for; nil where none is, or where the shop has no such campaign.
    package init(_ query: JourneyQuery, _ times: CampaignTimes?) {
        self.query = query
        retention = RetentionMaking(query.period)
        cards = CardWayMaking(query)
        if let campaign = query.campaign, let times { effect = EffectMaking(query, campaign, times) }
    }

    /// The quarters of which every visit is needed, and some more; nil for all, where the query's days are no days of a zone.
    var quarters: ClosedRange<Quarter>? {
        var days = query.period.days
        if let effect = effect?.days { days = min(days.lowerBound, effect.lowerBound)...max(days.upperBound, effect.upperBound) }
        let quarters = ReportPeriod(days: days, day: query.period.day).quarters
        let isAround = query.period.day(quarters.lowerBound) < days.lowerBound && query.period.day(quarters.upperBound) > days.upperBound
        return isAround ? quarters : nil
    }

    /// Each customer's first visit ever and every visit in ``quarters`` MUST come, customer by customer, and each customer's in the order
    /// of time; others may.
    package mutating func add(_ visit: ShopVisit) {
        let day = query.period.day(visit.quarter)
        retention.add(visit, on: day)
        effect?.add(visit, on: day)
    }

    /// Every card of the shop MUST come, in any order.
    package mutating func add(_ card: CardJourney) {
        cards.add(card)
    }

    /// The report on everything that was handed in.
    package func report() -> JourneyReport {
        JourneyReport(
            days: query.period.days, retention: retention.finished(), fill: cards.finishedFill(),
            abandonment: cards.finishedAbandonment(), effect: effect?.finished())
    }
}
