public import Loyalty

/// What a ``JourneyReport`` is to be about.
public struct JourneyQuery: Sendable {
    /// Which days, and in whose zone. At most ``ReadModelLimits/journeyDaysMax``: whoever asks checks it.
    public let period: ReportPeriod
    /// Today, or the day as of which cards are called idle and weeks are over; days since 1970-01-01 in the zone.
    public let today: Int
    /// A card that collects and got its last stamp more than so many days before ``today`` is abandoned.
    public let idleDays: Int
    /// The campaign whose effect is asked for.
    public let campaign: CampaignID?
    /// Weeks before its start and after its end that are looked at, 1 to ``ReadModelLimits/effectWeeksMax``.
    public let weeks: Int

    public init(
        period: ReportPeriod, today: Int, idleDays: Int = ReadModelLimits.idleDaysDefault, campaign: CampaignID? = nil,
        weeks: Int = ReadModelLimits.effectWeeksDefault
    ) {
        (self.period, self.today, self.idleDays) = (period, today, idleDays)
        (self.campaign, self.weeks) = (campaign, min(max(1, weeks), ReadModelLimits.effectWeeksMax))
    }
}
