internal import Foundation
internal import Loyalty

/// The optional server of map tiles. Browsers fetch the tiles, and the server sees the reader's address, so a page loads them only after
/// the reader has asked for the map.
public struct MapTiles: Hashable, Sendable {
    /// The coordinate grid for which the tiles were drawn.
    public enum Grid: String, Sendable, CaseIterable {
        /// WGS 84.
        case world
        /// GCJ-02, to which places in mainland China are shifted.
        case china
    }

    /// With the placeholders `{z}`, `{x}` and `{y}`.
    public let address: String
    /// Required by the map's licence.
    public let attribution: String
    public let attributionLink: String?
    public let grid: Grid
    /// Scheme, host and port, for the Content-Security-Policy.
    let origin: String

    /// - Parameter attribution: its last word becomes the link if it begins with `https://` and is not alone.
    /// - Returns: nil without attribution, or for an unusable address: it needs http or https, and `{z}`, `{x}` and `{y}` after its host;
    ///   `{-y}`, `{s}` and `{r}` are optional. Characters that could end the address in a policy or in HTML are refused.
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

    func shown(_ place: Coordinate) -> Coordinate { grid == .china ? ChinaGrid.shifted(place) ?? place : place }

    func fields(around center: Coordinate?) -> [String: Any] {
        [
            "tiles": address, "madeBy": attribution, "madeByLink": attributionLink ?? false,
            "center": center.map { Self.text(shown($0)) } ?? "",
        ]
    }

    /// As the map's script reads it.
    static func text(_ place: Coordinate) -> String { "\(place.latitude),\(place.longitude)" }
}

/// A direction in eighths of a circle.
enum Compass: Int, CaseIterable {
    case north, northEast, east, southEast, south, southWest, west, northWest

    /// The direction in which the shortest way begins.
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
