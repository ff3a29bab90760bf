import Foundation
import Loyalty

/// How to get to a shop, for each map that a phone may have.
struct LinksAnswer: JSONWritable {
    let shop: Shop

    func write(to json: inout JSONWriter) {
        let (latitude, longitude) = (shop.location.latitude.description, shop.location.longitude.description)
        let name = Self.encoded(shop.name)
        json.object {
            $0.field("map", "geo:\(latitude),\(longitude)?q=\(latitude),\(longitude)(\(name))")
            $0.field("apple", "https://maps.apple.com/?ll=\(latitude),\(longitude)&q=\(name)")
            $0.field("google", "https://www.google.com/maps/search/?api=1&query=\(latitude),\(longitude)")
            // AMap moves WGS 84 to its own grid itself where it is told that it is WGS 84; it wants the longitude first.
            $0.field("amap", "https://uri.amap.com/marker?position=\(longitude),\(latitude)&name=\(name)&coordinate=wgs84")
        }
    }

    /// The unreserved characters of RFC 3986 stay, everything else is escaped.
    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
