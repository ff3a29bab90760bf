internal import Foundation
package import Loyalty

/// Distances on a sphere: the shortest way along the surface.
package enum GreatCircle {
    /// The mean radius of the WGS 84 ellipsoid in metres, (2a + b) / 3, as IUGG defines it. Against the ellipsoid, distances on this
    /// sphere are wrong by at most 0.6 %.
    package static let radiusMeters = 6_371_008.8

    /// By the haversine formula (Sinnott, 1984), which is exact for small distances too, where the law of cosines loses its digits.
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
