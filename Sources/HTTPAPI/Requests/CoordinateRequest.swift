/// A place in WGS 84 degrees.
struct CoordinateRequest: Decodable {
    let latitude: Double
    let longitude: Double
}
