import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

/// Routes of the statistics of one shop, and of all shops of an owner.
struct StatisticsRoutes {
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
        return Response.ok(StatisticsAnswer(shop: id, zone: zone.name, report: report)).showing(shown)
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
        return Response.ok(BrandAnswer(zone: zone.name, names: names, report: report)).showing(shown)
    }

    static func namedZone(_ request: Request) throws(Problem) -> ReportZone? {
        guard let name = request.uri.queryParameters["timeZone"] else { return nil }
        guard let zone = ReportZone(name: String(name)) else { throw .invalid("timeZone", .form(.timeZone)) }
        return zone
    }

    /// The requested days, inclusive, by default the usual number until today. Without `to`, it begins on `from` and ends today at the
    /// latest, or on a future `from`.
    private static func days(_ request: Request, today: Int) throws(Problem) -> ClosedRange<Int> {
        let (from, to) = (try day(request, "from"), try day(request, "to"))
        let last = to ?? from.map { min($0 + Limits.reportDaysDefault - 1, max($0, today)) } ?? today
        let first = from ?? last - Limits.reportDaysDefault + 1
        guard first <= last else { throw .invalid("to", .beforeFrom) }
        guard last - first < Limits.reportDaysMax else { throw .invalid("to", .daysAfterFrom(max: Limits.reportDaysMax)) }
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

    static func day(_ request: Request, _ name: String) throws(Problem) -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        guard let day = FullDate.day(String(text)) else { throw .invalid(name, .form(.date)) }
        return day
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

/// `ShopReport` defines each number.
struct StatisticsAnswer: JSONObject {
    let shop: ShopID
    let zone: String
    let report: ShopReport

    func writeFields(to json: inout JSONWriter) {
        json.field("shop", shop)
        StatisticsFigures(zone: zone, report: report).write(to: &json)
    }
}

struct BrandAnswer: JSONWritable {
    let zone: String
    /// In the report's order.
    let names: [String]
    let report: BrandReport

    func write(to json: inout JSONWriter) {
        json.object {
            $0.array("shops", Array(zip(names, report.parts))) { json, shop in
                json.object {
                    $0.object("shop") {
                        $0.field("id", shop.1.shop)
                        $0.field("name", shop.0)
                    }
                    $0.object("totals", StatisticsFigures(zone: zone, report: shop.1.report).writeTotals)
                }
            }
            StatisticsFigures(zone: zone, report: report.together).write(to: &$0)
        }
    }
}

struct StatisticsFigures {
    let zone: String
    let report: ShopReport

    func write(to json: inout JSONWriter) {
        json.field("timeZone", zone)
        json.field("from", report.days.first.map { FullDate.text($0.day) })
        json.field("to", report.days.last.map { FullDate.text($0.day) })
        json.array("days", report.days, Self.write)
        json.object("totals", writeTotals)
        json.field("redemptionRate", report.redemptionRate)
        json.field("repeatVisitRate", report.repeatVisitRate)
        json.array("cohorts", report.cohorts, Self.write)
        json.array("staff", report.staff.sorted { $0.key < $1.key }, Self.write)
        json.object("concentration", writeConcentration)
    }

    func writeTotals(to json: inout JSONWriter) {
        json.field("codes", report.codes)
        json.field("stamps", report.stamps)
        json.field("newCards", report.newCards)
        json.field("activeCustomers", report.activeCustomers)
        json.field("fullCards", report.filled)
        json.field("redemptions", report.redemptions)
        json.field("reversals", report.reversals)
        json.field("milestones", report.milestones.redeemed)
        json.field("milestoneReversals", report.milestones.reversed)
    }

    private func writeConcentration(to json: inout JSONWriter) {
        json.array("cards", report.concentratedCards) { json, share in
            json.object {
                $0.field("card", share.thing)
                $0.field("stamps", share.stamps)
                $0.field("share", share.share)
            }
        }
        json.array("staff", report.concentratedStaff) { json, share in
            json.object {
                $0.field("account", share.thing)
                $0.field("stamps", share.stamps)
                $0.field("share", share.share)
            }
        }
    }

    private static func write(to json: inout JSONWriter, _ day: ShopReport.Day) {
        json.object {
            $0.field("date", FullDate.text(day.day))
            $0.field("codes", day.codes)
            $0.field("stamps", day.stamps)
            $0.field("newCards", day.newCards)
            $0.field("activeCustomers", day.activeCustomers)
            $0.field("redemptions", day.redemptions)
            $0.field("reversals", day.reversals)
            $0.field("milestones", day.milestones.redeemed)
            $0.field("milestoneReversals", day.milestones.reversed)
        }
    }

    private static func write(to json: inout JSONWriter, _ cohort: ShopReport.Cohort) {
        json.object {
            $0.field("week", FullDate.text(cohort.monday))
            $0.field("customers", cohort.customers)
            $0.array("active", cohort.active) { $0.value($1) }
            $0.array("retention", cohort.active) { $0.value(Double($1) / Double(cohort.customers)) }
        }
    }

    private static func write(to json: inout JSONWriter, _ member: (key: AccountID, value: StaffActivity)) {
        json.object {
            $0.field("account", member.key)
            $0.field("codes", member.value.codes)
            $0.field("stamps", member.value.stamps)
            $0.field("redemptions", member.value.redeemed)
            $0.field("reversals", member.value.reversed)
            $0.field("milestones", member.value.milestones.redeemed)
            $0.field("milestoneReversals", member.value.milestones.reversed)
        }
    }
}
