/// How customers come back to a shop and what becomes of their cards.
///
/// All days are days of the zone that was asked for. A **visit** is a quarter of an hour (of the clock: 10:00 to 10:15) in which at
/// least one stamp was added to a customer's cards at the shop; a customer's **first visit** is the earliest one ever, whether it
/// lies in the period or not. The parts say what their figures mean.
public struct JourneyReport: Hashable, Sendable {
    /// Days since 1970-01-01 in the zone, both included.
    public let days: ClosedRange<Int>
    public let retention: RetentionReport
    public let fill: FillReport
    public let abandonment: AbandonmentReport
    /// Nil where no campaign was asked for.
    public let effect: CampaignEffect?
}
