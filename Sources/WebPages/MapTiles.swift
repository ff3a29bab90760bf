internal import Foundation
internal import Loyalty

/// The server of a map's pictures, which an operator may name. Without one, pages list places with distance and direction.
///
/// Browsers fetch the pictures themselves, and only after somebody has asked for the map: the tile server sees their address then.
public struct MapTiles: Hashable, Sendable {
    /// The positions that the pictures were drawn for.
    public enum Grid: String, Sendable, CaseIterable {
        /// WGS 84, as nearly everywhere.
        case world
        /// China's own: places in mainland China are shifted for it.
        case china
    }

    /// The address of a picture, with `{z}`, `{x}` and `{y}` in it.
    public let address: String
    /// The makers of the map; its licence requires that they are named.
    public let attribution: String
    /// The address behind ``attribution``.
    public let attributionLink: String?
    public let grid: Grid
    /// Scheme, host and port of ``address``, as a source in a Content-Security-Policy.
    let origin: String

    /// Creates the description of a tile server.
    ///
    /// - Parameter attribution: a text; its last word is taken for a link if it begins with `https://`.
    /// - Returns: nil unless the address is one of http or https, with all three parts of a position behind its host, without a word in
    ///   braces that the map's script does not know, and without a character that means something to a policy or to HTML.
    public init?(address: String, attribution: String, grid: Grid = .world) {
        guard let match = address.wholeMatch(of: /(https?:\/\/[A-Za-z0-9.\-]+(?::[0-9]{1,5})?)\/[A-Za-z0-9.\-_~\/?&=%@+:{}]+/),
            ["{z}", "{x}", "{y}"].allSatisfy({ address.dropFirst(match.1.count).contains($0) }),
            !address.replacing(/\{(?:z|x|y|-y|s|r)\}/, with: "").contains(where: { $0 == "{" || $0 == "}" })
        else { return nil }
        let words = attribution.split(separator: " ")
        let link = words.last.flatMap { $0.hasPrefix("https://") && words.count > 1 ? String($0) : nil }
        let text = (link == nil ? words : words.dropLast()).joined(separator: " ")
        guard !text.isEmpty else { return nil }
        (self.address, origin, self.grid) = (address, String(match.1), grid)
        (self.attribution, attributionLink) = (text, link)
    }

    /// The place on the grid of the pictures.
    func shown(_ place: Coordinate) -> Coordinate { grid == .china ? ChinaGrid.shifted(place) ?? place : place }

    /// The fields of a template's `map`.
    func fields(around center: Coordinate?) -> [String: Any] {
        [
            "tiles": address, "madeBy": attribution, "madeByLink": attributionLink ?? false,
            "center": center.map { Self.text(shown($0)) } ?? "",
        ]
    }

    /// A place as the map's script reads it.
    static func text(_ place: Coordinate) -> String { "\(place.latitude),\(place.longitude)" }
}

/// The direction from one place to another, in eighths of a circle.
enum Compass: Int, CaseIterable {
    case north, northEast, east, southEast, south, southWest, west, northWest

    /// The direction in which one sets out on the shortest way (a great circle's bearing).
    init(from start: Coordinate, to end: Coordinate) {
        let radians = Double.pi / 180
        let (south, north) = (start.latitude * radians, end.latitude * radians)
        let turn = (end.longitude - start.longitude) * radians
        let bearing = atan2(sin(turn) * cos(north), cos(south) * sin(north) - sin(south) * cos(north) * cos(turn))
        let eighth = Int((bearing / (.pi / 4)).rounded())
        self = Self(rawValue: (eighth + 8) % 8) ?? .north
    }

    var word: Word {
        switch self {
        case .north: .toTheNorth
        case .northEast: .toTheNorthEast
        case .east: .toTheEast
        case .southEast: .toTheSouthEast
        case .south: .toTheSouth
        case .southWest: .toTheSouthWest
        case .west: .toTheWest
        case .northWest: .toTheNorthWest
        }
    }
}
