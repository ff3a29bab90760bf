internal import Foundation
internal import Loyalty

/// The server of map tiles, which an operator may configure. Without one, pages list places with distance and direction.
///
/// Browsers fetch the tiles themselves, and the tile server then sees the reader's network address. So a page loads tiles only after the
/// reader has asked for the map.
public struct MapTiles: Hashable, Sendable {
    /// The coordinate grid for which the tiles were drawn.
    public enum Grid: String, Sendable, CaseIterable {
        /// WGS 84, which nearly all maps use.
        case world
        /// China's own grid. Places in mainland China are shifted to it.
        case china
    }

    /// The address of a tile, with the placeholders `{z}`, `{x}` and `{y}`.
    public let address: String
    /// The makers of the map; its licence requires that they are named.
    public let attribution: String
    /// The link on ``attribution``.
    public let attributionLink: String?
    public let grid: Grid
    /// Scheme, host and port of ``address``, as a source in a Content-Security-Policy.
    let origin: String

    /// Creates the description of a tile server.
    ///
    /// - Parameter attribution: a text. If it has several words and the last one begins with `https://`, that word is its link.
    /// - Returns: nil if the attribution is empty, or if the address cannot be used. The address must use http or https, and have
    ///   `{z}`, `{x}` and `{y}` after its host. It may also have `{-y}`, `{s}` and `{r}`, but no other placeholders. Characters that could
    ///   end the address in a policy or in HTML, such as spaces, quotation marks and semicolons, are refused.
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

    /// The place in the coordinates of the tiles' grid.
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

    /// The direction in which the shortest way begins (the bearing of a great circle).
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
