import ArgumentParser
import Audit
import Console
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// Reports on a shop's customers and cards, from the log alone: as text, JSON or a picture.
struct ChartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chart", abstract: "Show how a shop's customers come back and what becomes of their cards.",
        discussion: """
            retention    each week's new customers, and the share of them that came in
                         each week after (heat map)
            curve        the same, all weeks put together (line)
            fill         days from a card's opening to its last stamp: median, nine of
                         ten, histogram (bars)
            abandonment  of the cards that reached a count of stamps, the share left there
                         (bars)
            effect       visits and customers a week before, during and after a campaign
                         (lines)

            A visit is a quarter of an hour in which a customer's cards were stamped; weeks begin on Monday. Everything is \
            computed from the log, without read models and keys, so it may run beside a server, and the same log gives the same \
            bytes.

            EXAMPLES
              A picture of who comes back:
                greentea-replay chart retention --data data --shop shop_01hv5x0000e008000000000000 --svg retention.svg
              The same of an imported till, which has one shop, as numbers:
                greentea-replay chart retention --data data --time-zone UTC --format json
              Cards that nobody touched for a month:
                greentea-replay chart abandonment --data data --idle-days 30
              What a campaign changed, four weeks before and after:
                greentea-replay chart effect --data data --campaign camp_01hv5x0000e008000000000000 --weeks 4

            EXIT CODES
              0   done
              2   it could not be done: no data folder, an unreadable log, no such shop,
                  too many days from --from to the last visit; the error names the remedy
              64  wrong use
            """)

    @Argument(help: "retention, curve, fill, abandonment or effect.")
    var kind: ChartKind

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("The shop. May be left out where only one was ever visited.", valueName: "id"))
    var shop: String?

    @Option(help: ArgumentHelp("Whose days are meant, by its IANA name.", valueName: "zone"))
    var timeZone = ReportZone.defaultName

    @Option(help: ArgumentHelp("The first day (2026-11-01); the Monday of the first visit's week where absent.", valueName: "date"))
    var from: String?

    @Option(help: ArgumentHelp("The last day, taken for today; the last visit's where absent.", valueName: "date"))
    var to: String?

    @Option(help: ArgumentHelp("Read no further than this position, or than this time (RFC 3339).", valueName: "position|time"))
    var until: String?

    @Option(help: ArgumentHelp("Days without a stamp after which a card counts as left.", valueName: "days"))
    var idleDays: Int = ReadModelLimits.idleDaysDefault

    @Option(help: ArgumentHelp("The campaign whose effect is shown.", valueName: "id"))
    var campaign: String?

    @Option(help: ArgumentHelp("Weeks before and after the campaign.", valueName: "weeks"))
    var weeks: Int = ReadModelLimits.effectWeeksDefault

    @Option(help: ArgumentHelp("Write a picture to this file.", valueName: "file"))
    var svg: String?

    @Option(help: "text or json.")
    var format: ChartFormat = .text

    func validate() throws { _ = try request() }

    func run() throws {
        try ErrorReport.report {
            let folder = try AuditedFolder(asOwner: data, writing: [svg])
            try folder.requireOutside(svg)
            let request = try request()
            let report = try request.report(from: folder)
            if let svg { try OutputFile.write(Array(ChartDrawing(report: report, zone: request.zone.name).svg(kind).utf8), to: svg) }
            switch format {
            case .text: try StandardOutput.say(ChartText(report: report).lines(kind))
            case .json: try StandardOutput.say(ChartJSON(report: report, zone: request.zone.name).text(kind))
            }
        }
    }

    /// - Throws: `ValidationError`, which states the expected form.
    private func request() throws -> ChartRequest {
        guard let zone = ReportZone(name: timeZone) else {
            throw ValidationError("'\(timeZone)' is no time zone: write its IANA name, as Asia/Shanghai.")
        }
        guard (1...ReadModelLimits.journeyDaysMax).contains(idleDays) else {
            throw ValidationError("--idle-days must be between 1 and \(ReadModelLimits.journeyDaysMax).")
        }
        guard (1...ReadModelLimits.effectWeeksMax).contains(weeks) else {
            throw ValidationError("--weeks must be between 1 and \(ReadModelLimits.effectWeeksMax).")
        }
        if kind == .effect, campaign == nil {
            throw ValidationError("'chart effect' shows what a campaign changed: name it with --campaign camp_01….")
        }
        if kind != .effect, campaign != nil {
            throw ValidationError("--campaign names the campaign whose effect is shown; it belongs to 'chart effect' alone.")
        }
        let (first, last) = (try from.map(Self.day), try to.map(Self.day))
        if let first, let last, last < first || last - first >= ReadModelLimits.journeyDaysMax {
            throw ValidationError("--from to --to must be 1 to \(ReadModelLimits.journeyDaysMax) days.")
        }
        return ChartRequest(
            shop: try shop.map { try Self.id($0, of: Shop.self) }, zone: zone, from: first, to: last,
            until: try until.map(ReplayBound.init(parsing:)) ?? .head, idleDays: idleDays,
            campaign: try campaign.map { try Self.id($0, of: Campaign.self) }, weeks: weeks)
    }

    private static func day(_ text: String) throws -> Int {
        guard let day = FullDate.day(text) else { throw ValidationError("'\(text)' is no date: write it as 2026-11-21.") }
        return day
    }

    private static func id<Thing: Identified>(_ text: String, of thing: Thing.Type) throws -> ID<Thing> {
        if let id = ID<Thing>(text: text) { return id }
        throw ValidationError("'\(text)' is no id as the API shows it.")
    }
}

