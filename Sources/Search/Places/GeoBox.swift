/// A stretch of latitudes and longitudes in degrees, ends included, that does not cross the antimeridian.
struct GeoBox: Hashable {
    let south: Double
    let north: Double
    let west: Double
    let east: Double
}
