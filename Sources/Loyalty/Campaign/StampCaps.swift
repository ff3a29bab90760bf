/// What slows down cards that gain stamps faster than honest customers drink. Both are off unless the owner turns them on: two cups in
/// one visit are honest.
public struct StampCaps: Hashable, Sendable {
    /// Neither.
    public static let none = StampCaps(stampsPerDayMax: nil, minimumGapSeconds: nil)

    /// Stamps that one card may gain within 24 hours.
    public let stampsPerDayMax: Int?
    /// Seconds between two codes that are entered for one card.
    public let minimumGapSeconds: Int?

    public init(stampsPerDayMax: Int?, minimumGapSeconds: Int?) {
        self.stampsPerDayMax = stampsPerDayMax
        self.minimumGapSeconds = minimumGapSeconds
    }
}
