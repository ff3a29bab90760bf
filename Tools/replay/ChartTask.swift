import Audit
import Console
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// Replays a log and reports on one of its shops.
struct ChartTask {
    let folder: AuditedFolder
    let request: ChartRequest

    /// Shops that an error names at most.
    private static let namedMax = 5

    func run(_ kind: ChartKind, _ format: ChartFormat, svg: String?) throws {
        let report = try report()
        if let svg { try OutputFile.write(Array(ChartDrawing(report: report, zone: request.zone.name).svg(kind).utf8), to: svg) }
        var output = StandardOutput()
        switch format {
        case .text: ChartText(report: report).lines(kind).forEach { output.write($0) }
        case .json: output.write(ChartJSON(report: report, zone: request.zone.name).text(kind))
        }
        try output.flush()
    }

    private func report() throws -> JourneyReport {
        let log = try folder.log(.readOnly)
        let bar = ProgressBar(label: "replay", total: Int(clamping: log.head.rawValue), unit: "events")
        let replay = try Replay(of: log, until: request.until, models: [Journeys.name]) { bar.advance(to: Int(clamping: $0.rawValue)) }
        bar.finish()
        let shop = try shop(in: replay)
        guard let quarters = replay.visitedQuarters(of: shop) else {
            throw AuditError(.missing, "shop \(shop.text) was never visited.", remedy: "Name another with --shop.")
        }
        let days = request.days(visited: quarters)
        let query = JourneyQuery(
            period: request.zone.period(days), today: days.upperBound, idleDays: request.idleDays, campaign: request.campaign,
            weeks: request.weeks)
        let report = replay.journeyReport(of: shop, query)
        if let campaign = request.campaign, report.effect == nil {
            throw AuditError(
                .missing, "shop \(shop.text) has no campaign \(campaign.text).",
                remedy: "List its campaigns with --type CampaignPublished.")
        }
        return report
    }

    private func shop(in replay: Replay) throws(AuditError) -> ShopID {
        if let shop = request.shop { return shop }
        let shops = replay.visitedShops
        if shops.count == 1 { return shops[0] }
        let some = shops.prefix(Self.namedMax).map(\.text).joined(separator: ", ")
        throw AuditError(
            .missing, shops.isEmpty ? "no shop was ever visited." : "\(shops.count) shops were visited: \(some)…",
            remedy: shops.isEmpty ? "Name another folder with --data." : "Name one with --shop.")
    }
}
