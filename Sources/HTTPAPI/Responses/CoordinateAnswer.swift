import Loyalty

/// A place in WGS 84 degrees.
struct CoordinateAnswer: JSONWritable {
    let coordinate: Coordinate

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("latitude", coordinate.latitude)
            $0.field("longitude", coordinate.longitude)
        }
    }
}
