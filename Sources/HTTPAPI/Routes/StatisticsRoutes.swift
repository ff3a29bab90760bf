import CommandService
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// What a shop's owner and staff see of how it goes.
struct StatisticsRoutes {
    let resources: Resources

    var routes: [Route] { [.get("/v1/shops/{id}/statistics", statistics)] }

    private func statistics(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let zone = try Self.zone(request)
        let days = try Self.days(request, today: zone.day(of: resources.now))
        try await resources.awaitMinPosition(of: request, reports: true)
        let shop = try resources.existing { try $0.shop(id) }
        guard shop.employs(bearer.account) else { throw Problem(.forbidden) }
        await resources.service.catchUp()
        let report = try resources.service.models.statistics.report(of: id, zone.period(days))
        return .ok(StatisticsAnswer(shop: id, zone: zone.name, report: report))
    }

    static func zone(_ request: Request) throws(Problem) -> ReportZone {
        let name = request.uri.queryParameters["timeZone"].map(String.init) ?? ReportZone.defaultName
        guard let zone = ReportZone(name: name) else { throw .invalid("timeZone", "must be the IANA name of a time zone: Asia/Shanghai") }
        return zone
    }

    /// Both ends are included; where one is missing it is as far from the other, or from today, as reports mostly go.
    private static func days(_ request: Request, today: Int) throws(Problem) -> ClosedRange<Int> {
        let (from, to) = (try day(request, "from"), try day(request, "to"))
        let last = to ?? from.map { min($0 + Limits.reportDaysDefault - 1, max($0, today)) } ?? today
        let first = from ?? last - Limits.reportDaysDefault + 1
        guard first <= last else { throw .invalid("to", "must not be before from") }
        guard last - first < Limits.reportDaysMax else { throw .invalid("to", "must be at most \(Limits.reportDaysMax) days from from") }
        return first...last
    }

    static func day(_ request: Request, _ name: String) throws(Problem) -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        guard let day = FullDate.day(String(text)) else { throw .invalid(name, "must be a date: 2026-11-21") }
        return day
    }
}
