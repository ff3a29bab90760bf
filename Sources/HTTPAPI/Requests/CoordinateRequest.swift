/// A place in WGS 84 degrees.
struct CoordinateRequest: JSONReadable {
    let latitude: Double
    let longitude: Double

    init(_ fields: inout FieldReader) {
        latitude = fields.double("latitude")
        longitude = fields.double("longitude")
    }
}
