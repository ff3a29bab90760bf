import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import WebPages

/// The routes from which the page of a shop's numbers loads its content, for the shop's owner and managers. The content is tables with
/// their charts, in the reader's language.
///
/// The server draws the charts, because pages load nothing from other sites, so that they cannot use a public library for charts. The page
/// sends a request for each of its parts, and the service makes one report for each request. If the request names no number of days, the
/// service makes another report to choose that number. For the comparison of a person's shops, it makes one report for each shop, up to
/// ``branchesMax``, and one of all these shops together.
struct NumbersRoutes {
    /// The numbers of days that the page offers. For a shop that is younger than the first of them, the page also offers all days since the
    /// week of the shop's first activity.
    private static let ranges = [30, 90, 365]
    /// The maximum number of shops that are compared.
    private static let branchesMax = 8

    let resources: Resources

    var routes: [Route] {
        [
            .get("/shop/{id}/numbers/days", days), .get("/shop/{id}/numbers/customers", customers),
            .get("/shop/{id}/numbers/branches", branches),
        ]
    }

    /// The sender of a request, a shop whose numbers the sender may see, and the days of the report.
    private struct Question {
        let account: AccountID
        let shop: Shop
        /// The sender's slot for all reports on this shop that the request needs. The handler gives it back.
        let slot: Slot
        let zone: ReportZone
        let today: Int
        let days: ClosedRange<Int>
        let words: NumbersWords

        func answer(_ sections: [NumbersSection], isComplete: Bool) -> Response {
            Response.ok(NumbersAnswer(zone: zone.name, days: days, isComplete: isComplete, sections: sections)).unstored()
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
        let count = if let asked = try Self.range(request) { asked } else { try await usualDays(of: id, zone, today) }
        return Question(
            account: bearer.account, shop: shop, slot: slot, zone: zone, today: today, days: (today - count + 1)...today,
            words: NumbersWords(language: resources.frame(of: request).language))
    }

    /// The number of days that the request names; nil if it names none, so that the number depends on the shop's history.
    private static func range(_ request: Request) throws(Problem) -> Int? {
        guard let text = request.uri.queryParameters["days"] else { return nil }
        let allowed = 1...ranges[ranges.count - 1]
        guard let days = Int(text), String(days) == text, allowed.contains(days) else { throw .invalid("days", .wholeNumber(allowed)) }
        return days
    }

    /// The number of days to show if none was requested. For a young shop, the days begin with the week of the first activity, because the
    /// empty days before would tell nothing. For an older shop, the number is the smallest offered one that includes some activity, or the
    /// smallest one if there was none in a year. It is also the smallest one for a shop that was so busy that no report covers its year.
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
        var authors = Authors(at: question.shop, resources)
        let staff = try sections.staff(for: question.account) { account in
            let author = try authors.author(account)
            return author.nickname ?? question.words(.personNamed, ["handle": author.handle])
        }
        return question.answer([sections.days, staff], isComplete: isComplete)
    }

    private func customers(_ request: Request, _ context: APIContext) async throws -> Response {
        let question = try await question(request, context)
        defer { question.slot.giveBack() }
        var campaign: CampaignID?
        if let text = request.uri.queryParameters["campaign"] {
            campaign = CampaignID(text: String(text))
            if campaign == nil { throw Problem.invalid("campaign", .form(.campaignID)) }
        }
        let isComplete = await resources.service.catchUp(Journeys.name)
        let query = JourneyQuery(period: question.zone.period(question.days), today: question.today, campaign: campaign)
        let (shop, journeys) = (question.shop.id, resources.service.models.journeys)
        let report = try await resources.reports.make { () throws(ReadModelError) in try journeys.report(of: shop, query) }
        // A campaign of another shop is treated as if it did not exist.
        guard (report.effect == nil) == (campaign == nil) else { throw Problem(.notFound) }
        let sections = JourneySections(words: question.words, report: report)
        let effect = sections.effect.map { [$0] } ?? []
        return question.answer([sections.retention, sections.fill, sections.left] + effect, isComplete: isComplete)
    }

    /// Answers with a comparison of the shops that the person owns or manages; empty if there is only one.
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

    /// A comparison of shops. If they had too many visits for one report, the section says so, so that the page shows its other parts.
    static func compared(_ words: NumbersWords, _ comparison: () async throws -> NumbersSection) async throws -> NumbersSection {
        do {
            return try await comparison()
        } catch let error as ReadModelError where error.code == .tooMuch {
            return BranchSection.tooMuch(words)
        }
    }
}
