internal import Foundation
internal import Loyalty

extension GeoBox {
    /// Widens boxes by a tenth of a metre, so that no rounding on the way leaves out what lies on the circle itself.
    private static let slackDegrees = 1e-6

    /// One box or two that hold everything within a distance, and little else: a box that crosses the antimeridian is split there,
    /// and one that reaches over a pole goes all the way round.
    static func around(_ center: Coordinate, meters: Double) -> [GeoBox] {
        let angle = meters / GreatCircle.radiusMeters
        let reach = GreatCircle.degrees(angle) + slackDegrees
        let (south, north) = (center.latitude - reach, center.latitude + reach)
        guard south > -90, north < 90 else {
            return [GeoBox(south: max(south, -90), north: min(north, 90), west: -180, east: 180)]
        }
        // Where the circle's tangents are meridians, not at the centre's own latitude (Bronshtein, spherical right triangle).
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
