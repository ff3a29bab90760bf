public import Loyalty

/// A place, and how far from it to look.
public struct Near: Hashable, Sendable {
    public let center: Coordinate
    /// Along the surface, within ``SearchLimits/radiusMeters``.
    public let radiusMeters: Double

    /// What lies outside of the limits is moved to the nearest.
    public init(center: Coordinate, radiusMeters: Double = SearchLimits.radiusMetersDefault) {
        self.center = center
        let range = SearchLimits.radiusMeters
        self.radiusMeters = min(max(radiusMeters, range.lowerBound), range.upperBound)
    }
}
