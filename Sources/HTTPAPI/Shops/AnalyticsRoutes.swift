import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels

/// The route of reports on how customers return and how their cards end.
struct AnalyticsRoutes {
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
        let query = try Self.query(request, zone, try Self.days(request, today: today), today: today)
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
        var campaign: CampaignID?
        if let text = request.uri.queryParameters["campaign"] {
            campaign = CampaignID(text: String(text))
            if campaign == nil { throw .invalid("campaign", .form(.campaignID)) }
        }
        let idleDays = try number(request, "idleDays", 1...Limits.analyticsDaysMax) ?? ReadModelLimits.idleDaysDefault
        let weeks = try number(request, "weeks", 1...ReadModelLimits.effectWeeksMax) ?? ReadModelLimits.effectWeeksDefault
        // Cards are shown in their present state, so today decides which are idle.
        return JourneyQuery(period: zone.period(days), today: today, idleDays: idleDays, campaign: campaign, weeks: weeks)
    }

    /// The requested days, inclusive, by default half a year until today. Without `to`, it begins on `from` and ends today at the latest,
    /// or on a future `from`.
    private static func days(_ request: Request, today: Int) throws(Problem) -> ClosedRange<Int> {
        let (from, to) = (try StatisticsRoutes.day(request, "from"), try StatisticsRoutes.day(request, "to"))
        let last = to ?? from.map { min($0 + Limits.analyticsDaysDefault - 1, max($0, today)) } ?? today
        let first = from ?? last - Limits.analyticsDaysDefault + 1
        guard first <= last else { throw .invalid("to", .beforeFrom) }
        guard last - first < Limits.analyticsDaysMax else {
            throw .invalid("to", .daysAfterFrom(max: Limits.analyticsDaysMax))
        }
        return first...last
    }

    private static func number(_ request: Request, _ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        // `Int` also reads "+7" and "007".
        guard let number = Int(text), range.contains(number), String(number) == text else {
            throw .invalid(name, .wholeNumber(range))
        }
        return number
    }
}

/// `JourneyReport` defines each number.
struct AnalyticsAnswer: JSONWritable {
    private static let secondsPerDay = 86_400.0

    let shop: ShopID
    let zone: String
    let report: JourneyReport

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("shop", shop)
            $0.field("timeZone", zone)
            $0.field("from", FullDate.text(report.days.lowerBound))
            $0.field("to", FullDate.text(report.days.upperBound))
            $0.object("retention", writeRetention)
            $0.object("fill", writeFill)
            $0.object("abandonment", writeAbandonment)
            if let effect = report.effect {
                $0.object("effect") { Self.write(to: &$0, effect) }
            } else {
                $0.field("effect", Double?.none)
            }
        }
    }

    private func writeRetention(to json: inout JSONWriter) {
        let retention = report.retention
        json.field("visits", retention.visits)
        json.field("customers", retention.customers)
        json.field("returningCustomers", retention.returningCustomers)
        json.field("repeatVisitRate", retention.repeatVisitRate)
        json.array("cohorts", retention.cohorts) { json, cohort in
            json.object {
                $0.field("week", FullDate.text(cohort.monday))
                $0.field("customers", cohort.customers)
                $0.array("active", cohort.active) { $0.value($1) }
                $0.array("retention", cohort.active) { $0.value(Double($1) / Double(cohort.customers)) }
            }
        }
        json.array("curve", retention.curve) { json, point in
            json.object {
                $0.field("week", point.week)
                $0.field("customers", point.customers)
                $0.field("active", point.active)
                $0.field("retention", point.retention)
            }
        }
    }

    private func writeFill(to json: inout JSONWriter) {
        json.field("cards", report.fill.cards)
        json.field("medianDays", report.fill.medianSeconds.map { $0 / Self.secondsPerDay })
        json.field("p90Days", report.fill.p90Seconds.map { $0 / Self.secondsPerDay })
        json.array("histogram", report.fill.histogram) { json, bin in
            json.object {
                $0.field("days", bin.days)
                $0.field("cards", bin.cards)
            }
        }
    }

    private func writeAbandonment(to json: inout JSONWriter) {
        let found = report.abandonment
        json.field("idleDays", found.idleDays)
        json.field("cards", found.cards)
        json.field("full", found.full)
        json.field("idle", found.idle)
        json.field("discarded", found.discarded)
        json.field("share", found.abandonedShare)
        json.array("counts", found.steps) { json, step in
            json.object {
                $0.field("stamps", step.stamps)
                $0.field("reached", step.reached)
                $0.field("idle", step.idle)
                $0.field("discarded", step.discarded)
                $0.field("share", step.share)
            }
        }
    }

    private static func write(to json: inout JSONWriter, _ effect: CampaignEffect) {
        json.field("campaign", effect.campaign)
        json.field("firstDay", FullDate.text(effect.firstDay))
        json.field("lastDay", FullDate.text(effect.lastDay))
        json.field("change", effect.change)
        json.field("lastingChange", effect.lastingChange)
        for (name, phase) in [("before", effect.before), ("during", effect.during), ("after", effect.after)] {
            json.object(name) { write(to: &$0, phase) }
        }
    }

    private static func write(to json: inout JSONWriter, _ phase: CampaignEffect.Phase) {
        json.field("visitsPerWeek", phase.visitsPerWeek)
        json.field("activeCustomersPerWeek", phase.activeCustomersPerWeek)
        json.field("newCustomersPerWeek", phase.newCustomersPerWeek)
        json.array("weeks", phase.weeks) { json, week in
            json.object {
                $0.field("from", FullDate.text(week.firstDay))
                $0.field("days", week.days)
                $0.field("visits", week.visits)
                $0.field("activeCustomers", week.activeCustomers)
                $0.field("newCustomers", week.newCustomers)
            }
        }
    }
}
