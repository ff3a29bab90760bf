import CommandService
import Composition
import Hummingbird
import LMDB
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

/// Routes of the statistics of one shop and of all shops of an owner, and of reports on how customers return and how their cards end.
struct StatisticsRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/shops/{id}/statistics", statistics), .get("/v1/me/statistics", brand), .get("/v1/shops/{id}/analytics", analytics),
        ]
    }

    private func statistics(_ request: Request, _ context: APIContext) async throws -> Response {
        let (shop, zone) = try await managed(request, context, Statistics.name)
        let days = try Self.days(request, today: zone.day(of: resources.now))
        await resources.service.catchUp(Statistics.name)
        let shown = resources.service.models.position(of: Statistics.name)
        let slot = try resources.slots.shopReports.take()
        defer { slot.giveBack() }
        let (statistics, period) = (resources.service.models.statistics, zone.period(days))
        let report = try await resources.reports.make { () throws(ReadModelError) in try statistics.report(of: shop.id, period) }
        var labels = StaffLabels(at: shop.id, resources)
        let named = try report.staff.keys.map { ($0, try labels.label(of: $0)) }
        let figures = StatisticsFigures(zone: zone.name, report: report, labels: Dictionary(uniqueKeysWithValues: named))
        return Response.ok(["shop": shop.id] + figures.fields).showing(shown)
    }

    /// Owned shops only, also closed ones.
    private func brand(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let named = try Self.namedZone(request)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Statistics.name)
        let shops = try resources.service.reading { try $0.shops(ownedBy: bearer.account) }
        let zone = named ?? shops.first?.reportZone ?? .utc
        let days = try Self.days(request, today: zone.day(of: resources.now))
        await resources.service.catchUp(Statistics.name)
        let shown = resources.service.models.position(of: Statistics.name)
        let report = try await resources.report(of: shops.map(\.id), zone.period(days))
        let names = try shops.map { try resources.service.opened($0).name }
        let parts = zip(names, report.parts).map { name, part -> JSONFields in
            let shop: JSONFields = ["id": part.shop, "name": name]
            return ["shop": shop, "totals": StatisticsFigures(zone: zone.name, report: part.report).totals]
        }
        return Response.ok(["shops": parts] + StatisticsFigures(zone: zone.name, report: report.together).fields).showing(shown)
    }

    private func analytics(_ request: Request, _ context: APIContext) async throws -> Response {
        let (shop, zone) = try await managed(request, context, Journeys.name)
        let today = zone.day(of: resources.now)
        let days = try Self.days(request, today: today, usual: Limits.analyticsDaysDefault, most: Limits.analyticsDaysMax)
        let query = try Self.query(request, zone, days, today: today)
        await resources.service.catchUp(Journeys.name)
        let shown = resources.service.models.position(of: Journeys.name)
        let slot = try resources.slots.shopReports.take()
        defer { slot.giveBack() }
        let journeys = resources.service.models.journeys
        let report = try await resources.reports.make { () throws(ReadModelError) in try journeys.report(of: shop.id, query) }
        // Another shop's campaign counts as missing.
        guard (report.effect == nil) == (query.campaign == nil) else { throw Problem(.notFound) }
        return Response.ok(AnalyticsAnswer(shop: shop.id, zone: zone.name, report: report)).showing(shown)
    }

    /// The shop of the path, which the caller must manage, and the zone of the report.
    private func managed(_ request: Request, _ context: APIContext, _ model: String) async throws -> (shop: Shop, zone: ReportZone) {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let named = try Self.namedZone(request)
        try await resources.awaitPosition(of: request, by: bearer.account, in: model)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        return (shop, named ?? shop.reportZone)
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

    static func namedZone(_ request: Request) throws(Problem) -> ReportZone? {
        try request.parameter("timeZone", .form(.timeZone)) { ReportZone(name: $0) }
    }

    /// The requested days, inclusive, by default the usual number until today. Without `to`, it begins on `from` and ends today at the
    /// latest, or on a future `from`.
    static func days(
        _ request: Request, today: Int, usual: Int = Limits.reportDaysDefault, most: Int = Limits.reportDaysMax
    ) throws(Problem) -> ClosedRange<Int> {
        let (from, to) = (try day(request, "from"), try day(request, "to"))
        let last = to ?? from.map { min($0 + usual - 1, max($0, today)) } ?? today
        let first = from ?? last - usual + 1
        guard first <= last else { throw .invalid("to", .beforeFrom) }
        guard last - first < most else { throw .invalid("to", .daysAfterFrom(max: most)) }
        return first...last
    }

    /// Nil if `from` and `to` are absent.
    static func listedDays(_ request: Request, of shop: Shop) throws(Problem) -> ShopDays? {
        let zone = try namedZone(request) ?? shop.reportZone
        let (from, to) = (try day(request, "from"), try day(request, "to"))
        guard from != nil || to != nil else { return nil }
        let (first, last) = (from ?? .min, to ?? .max)
        guard first <= last else { throw .invalid("to", .beforeFrom) }
        return ShopDays(first...last, in: zone)
    }

    private static func day(_ request: Request, _ name: String) throws(Problem) -> Int? {
        try request.parameter(name, .form(.date)) { FullDate.day($0) }
    }
}

