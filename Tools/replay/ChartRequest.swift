import Audit
import Loyalty
import ReadModels

/// What `chart` was asked for.
struct ChartRequest {
    let shop: ShopID?
    let zone: ReportZone
    /// Days since 1970-01-01 in the zone.
    let from: Int?
    let to: Int?
    let until: ReplayBound
    let idleDays: Int
    let campaign: CampaignID?
    let weeks: Int

    /// The days of the report: those that were asked for, filled up from a shop's first and last visit.
    func days(visited quarters: ClosedRange<Quarter>) -> ClosedRange<Int> {
        let last = to ?? from.map { max($0, zone.day(of: quarters.upperBound.start)) } ?? zone.day(of: quarters.upperBound.start)
        let begin = zone.day(of: quarters.lowerBound.start)
        let first = from ?? min(last, ReportPeriod.monday(of: begin))
        return max(first, last - ReadModelLimits.journeyDaysMax + 1)...last
    }
}
