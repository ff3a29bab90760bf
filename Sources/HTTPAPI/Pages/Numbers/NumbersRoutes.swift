import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import WebPages

/// The content of the page of a shop's numbers, for its owner and managers: tables with their charts in the reader's language.
///
/// The server draws the charts, because pages load nothing from elsewhere. Each part of the page is requested by itself and is one report,
/// so a request costs no more than one to the API. The comparison of a person's shops makes one report for each shop, up to a limit.
struct NumbersRoutes {
    /// The numbers of days that a reader can choose.
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

    /// A shop whose numbers the sender may see, and the requested range.
    private struct Question {
        let account: AccountID
        let shop: Shop
        let zone: ReportZone
        let today: Int
        let days: ClosedRange<Int>
        let words: NumbersWords

        func answer(_ sections: [NumbersSection]) -> Response {
            Response.ok(NumbersAnswer(zone: zone.name, days: days, sections: sections)).unstored()
        }
    }

    private func question(_ request: Request, _ context: APIContext) async throws -> Question {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        let (zone, count) = (shop.reportZone, try Self.range(request))
        let today = zone.day(of: resources.now)
        return Question(
            account: bearer.account, shop: shop, zone: zone, today: today, days: (today - count + 1)...today,
            words: NumbersWords(language: resources.frame(of: request).language))
    }

    private static func range(_ request: Request) throws(Problem) -> Int {
        guard let text = request.uri.queryParameters["days"] else { return ranges[0] }
        guard let range = ranges.first(where: { String($0) == text }) else { throw .invalid("days", .oneOf(ranges.map(String.init))) }
        return range
    }

    private func days(_ request: Request, _ context: APIContext) async throws -> Response {
        let question = try await question(request, context)
        await resources.service.catchUp(Statistics.name)
        let report = try resources.service.models.statistics.report(of: question.shop.id, question.zone.period(question.days))
        let sections = VisitSections(words: question.words, report: report)
        var authors = Authors(at: question.shop, resources)
        let staff = try sections.staff { account in
            let author = try authors.author(account)
            return author.nickname ?? question.words(.personNamed, ["handle": author.handle])
        }
        return question.answer([sections.days, staff])
    }

    private func customers(_ request: Request, _ context: APIContext) async throws -> Response {
        let question = try await question(request, context)
        var campaign: CampaignID?
        if let text = request.uri.queryParameters["campaign"] {
            campaign = CampaignID(text: String(text))
            if campaign == nil { throw Problem.invalid("campaign", .form(.campaignID)) }
        }
        await resources.service.catchUp(Journeys.name)
        let query = JourneyQuery(period: question.zone.period(question.days), today: question.today, campaign: campaign)
        let report = try resources.service.models.journeys.report(of: question.shop.id, query)
        // A campaign of another shop is treated as if it did not exist.
        guard (report.effect == nil) == (campaign == nil) else { throw Problem(.notFound) }
        let sections = JourneySections(words: question.words, report: report)
        return question.answer([sections.retention, sections.fill, sections.left] + (sections.effect.map { [$0] } ?? []))
    }

    /// The comparison of a person's shops; empty if the person has only one.
    private func branches(_ request: Request, _ context: APIContext) async throws -> Response {
        let question = try await question(request, context)
        let (owned, employers) = try resources.service.reading {
            (try $0.shops(ownedBy: question.account), try $0.employers(of: question.account))
        }
        let others = (owned + employers.filter { ($0.role(of: question.account) ?? .counter) >= .manager }).filter {
            $0.id != question.shop.id
        }
        guard !others.isEmpty else { return question.answer([]) }
        await resources.service.catchUp(Statistics.name)
        var found: [BranchSection.Branch] = []
        for shop in ([question.shop] + others).prefix(Self.branchesMax) {
            let report = try resources.service.models.statistics.report(of: shop.id, question.zone.period(question.days))
            let name = try resources.service.opened(shop).name
            found.append(.init(name: name.isEmpty ? question.words(.unnamedShop) : name, report: report))
            // Lets other requests run between reports.
            await Task.yield()
        }
        let section = BranchSection(words: question.words, branches: found, isCut: others.count >= Self.branchesMax).section
        return question.answer([section])
    }
}
