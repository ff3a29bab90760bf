public import Loyalty

/// A report on how customers return to a shop, and how their cards end.
///
/// All days are days of the requested zone. A **visit** is a quarter of an hour of the clock (10:00 to 10:15) in which at least one stamp
/// was added to a customer's cards at the shop. A customer's **first visit** is the earliest one ever, even if it is before the period.
/// Each part defines its own numbers.
public struct JourneyReport: Hashable, Sendable {
    /// The days of the period, from the first through the last, counted from 1970-01-01 in the zone.
    public let days: ClosedRange<Int>
    public let retention: RetentionReport
    public let fill: FillReport
    public let abandonment: AbandonmentReport
    /// The campaign's effect; nil if no campaign was requested, or if the shop has no such campaign.
    public let effect: CampaignEffect?
}

/// The parameters of a ``JourneyReport``.
public struct JourneyQuery: Sendable {
    /// The days that the report covers, in a time zone. The caller MUST check that there are at most ``ReadModelLimits/journeyDaysMax``
    /// days.
    public let period: ReportPeriod
    /// The present day, in days since 1970-01-01 in the zone. It determines which cards are idle, and which weeks a campaign's effect
    /// includes.
    public let today: Int
    /// The report calls a collecting card idle if its last stamp, or else its opening, is more than this number of days before ``today``.
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

    /// The range of quarters of an hour in which the report needs every visit, with a margin on both sides. Nil means all quarters. It is
    /// nil if the query's days are not the days of a time zone, so that no bounds can be computed.
    var quarters: ClosedRange<Quarter>? {
        var days = query.period.days
        if let effect = effect?.days { days = min(days.lowerBound, effect.lowerBound)...max(days.upperBound, effect.upperBound) }
        let quarters = ReportPeriod(days: days, day: query.period.day).quarters
        let isAround = query.period.day(quarters.lowerBound) < days.lowerBound && query.period.day(quarters.upperBound) > days.upperBound
        return isAround ? quarters : nil
    }

    /// Adds a visit. Each customer's first visit ever and every visit in ``quarters`` MUST be added; other visits may be added. Visits MUST
    /// be added customer by customer, and the visits of one customer in the order of time.
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