enum ChartKind: String, ExpressibleByArgument, CaseIterable { case retention, curve, fill, abandonment, effect }

enum ChartFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

struct ChartRequest {
    let shop: ShopID?
    let zone: ReportZone
    /// Days since 1970-01-01 in the time zone; nil for a day that was not given.
    let from: Int?
    let to: Int?
    let until: ReplayBound
    let idleDays: Int
    let campaign: CampaignID?
    let weeks: Int

    /// The days of the report, at most ``ReadModelLimits/journeyDaysMax``: by default from the Monday of the first visit, or later, to the
    /// last visit.
    ///
    /// - Throws: ``AuditError/Code/input`` for a given first day that would exceed the maximum, because a later begin would look complete.
    func days(visited quarters: ClosedRange<Quarter>) throws(AuditError) -> ClosedRange<Int> {
        let visited = zone.day(of: quarters.lowerBound.start)...zone.day(of: quarters.upperBound.start)
        guard let from else {
            let last = to ?? visited.upperBound
            return max(min(last, ReportPeriod.monday(of: visited.lowerBound)), last - ReadModelLimits.journeyDaysMax + 1)...last
        }
        let last = to ?? max(from, visited.upperBound)
        guard last - from < ReadModelLimits.journeyDaysMax else {
            throw AuditError(
                .input, "from \(FullDate.text(from)) to \(FullDate.text(last)), the day of the last visit, are \(last - from + 1) days.",
                remedy: "Name a last day with --to: a report has at most \(ReadModelLimits.journeyDaysMax) days.")
        }
        return from...last
    }
}

extension ChartRequest {
    private static let namedMax = 5

    func report(from folder: AuditedFolder) throws -> JourneyReport {
        let log = try folder.log(.readOnly)
        let replay = try withProgress("replay", over: log) {
            try Replay(of: log, until: until, models: [Journeys.name], progress: $0)
        }
        let shop = try shop(in: replay)
        guard let quarters = replay.visitedQuarters(of: shop) else {
            throw AuditError(.missing, "shop \(shop.text) was never visited.", remedy: "Name another with --shop.")
        }
        let days = try self.days(visited: quarters)
        let query = JourneyQuery(period: zone.period(days), today: days.upperBound, idleDays: idleDays, campaign: campaign, weeks: weeks)
        let report = replay.journeyReport(of: shop, query)
        if let campaign, report.effect == nil {
            throw AuditError(
                .missing, "shop \(shop.text) has no campaign \(campaign.text).",
                remedy: "List its campaigns with --type CampaignPublished.")
        }
        return report
    }

    private func shop(in replay: Replay) throws(AuditError) -> ShopID {
        if let shop { return shop }
        let shops = replay.visitedShops
        if shops.count == 1 { return shops[0] }
        let some = shops.prefix(Self.namedMax).map(\.text).joined(separator: ", ")
        throw AuditError(
            .missing, shops.isEmpty ? "no shop was ever visited." : "\(shops.count) shops were visited: \(some)…",
            remedy: shops.isEmpty ? "Name another folder with --data." : "Name one with --shop.")
    }
}
