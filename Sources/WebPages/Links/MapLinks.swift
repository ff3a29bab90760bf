internal import Foundation
public import Loyalty

/// How to get to a shop, for each map that a phone may have.
public struct MapLinks: Hashable, Sendable {
    /// For the phone's own choice (RFC 5870), with a label as most understand it.
    public let map: String
    public let apple: String
    public let google: String
    public let amap: String

    public init(name: String, at place: Coordinate) {
        let (latitude, longitude) = (place.latitude.description, place.longitude.description)
        let name = Self.encoded(name)
        map = "geo:\(latitude),\(longitude)?q=\(latitude),\(longitude)(\(name))"
        apple = "https://maps.apple.com/?ll=\(latitude),\(longitude)&q=\(name)"
        google = "https://www.google.com/maps/search/?api=1&query=\(latitude),\(longitude)"
        amap = Self.amap(name, place)
    }

    /// AMap wants the longitude first, and inside China its own grid; it says itself which grid a position is in.
    private static func amap(_ name: String, _ place: Coordinate) -> String {
        let shifted = ChinaGrid.shifted(place)
        let shown = shifted ?? place
        let grid = shifted == nil ? "wgs84" : "gaode"
        // A millionth of a degree is a tenth of a metre.
        let (longitude, latitude) = (shown.longitude.rounded(to: 6), shown.latitude.rounded(to: 6))
        return "https://uri.amap.com/marker?position=\(longitude),\(latitude)&name=\(name)&coordinate=\(grid)"
    }

    /// The unreserved characters of RFC 3986 stay, everything else is escaped.
    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

extension Double {
    fileprivate func rounded(to digits: Int) -> Double {
        let factor = pow(10, Double(digits))
        return (self * factor).rounded() / factor
    }
}
