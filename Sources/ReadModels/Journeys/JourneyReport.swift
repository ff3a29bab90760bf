public import Loyalty

/// A report on how customers return to a shop, and how their cards end.
///
/// A **visit** is a quarter of an hour of the clock in which a stamp was added to a customer's cards at the shop. A **first visit** is the
/// earliest ever. Days are those of the requested zone.
public struct JourneyReport: Hashable, Sendable {
    /// Counted from 1970-01-01 in the zone.
    public let days: ClosedRange<Int>
    public let retention: RetentionReport
    public let fill: FillReport
    public let abandonment: AbandonmentReport
    /// Nil if the campaign was not requested or is not the shop's.
    public let effect: CampaignEffect?
}

/// The parameters of a ``JourneyReport``.
public struct JourneyQuery: Sendable {
    /// The reported days, which the caller MUST limit to ``ReadModelLimits/journeyDaysMax``.
    public let period: ReportPeriod
    /// In days since 1970-01-01 in the zone; decides about idle cards and the effect's weeks.
    public let today: Int
    public let idleDays: Int
    public let campaign: CampaignID?
    /// The compared weeks before and after ``campaign``, 1 to ``ReadModelLimits/effectWeeksMax``.
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

    package init(_ query: JourneyQuery, _ times: CampaignTimes?) {
        self.query = query
        retention = RetentionMaking(query.period)
        cards = CardWayMaking(query)
        if let campaign = query.campaign, let times { effect = EffectMaking(query, campaign, times) }
    }

    var quarters: ClosedRange<Quarter>? {
        var days = query.period.days
        if let effect = effect?.days { days = min(days.lowerBound, effect.lowerBound)...max(days.upperBound, effect.upperBound) }
        let quarters = ReportPeriod(days: days, day: query.period.day).quarters
        let isAround = query.period.day(quarters.lowerBound) < days.lowerBound && query.period.day(quarters.upperBound) > days.upperBound
        return isAround ? quarters : nil
    }

    /// Adds a visit. Each first visit and all in ``quarters`` MUST be added, by customer, and for each in the order of time.
    package mutating func add(_ visit: ShopVisit) {
        let day = query.period.day(visit.quarter)
        retention.add(visit, on: day)
        effect?.add(visit, on: day)
    }

    /// Adds a card. Every card of the shop MUST be added.
    package mutating func add(_ card: CardJourney) { cards.add(card) }

    /// The report on the added rows.
    package func report() -> JourneyReport {
        JourneyReport(
            days: query.period.days, retention: retention.finished(), fill: cards.finishedFill(),
            abandonment: cards.finishedAbandonment(), effect: effect?.finished())
    }
}