extension Resources {
    /// The figures of several shops. Other reports have turns after each shop, because an account may own a thousand.
    ///
    /// - Throws: `overloaded` if the reader's last report is still being made, or too many others are.
    func report(of shops: [ShopID], _ period: ReportPeriod) async throws -> BrandReport {
        let slot = try slots.reports.take()
        defer { slot.giveBack() }
        await slots.reportLine.turn()
        defer { slots.reportLine.end() }
        let statistics = service.models.statistics
        // One step at a time uses it; the mutex avoids copies.
        let brand = Mutex(BrandMaking(period))
        for shop in shops {
            try await reports.make { () throws(ReadModelError) in
                try brand.withLock { (making) throws(ReadModelError) in try statistics.add(shop, to: &making) }
            }
        }
        for shop in shops {
            try await reports.make { () throws(ReadModelError) in
                try brand.withLock { (making) throws(ReadModelError) in try statistics.addFirsts(at: shop, to: &making) }
            }
        }
        return try await reports.make { () throws(ReadModelError) in brand.withLock { $0.report } }
    }
}

extension Shop {
    /// UTC for a zone that this machine does not know.
    var reportZone: ReportZone { ReportZone(name: schedule.timeZone) ?? .utc }
}

/// The figures of one shop, or of all shops of an owner together. ``ShopReport`` defines each number.
struct StatisticsFigures: JSONRecord {
    let zone: String
    let report: ShopReport
    /// Empty for several shops, because a name belongs to one.
    var labels: [AccountID: String?] = [:]

    var fields: JSONFields {
        [
            "timeZone": zone, "from": report.days.first.map { FullDate.text($0.day) }, "to": report.days.last.map { FullDate.text($0.day) },
            "days": report.days.map(Self.fields), "totals": totals, "redemptionRate": report.redemptionRate,
            "repeatVisitRate": report.repeatVisitRate, "cohorts": Self.fields(report.cohorts),
            "staff": report.staff.sorted { $0.key < $1.key }.map(work), "concentration": concentration,
        ]
    }

    var totals: JSONFields {
        [
            "codes": report.codes, "stamps": report.stamps, "newCards": report.newCards, "activeCustomers": report.activeCustomers,
            "fullCards": report.filled, "redemptions": report.redemptions, "reversals": report.reversals,
            "milestones": report.milestones.redeemed, "milestoneReversals": report.milestones.reversed,
        ]
    }

    private var concentration: JSONFields {
        let cards = report.concentratedCards.map { ["card": $0.thing, "stamps": $0.stamps, "share": $0.share] as JSONFields }
        let staff = report.concentratedStaff.map { ["account": $0.thing, "stamps": $0.stamps, "share": $0.share] as JSONFields }
        return ["cards": cards, "staff": staff]
    }

    private static func fields(_ day: ShopReport.Day) -> JSONFields {
        [
            "date": FullDate.text(day.day), "codes": day.codes, "stamps": day.stamps, "newCards": day.newCards,
            "activeCustomers": day.activeCustomers, "redemptions": day.redemptions, "reversals": day.reversals,
            "milestones": day.milestones.redeemed, "milestoneReversals": day.milestones.reversed,
        ]
    }

    /// Also those of analytics.
    static func fields(_ cohorts: [ShopReport.Cohort]) -> [JSONFields] {
        cohorts.map { cohort in
            [
                "week": FullDate.text(cohort.monday), "customers": cohort.customers, "active": cohort.active,
                "retention": cohort.active.map { Double($0) / Double(cohort.customers) },
            ]
        }
    }

    private func work(_ member: (key: AccountID, value: StaffActivity)) -> JSONFields {
        let work = member.value
        return [
            "account": member.key, "label": IfPresent(labels[member.key] ?? nil), "codes": work.codes, "stamps": work.stamps,
            "redemptions": work.redeemed, "reversals": work.reversed, "milestones": work.milestones.redeemed,
            "milestoneReversals": work.milestones.reversed,
        ]
    }
}

extension Request {
    /// The campaign whose effect a report shows, if any.
    func campaign() throws(Problem) -> CampaignID? { try parameter("campaign", .form(.campaignID)) { CampaignID(text: $0) } }
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

/// Makes reports on shops, one at a time, on a thread of its own. A busy shop's report reads a million rows in one snapshot, in a second or
/// two; two such reports on the tasks' threads would stop a small machine.
///
/// The thread has the usual priority, because a model's file grows while a snapshot is held. The callers bound the queue. Other requests
/// hardly wait for this thread, so its rows cost little (``Limits/reportRowsPerRow``).
final class ReportQueue: Sendable {
    private let thread = FairThread("greentea.reports", .reportThread)

    /// Runs `work` on the queue's thread by turns.
    ///
    /// - Throws: an error of `work`.
    func make<Report: Sendable>(_ work: @escaping @Sendable () throws(ReadModelError) -> Report) async throws(ReadModelError) -> Report {
        let (payer, meter) = (ReadMeter.current, ReadMeter())
        let result: Result<Report, ReadModelError> = await withCheckedContinuation { continuation in
            thread.async {
                let result: Result<Report, ReadModelError>
                do throws(ReadModelError) {
                    result = .success(try ReadMeter.running(under: meter, work))
                } catch {
                    result = .failure(error)
                }
                continuation.resume(returning: result)
            }
        }
        payer?.add(meter.rows / Limits.reportRowsPerRow)
        return try result.get()
    }
}
