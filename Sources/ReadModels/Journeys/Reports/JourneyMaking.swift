internal import Loyalty

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

    /// What was handed in, added up.
    package func report() -> JourneyReport {
        JourneyReport(
            days: query.period.days, retention: retention.finished(), fill: cards.finishedFill(),
            abandonment: cards.finishedAbandonment(), effect: effect?.finished())
    }
}
