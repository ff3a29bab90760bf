import CommandService
import Composition
import Hummingbird
import Loyalty
import Projections
import ReadModels
import WebPages

/// The content of the page of a shop's numbers, as tables with charts in the reader's language. The server draws the charts, because pages
/// load nothing from other sites. Each part is a request with a report of its own; a comparison needs one for each shop, up to
/// ``branchesMax``, and one for all.
struct NumbersRoutes: RouteGroup {
    /// For a shop younger than the first of these, the page also offers all its days.
    private static let ranges = [30, 90, 365]
    private static let branchesMax = 8

    let resources: Resources

    var routes: [Route] {
        [
            .get("/shop/{id}/numbers/days", days), .get("/shop/{id}/numbers/customers", customers),
            .get("/shop/{id}/numbers/branches", branches),
        ]
    }

    private struct Question {
        let account: AccountID
        let shop: Shop
        /// For all reports of the request. The handler gives it back.
        let slot: Slot
        let zone: ReportZone
        let today: Int
        let days: ClosedRange<Int>
        let words: NumbersWords

        /// - Parameter isComplete: false while the model is built anew.
        func answer(_ sections: [NumbersSection], isComplete: Bool) -> Response {
            let answer: JSONFields = [
                "timeZone": zone.name, "from": NumbersWords.date(days.lowerBound), "to": NumbersWords.date(days.upperBound),
                "isComplete": isComplete, "sections": sections,
            ]
            return Response.ok(answer).unstored()
        }
    }

    private func question(_ request: Request, _ context: APIContext) async throws -> Question {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        let slot = try resources.slots.shopReports.take()
        let zone = shop.reportZone
        let today = zone.day(of: resources.now)
        let asked = try request.number("days", in: 1...Self.ranges[Self.ranges.count - 1])
        let count = if let asked { asked } else { try await usualDays(of: id, zone, today) }
        return Question(
            account: bearer.account, shop: shop, slot: slot, zone: zone, today: today, days: (today - count + 1)...today,
            words: NumbersWords(language: resources.frame(of: request).language))
    }

    /// The days shown by default: for a young shop, since the week of its first activity; for an older one, the smallest offer with some
    /// activity. The smallest of all if there was none, or if the shop is too busy for a year's report.
    private func usualDays(of shop: ShopID, _ zone: ReportZone, _ today: Int) async throws -> Int {
        await resources.service.catchUp(Statistics.name)
        let longest = today - Self.ranges[Self.ranges.count - 1] + 1
        let (statistics, period) = (resources.service.models.statistics, zone.period(longest...today))
        let report: ShopReport
        do throws(ReadModelError) {
            report = try await resources.reports.make { () throws(ReadModelError) in try statistics.report(of: shop, period) }
        } catch {
            guard error.code == .tooMuch else { throw error }
            return Self.ranges[0]
        }
        let days = report.days.filter(\.hasActs)
        guard let first = days.first?.day, let last = days.last?.day else { return Self.ranges[0] }
        let sinceFirst = today - ReportPeriod.monday(of: first) + 1
        if sinceFirst <= Self.ranges[0] { return sinceFirst }
        return Self.ranges.first { today - last < $0 } ?? Self.ranges[0]
    }

    private func days(_ request: Request, _ context: APIContext) async throws -> Response {
        let question = try await question(request, context)
        defer { question.slot.giveBack() }
        let isComplete = await resources.service.catchUp(Statistics.name)
        let (shop, period) = (question.shop.id, question.zone.period(question.days))
        let statistics = resources.service.models.statistics
        let report = try await resources.reports.make { () throws(ReadModelError) in try statistics.report(of: shop, period) }
        let sections = VisitSections(words: question.words, report: report)
        var (authors, labels) = (Authors(at: question.shop, resources), StaffLabels(at: question.shop.id, resources))
        let staff = try sections.staff(for: question.account) { account in
            try labels.name(of: account, among: &authors, in: question.words.language)
        }
        return question.answer([sections.days, staff], isComplete: isComplete)
    }

    private func customers(_ request: Request, _ context: APIContext) async throws -> Response {
        let question = try await question(request, context)
        defer { question.slot.giveBack() }
        let campaign = try request.campaign()
        let isComplete = await resources.service.catchUp(Journeys.name)
        let query = JourneyQuery(period: question.zone.period(question.days), today: question.today, campaign: campaign)
        let (shop, journeys) = (question.shop.id, resources.service.models.journeys)
        let report = try await resources.reports.make { () throws(ReadModelError) in try journeys.report(of: shop, query) }
        // Another shop's campaign counts as missing.
        guard (report.effect == nil) == (campaign == nil) else { throw Problem(.notFound) }
        let sections = JourneySections(words: question.words, report: report)
        let effect = sections.effect.map { [$0] } ?? []
        return question.answer([sections.retention, sections.fill, sections.left] + effect, isComplete: isComplete)
    }

    /// Empty with a single shop.
    private func branches(_ request: Request, _ context: APIContext) async throws -> Response {
        let question = try await question(request, context)
        defer { question.slot.giveBack() }
        let (owned, employers) = try resources.service.reading {
            (try $0.shops(ownedBy: question.account), try $0.employers(of: question.account))
        }
        let others = (owned + employers.filter { ($0.role(of: question.account) ?? .counter) >= .manager }).filter {
            $0.id != question.shop.id
        }
        guard !others.isEmpty else { return question.answer([], isComplete: true) }
        let isComplete = await resources.service.catchUp(Statistics.name)
        let shops = ([question.shop] + others).prefix(Self.branchesMax)
        let section = try await Self.compared(question.words) {
            let report = try await resources.report(of: shops.map(\.id), question.zone.period(question.days))
            let branches = try zip(shops, report.parts).map { shop, part in
                let name = try resources.service.opened(shop).name
                return BranchSection.Branch(name: name.isEmpty ? question.words(.unnamedShop) : name, report: part.report)
            }
            return BranchSection(
                words: question.words, branches: branches, all: report.together, isCut: others.count >= Self.branchesMax
            ).section
        }
        return question.answer([section], isComplete: isComplete)
    }

    /// If there were too many visits for one report, the section says so, and the page shows its other parts.
    static func compared(_ words: NumbersWords, _ comparison: () async throws -> NumbersSection) async throws -> NumbersSection {
        do {
            return try await comparison()
        } catch let error as ReadModelError where error.code == .tooMuch {
            return BranchSection.tooMuch(words)
        }
    }
}
