import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

/// Routes of the statistics of one shop, and of all shops of an owner.
struct StatisticsRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/v1/shops/{id}/statistics", statistics), .get("/v1/me/statistics", brand)] }

    private func statistics(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let named = try Self.namedZone(request)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Statistics.name)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        let zone = named ?? shop.reportZone
        let days = try Self.days(request, today: zone.day(of: resources.now))
        await resources.service.catchUp(Statistics.name)
        let shown = resources.service.models.position(of: Statistics.name)
        let slot = try resources.slots.shopReports.take()
        defer { slot.giveBack() }
        let (statistics, period) = (resources.service.models.statistics, zone.period(days))
        let report = try await resources.reports.make { () throws(ReadModelError) in try statistics.report(of: id, period) }
        let figures = StatisticsFigures(zone: zone.name, report: report)
        return Response.ok(["shop": id] + figures.fields).showing(shown)
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

    var fields: JSONFields {
        [
            "timeZone": zone, "from": report.days.first.map { FullDate.text($0.day) }, "to": report.days.last.map { FullDate.text($0.day) },
            "days": report.days.map(Self.fields), "totals": totals, "redemptionRate": report.redemptionRate,
            "repeatVisitRate": report.repeatVisitRate, "cohorts": Self.fields(report.cohorts),
            "staff": report.staff.sorted { $0.key < $1.key }.map(Self.fields), "concentration": concentration,
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

    private static func fields(_ member: (key: AccountID, value: StaffActivity)) -> JSONFields {
        let work = member.value
        return [
            "account": member.key, "codes": work.codes, "stamps": work.stamps, "redemptions": work.redeemed, "reversals": work.reversed,
            "milestones": work.milestones.redeemed, "milestoneReversals": work.milestones.reversed,
        ]
    }
}
