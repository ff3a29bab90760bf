/// What slows down customers who gain stamps faster than honest ones drink. A cap holds for one account in one campaign, over all its
/// cards, so that filling a card is no way around it. Both are off unless the owner turns them on: two cups in one visit are honest.
public struct StampCaps: Hashable, Sendable {
    /// Neither.
    public static let none = StampCaps(stampsPerDayMax: nil, minimumGapSeconds: nil)

    /// Stamps that one account may gain within 24 hours.
    public let stampsPerDayMax: Int?
    /// Seconds between two codes that one account enters.
    public let minimumGapSeconds: Int?

    public init(stampsPerDayMax: Int?, minimumGapSeconds: Int?) {
        self.stampsPerDayMax = stampsPerDayMax
        self.minimumGapSeconds = minimumGapSeconds
    }
}
