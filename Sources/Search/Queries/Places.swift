internal import Foundation
public import Loyalty

/// A place, and the radius of a search around it.
public struct Near: Hashable, Sendable {
    public let center: Coordinate
    /// Along the earth's surface, within ``SearchLimits/radiusMeters``.
    public let radiusMeters: Double

    public init(center: Coordinate, radiusMeters: Double = SearchLimits.radiusMetersDefault) {
        self.center = center
        let range = SearchLimits.radiusMeters
        self.radiusMeters = min(max(radiusMeters, range.lowerBound), range.upperBound)
    }
}

/// A range of degrees, ends included, that does not cross the antimeridian.
struct GeoBox: Hashable {
    let south: Double
    let north: Double
    let west: Double
    let east: Double
}

extension GeoBox {
    private static let slackDegrees = 1e-6

    /// One or two boxes that contain the circle and little else. A box is split at the antimeridian, and covers all longitudes at a pole.
    static func around(_ center: Coordinate, meters: Double) -> [GeoBox] {
        let angle = meters / GreatCircle.radiusMeters
        let reach = GreatCircle.degrees(angle) + slackDegrees
        let (south, north) = (center.latitude - reach, center.latitude + reach)
        guard south > -90, north < 90 else { return [GeoBox(south: max(south, -90), north: min(north, 90), west: -180, east: 180)] }
        // A meridian touches the circle at its widest, not at the centre's latitude: the formula for a spherical right triangle
        // (Bronshtein).
        let width = GreatCircle.degrees(asin(min(1, sin(angle) / cos(GreatCircle.radians(center.latitude))))) + slackDegrees
        return split(south, north, center.longitude - width, center.longitude + width)
    }

    private static func split(_ south: Double, _ north: Double, _ west: Double, _ east: Double) -> [GeoBox] {
        func box(_ west: Double, _ east: Double) -> GeoBox { GeoBox(south: south, north: north, west: west, east: east) }
        if east - west >= 360 { return [box(-180, 180)] }
        if west <= -180 { return [box(west + 360, 180), box(-180, east)] }
        if east >= 180 { return [box(west, 180), box(-180, east - 360)] }
        return [box(west, east)]
    }
}

extension GeoBox {
    /// The least inner radius, in metres, for a hole in the boxes, because the R*Tree rounds to one or two metres.
    private static let holeMetersMin = 10.0
    /// Half the side of the square hole, as a fraction of the inner radius; below √½, because longitudes narrow towards the poles.
    private static let holePart = 0.9 / 2.0.squareRoot()
    private static let holeLatitudeMax = 70.0

    /// Boxes that contain the ring, if possible without most of what is nearer and already shown.
    static func around(_ center: Coordinate, from inner: Double, to outer: Double) -> [GeoBox] {
        let whole = around(center, meters: outer)
        let holes = around(center, meters: inner * holePart)
        guard inner >= holeMetersMin, abs(center.latitude) <= holeLatitudeMax, whole.count == 1, holes.count == 1 else { return whole }
        let (box, hole) = (whole[0], holes[0])
        guard box.south < hole.south, hole.north < box.north, box.west < hole.west, hole.east < box.east else { return whole }
        return [
            GeoBox(south: hole.north, north: box.north, west: box.west, east: box.east),
            GeoBox(south: box.south, north: hole.south, west: box.west, east: box.east),
            GeoBox(south: hole.south, north: hole.north, west: box.west, east: hole.west),
            GeoBox(south: hole.south, north: hole.north, west: hole.east, east: box.east),
        ]
    }
}

/// Distances on a sphere, along the surface.
package enum GreatCircle {
    /// The mean radius of WGS 84 in metres, (2a + b) / 3 (IUGG). Distances are wrong by at most 0.6 %.
    package static let radiusMeters = 6_371_008.8

    /// The haversine formula (Sinnott, 1984), which keeps digits at small distances.
    package static func meters(_ from: Coordinate, _ to: Coordinate) -> Double {
        let (south, north) = (radians(from.latitude), radians(to.latitude))
        let across = sin(radians(to.longitude - from.longitude) / 2)
        let along = sin((north - south) / 2)
        let half = along * along + cos(south) * cos(north) * across * across
        return 2 * radiusMeters * asin(min(1, half.squareRoot()))
    }

    static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
