internal import Foundation
public import Loyalty

/// Links to a shop's place, one for each map application.
public struct MapLinks: Hashable, Sendable {
    /// For the phone's own map application (RFC 5870), with a label in the form of most phones.
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

    /// AMap expects the longitude first. Inside mainland China, the link uses and names ``ChinaGrid``.
    private static func amap(_ name: String, _ place: Coordinate) -> String {
        let shifted = ChinaGrid.shifted(place)
        let shown = shifted ?? place
        let grid = shifted == nil ? "wgs84" : "gaode"
        // A millionth of a degree is about a tenth of a metre.
        let (longitude, latitude) = (shown.longitude.rounded(to: 6), shown.latitude.rounded(to: 6))
        return "https://uri.amap.com/marker?position=\(longitude),\(latitude)&name=\(name)&coordinate=\(grid)"
    }

    /// All but the unreserved characters of RFC 3986.
    static func encoded(_ text: String) -> String {
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

/// GCJ-02, the grid of maps of mainland China, some hundred metres from WGS 84. The publicly known formula is exact to about a metre.
package enum ChinaGrid {
    /// The ellipsoid of Krassowsky (1940): semi-major axis and squared eccentricity.
    private static let axisMeters = 6_378_245.0
    private static let eccentricitySquared = 0.006_693_421_622_965_943
    private static let origin = Coordinate(latitude: 35, longitude: 105)

    /// Nil outside mainland China, where the grid is not used.
    package static func shifted(_ place: Coordinate) -> Coordinate? {
        guard isCovered(place) else { return nil }
        let (x, y) = (place.longitude - origin.longitude, place.latitude - origin.latitude)
        let latitude = place.latitude * .pi / 180
        let sine = sin(latitude)
        let curvature = 1 - eccentricitySquared * sine * sine
        let north = northMeters(x, y) * 180 / (axisMeters * (1 - eccentricitySquared) / (curvature * curvature.squareRoot()) * .pi)
        let east = eastMeters(x, y) * 180 / (axisMeters / curvature.squareRoot() * cos(latitude) * .pi)
        return Coordinate(latitude: place.latitude + north, longitude: place.longitude + east)
    }

    private static func northMeters(_ x: Double, _ y: Double) -> Double {
        let level = -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * abs(x).squareRoot()
        return level + ripples(x)
            + (20 * sin(y * .pi) + 40 * sin(y / 3 * .pi)) * 2 / 3 + (160 * sin(y / 12 * .pi) + 320 * sin(y * .pi / 30)) * 2 / 3
    }

    private static func eastMeters(_ x: Double, _ y: Double) -> Double {
        let level = 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * abs(x).squareRoot()
        return level + ripples(x)
            + (20 * sin(x * .pi) + 40 * sin(x / 3 * .pi)) * 2 / 3 + (150 * sin(x / 12 * .pi) + 300 * sin(x / 30 * .pi)) * 2 / 3
    }

    private static func ripples(_ x: Double) -> Double { (20 * sin(6 * x * .pi) + 20 * sin(2 * x * .pi)) * 2 / 3 }

    // MARK: - The area of the grid

    private typealias Area = (south: Double, north: Double, west: Double, east: Double)

    /// Mainland China, approximated by rectangles in degrees.
    private static let covered: [Area] = [
        (42.8899, 49.2204, 79.4462, 96.33), (39.3742, 54.1415, 109.6872, 135.0002), (29.5297, 42.8899, 73.1246, 124.1433),
        (26.7186, 29.5297, 82.9684, 97.0352), (20.4141, 29.5297, 97.0253, 124.3674), (17.8715, 20.4141, 107.9758, 111.7441),
    ]
    /// Parts of ``covered`` outside mainland China: Taiwan, Laos and Vietnam, Mongolia and Russia.
    private static let spared: [Area] = [
        (21.785, 25.3986, 119.9213, 122.4976), (20.0988, 22.284, 101.8652, 106.665), (20.4878, 21.5422, 106.4525, 108.051),
        (50.3257, 55.8175, 109.0323, 119.127), (49.5574, 55.8175, 127.4568, 137.0227), (42.5692, 44.8922, 131.2662, 137.0227),
    ]

    private static func isCovered(_ place: Coordinate) -> Bool {
        covered.contains { contains($0, place) } && !spared.contains { contains($0, place) }
    }

    private static func contains(_ area: Area, _ place: Coordinate) -> Bool {
        (area.south...area.north).contains(place.latitude) && (area.west...area.east).contains(place.longitude)
    }
}
