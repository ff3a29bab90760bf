internal import Foundation
public import Loyalty

/// A place, and the radius of a search around it.
public struct Near: Hashable, Sendable {
    public let center: Coordinate
    /// The radius of the search, measured along the earth's surface. It is within ``SearchLimits/radiusMeters``.
    public let radiusMeters: Double

    /// Creates a value; a radius outside the limits is clamped.
    public init(center: Coordinate, radiusMeters: Double = SearchLimits.radiusMetersDefault) {
        self.center = center
        let range = SearchLimits.radiusMeters
        self.radiusMeters = min(max(radiusMeters, range.lowerBound), range.upperBound)
    }
}

/// A range of latitudes and longitudes in degrees, ends included, that does not cross the antimeridian.
struct GeoBox: Hashable {
    let south: Double
    let north: Double
    let west: Double
    let east: Double
}

extension GeoBox {
    /// The angle by which a box around a circle is widened on each side: a tenth of a metre. So rounding does not exclude points that lie
    /// on the circle.
    private static let slackDegrees = 1e-6

    /// Returns one or two boxes that contain the circle around a place, and little else. A box that crosses the antimeridian is split
    /// there, and a box that contains a pole covers all longitudes.
    static func around(_ center: Coordinate, meters: Double) -> [GeoBox] {
        let angle = meters / GreatCircle.radiusMeters
        let reach = GreatCircle.degrees(angle) + slackDegrees
        let (south, north) = (center.latitude - reach, center.latitude + reach)
        guard south > -90, north < 90 else {
            return [GeoBox(south: max(south, -90), north: min(north, 90), west: -180, east: 180)]
        }
        // The circle is widest where a meridian touches it. That point is not at the centre's own latitude, so the formula for a spherical
        // right triangle (Bronshtein) gives the width.
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
    /// The minimum inner radius of a ring, in metres, from which the boxes leave a hole in the middle. A smaller hole would be too inexact,
    /// because the R*Tree rounds coordinates to one or two metres.
    private static let holeMetersMin = 10.0
    /// The hole in the middle of a ring is a square: half its side is this fraction of the ring's inner radius. It is a little smaller than
    /// the largest square inside the circle, because degrees of longitude get shorter towards the poles.
    private static let holePart = 0.9 / 2.0.squareRoot()
    /// The maximum latitude, in degrees, up to which the boxes leave a hole. Up to this latitude, the hole lies inside circles of up to a
    /// hundred kilometres.
    private static let holeLatitudeMax = 70.0

    /// Returns boxes that contain the ring between two distances. If possible, they leave out most of what is nearer, so that the later
    /// pages of a list do not visit the nearer items again.
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
    /// The mean radius of the WGS 84 ellipsoid in metres, (2a + b) / 3, as IUGG defines it. Compared with the ellipsoid, distances on this
    /// sphere are wrong by at most 0.6 %.
    package static let radiusMeters = 6_371_008.8

    /// The distance by the haversine formula (Sinnott, 1984). It is also exact for small distances, where the law of cosines loses digits.
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
