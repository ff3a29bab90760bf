import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels

/// The route of reports on how customers return and how their cards end.
struct AnalyticsRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/v1/shops/{id}/analytics", analytics)] }

    private func analytics(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let named = try StatisticsRoutes.namedZone(request)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Journeys.name)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        let zone = named ?? shop.reportZone
        let today = zone.day(of: resources.now)
        let days = try StatisticsRoutes.days(
            request, today: today, usual: Limits.analyticsDaysDefault, most: Limits.analyticsDaysMax)
        let query = try Self.query(request, zone, days, today: today)
        await resources.service.catchUp(Journeys.name)
        let shown = resources.service.models.position(of: Journeys.name)
        let slot = try resources.slots.shopReports.take()
        defer { slot.giveBack() }
        let journeys = resources.service.models.journeys
        let report = try await resources.reports.make { () throws(ReadModelError) in try journeys.report(of: id, query) }
        // Another shop's campaign counts as missing.
        guard (report.effect == nil) == (query.campaign == nil) else { throw Problem(.notFound) }
        return Response.ok(AnalyticsAnswer(shop: id, zone: zone.name, report: report)).showing(shown)
    }

    private static func query(
        _ request: Request, _ zone: ReportZone, _ days: ClosedRange<Int>, today: Int
    ) throws(Problem) -> JourneyQuery {
        let campaign = try request.campaign()
        let idleDays = try request.number("idleDays", in: 1...Limits.analyticsDaysMax) ?? ReadModelLimits.idleDaysDefault
        let weeks = try request.number("weeks", in: 1...ReadModelLimits.effectWeeksMax) ?? ReadModelLimits.effectWeeksDefault
        // Cards are shown in their present state, so today decides which are idle.
        return JourneyQuery(period: zone.period(days), today: today, idleDays: idleDays, campaign: campaign, weeks: weeks)
    }
}

extension Request {
    /// The campaign whose effect a report shows, if any.
    func campaign() throws(Problem) -> CampaignID? {
        try parameter("campaign", .form(.campaignID)) { CampaignID(text: $0) }
    }
}

/// ``JourneyReport`` defines each number.
struct AnalyticsAnswer: JSONRecord {
    private static let secondsPerDay = 86_400.0

    let shop: ShopID
    let zone: String
    let report: JourneyReport

    var fields: JSONFields {
        [
            "shop": shop, "timeZone": zone, "from": FullDate.text(report.days.lowerBound), "to": FullDate.text(report.days.upperBound),
            "retention": retention, "fill": fill, "abandonment": abandonment, "effect": report.effect.map(Self.fields),
        ]
    }

    private var retention: JSONFields {
        let retention = report.retention
        let curve = retention.curve.map { point -> JSONFields in
            ["week": point.week, "customers": point.customers, "active": point.active, "retention": point.retention]
        }
        return [
            "visits": retention.visits, "customers": retention.customers, "returningCustomers": retention.returningCustomers,
            "repeatVisitRate": retention.repeatVisitRate, "cohorts": StatisticsFigures.fields(retention.cohorts), "curve": curve,
        ]
    }

    private var fill: JSONFields {
        let (fill, histogram) = (report.fill, report.fill.histogram.map { ["days": $0.days, "cards": $0.cards] as JSONFields })
        return [
            "cards": fill.cards, "medianDays": fill.medianSeconds.map { $0 / Self.secondsPerDay },
            "p90Days": fill.p90Seconds.map { $0 / Self.secondsPerDay }, "histogram": histogram,
        ]
    }

    private var abandonment: JSONFields {
        let found = report.abandonment
        let counts = found.steps.map { step -> JSONFields in
            ["stamps": step.stamps, "reached": step.reached, "idle": step.idle, "discarded": step.discarded, "share": step.share]
        }
        return [
            "idleDays": found.idleDays, "cards": found.cards, "full": found.full, "idle": found.idle, "discarded": found.discarded,
            "share": found.abandonedShare, "counts": counts,
        ]
    }

    private static func fields(_ effect: CampaignEffect) -> JSONFields {
        [
            "campaign": effect.campaign, "firstDay": FullDate.text(effect.firstDay), "lastDay": FullDate.text(effect.lastDay),
            "change": effect.change, "lastingChange": effect.lastingChange, "before": fields(effect.before),
            "during": fields(effect.during), "after": fields(effect.after),
        ]
    }

    private static func fields(_ phase: CampaignEffect.Phase) -> JSONFields {
        let weeks = phase.weeks.map { week -> JSONFields in
            [
                "from": FullDate.text(week.firstDay), "days": week.days, "visits": week.visits, "activeCustomers": week.activeCustomers,
                "newCustomers": week.newCustomers,
            ]
        }
        return [
            "visitsPerWeek": phase.visitsPerWeek, "activeCustomersPerWeek": phase.activeCustomersPerWeek,
            "newCustomersPerWeek": phase.newCustomersPerWeek, "weeks": weeks,
        ]
    }
}
