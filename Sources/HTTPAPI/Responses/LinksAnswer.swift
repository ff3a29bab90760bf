import Loyalty
import WebPages

/// How to get to a shop, for each map that a phone may have.
struct LinksAnswer: JSONWritable {
    let name: String
    let place: Coordinate

    func write(to json: inout JSONWriter) {
        let links = MapLinks(name: name, at: place)
        json.object {
            $0.field("map", links.map)
            $0.field("apple", links.apple)
            $0.field("google", links.google)
            $0.field("amap", links.amap)
        }
    }
}
