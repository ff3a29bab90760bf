internal import Loyalty

extension GeoBox {
    /// A hole in the middle is at least so large, in metres: the tree of places rounds to one or two.
    private static let holeMetersMin = 10.0
    /// How much of the inner circle is left out: a little less than the square inside of it, since degrees of longitude grow shorter
    /// towards the poles.
    private static let holePart = 0.9 / 2.0.squareRoot()
    /// Up to which latitude that is so, in degrees, for circles of a hundred kilometres.
    private static let holeLatitudeMax = 70.0

    /// Boxes that hold everything from one distance to another, and not all of what is nearer: so that a list which goes on from far away
    /// does not come by all that lies in between.
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
