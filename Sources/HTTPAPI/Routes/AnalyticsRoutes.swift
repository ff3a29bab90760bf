import CommandService
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// How a shop's customers come back and what becomes of their cards, for its owner and staff.
struct AnalyticsRoutes {
    let resources: Resources

    var routes: [Route] { [.get("/v1/shops/{id}/analytics", analytics)] }

    private func analytics(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let zone = try StatisticsRoutes.zone(request)
        let today = zone.day(of: resources.now)
        let query = try Self.query(request, zone, try Self.days(request, today: today), today: today)
        try await resources.awaitMinPosition(of: request, reports: true)
        let shop = try resources.existing { try $0.shop(id) }
        guard shop.employs(bearer.account) else { throw Problem(.forbidden) }
        await resources.service.catchUp()
        let report = try resources.service.models.journeys.report(of: id, query)
        // Another shop's campaign is as good as none.
        guard (report.effect == nil) == (query.campaign == nil) else { throw Problem(.notFound) }
        return .ok(AnalyticsAnswer(shop: id, zone: zone.name, report: report))
    }

    private static func query(
        _ request: Request, _ zone: ReportZone, _ days: ClosedRange<Int>, today: Int
    ) throws(Problem) -> JourneyQuery {
        var campaign: CampaignID?
        if let text = request.uri.queryParameters["campaign"] {
            campaign = CampaignID(text: String(text))
            if campaign == nil { throw .invalid("campaign", "must be a campaign's id: camp_01…") }
        }
        let idleDays = try number(request, "idleDays", 1...Limits.analyticsDaysMax) ?? ReadModelLimits.idleDaysDefault
        let weeks = try number(request, "weeks", 1...ReadModelLimits.effectWeeksMax) ?? ReadModelLimits.effectWeeksDefault
        // Weeks to come are nobody's: a period that ends in the future is judged as of today.
        return JourneyQuery(
            period: zone.period(days), today: max(days.lowerBound, min(days.upperBound, today)), idleDays: idleDays, campaign: campaign,
            weeks: weeks)
    }

    /// Both ends are included; where one is missing it is half a year from the other, or from today.
    private static func days(_ request: Request, today: Int) throws(Problem) -> ClosedRange<Int> {
        let (from, to) = (try StatisticsRoutes.day(request, "from"), try StatisticsRoutes.day(request, "to"))
        let last = to ?? from.map { min($0 + Limits.analyticsDaysDefault - 1, max($0, today)) } ?? today
        let first = from ?? last - Limits.analyticsDaysDefault + 1
        guard first <= last else { throw .invalid("to", "must not be before from") }
        guard last - first < Limits.analyticsDaysMax else {
            throw .invalid("to", "must be at most \(Limits.analyticsDaysMax) days from from")
        }
        return first...last
    }

    private static func number(_ request: Request, _ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        // Digits alone: Swift's own reading would take "+7" and "007", too.
        guard let number = Int(text), range.contains(number), String(number) == text else {
            throw .invalid(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
