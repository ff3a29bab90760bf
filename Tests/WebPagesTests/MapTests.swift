import Loyalty
import Testing

@testable import WebPages

@Suite struct MapTests {
    private static let shanghai = Coordinate(latitude: 31.2304, longitude: 121.4737)
    private static let address = "https://tiles.example:8443/{z}/{x}/{y}.png?key=a-b"

    private static func frame(_ tiles: MapTiles? = nil) -> PageFrame {
        PageFrame(language: .english, path: "/", publicURL: "https://tea.example", tiles: tiles)
    }

    private static func shop(at place: Coordinate?) -> Shop {
        Shop(
            id: ShopID(1), owner: AccountID(2),
            contact: place.map { .clear(ShopContact(name: "\"><b>Tea", phone: "010", address: "1 Tea Road", location: $0)) } ?? .erased,
            images: [], isSuspended: false, openedAt: Instant(microseconds: 0), version: 1)
    }

    private static func home(_ tiles: MapTiles?, at place: Coordinate? = shanghai, from center: Coordinate? = nil) -> WebPage {
        let item = FoundItem(
            shop: shop(at: place), running: 1, image: nil, distanceMillimeters: center == nil ? nil : 1_234_567, in: .english)
        let query = HomeQuery(list: .shops, text: nil, kind: nil, sort: nil, near: nil)
        return .home(query, [item], next: nil, around: center, in: frame(tiles))
    }

    @Test("The policy of a page with a map adds the tile server and nothing else")
    func policy() throws {
        let tiles = try #require(MapTiles(address: Self.address, attribution: "Us"))
        let plain = WebPage.securityPolicy
        #expect(WebPage.securityPolicy(tiles: nil) == plain && !plain.contains("example"))
        let policy = WebPage.securityPolicy(tiles: tiles)
        #expect(policy.replacing(" https://tiles.example:8443", with: "") == plain)
        #expect(policy.contains("img-src 'self' blob: https://tiles.example:8443; "))
    }

    @Test(
        "An address that is not one of tiles, or has characters with a meaning in a policy or in HTML, is refused",
        arguments: [
            "", "tiles.example/{z}/{x}/{y}.png", "ftp://tiles.example/{z}/{x}/{y}", "https://tiles.example/{z}/{x}.png",
            "https://{z}.example/{x}/{y}/{z}x", "https://a.example;script-src/{z}/{x}/{y}", "https://a b/{z}/{x}/{y}",
            "https://u:p@tiles.example/{z}/{x}/{y}", "https://tiles.example/{z}/{x}/{y}\"onload=", "https://*/{z}/{x}/{y}",
            "https://tiles.example/{z}/{x}/{y};default-src *", "https://tiles.example",
            // The map's script throws on a placeholder that it does not know.
            "https://tiles.example/{z}/{x}/{y}?key={key}", "https://tiles.example/{style}/{z}/{x}/{y}",
            "https://tiles.example/{z}/{x}/{y}}",
        ])
    func refused(_ address: String) {
        let tiles = MapTiles(address: address, attribution: "Us")
        #expect(tiles == nil, "\(address)")
    }

    @Test("The placeholders that the map's script knows are accepted", arguments: ["{z}/{x}/{y}/{-y}", "{s}/{z}/{x}/{y}{r}.png"])
    func words(_ path: String) {
        #expect(MapTiles(address: "https://tiles.example/" + path, attribution: "Us") != nil)
    }

    @Test("The last word of an attribution is a link if it looks like one")
    func attribution() throws {
        let linked = try #require(MapTiles(address: Self.address, attribution: "© OpenStreetMap contributors https://osm.org/copyright"))
        #expect(linked.attribution == "© OpenStreetMap contributors" && linked.attributionLink == "https://osm.org/copyright")
        let plain = try #require(MapTiles(address: Self.address, attribution: "https://osm.org"))
        #expect(plain.attribution == "https://osm.org" && plain.attributionLink == nil)
        #expect(MapTiles(address: Self.address, attribution: " ") == nil)
    }

    @Test("A page has a map only if there are a tile server and a place, and its values are escaped")
    func pages() throws {
        let tiles = try #require(MapTiles(address: Self.address, attribution: "<i>Us</i> https://us.example/?a=\"b"))
        #expect(!Self.home(nil).html.contains("id=\"map\"") && Self.home(nil).tiles == nil)
        #expect(!Self.home(tiles, at: nil).html.contains("id=\"map\"") && Self.home(tiles, at: nil).tiles == nil)
        let page = Self.home(tiles)
        #expect(page.tiles == tiles && page.html.contains("data-tiles=\"\(Self.address)\""))
        #expect(page.html.contains("data-place=\"31.2304,121.4737\" data-name=\"&quot;&gt;&lt;b&gt;Tea\""))
        #expect(page.html.contains("&lt;i&gt;Us&lt;/i&gt;") && !page.html.contains("<i>Us"))
        #expect(page.html.contains("href=\"https://us.example/?a=&quot;b\""))
        #expect(!page.html.contains("leaflet"), "no part of the map is loaded before the reader asks for it")
    }

    @Test("Places are shown on the grid for which the map is drawn")
    func grid() throws {
        let tiles = try #require(MapTiles(address: Self.address, attribution: "Us", grid: .china))
        let shifted = try #require(ChinaGrid.shifted(Self.shanghai))
        #expect(Self.home(tiles).html.contains("data-place=\"\(shifted.latitude),\(shifted.longitude)\""))
        let paris = Coordinate(latitude: 48.86, longitude: 2.34)
        #expect(Self.home(tiles, at: paris).html.contains("data-place=\"48.86,2.34\""))
    }

    @Test(
        "A direction is the nearest of eight",
        arguments: [
            (1.0, 0.0, Compass.north), (1, 1, .northEast), (0, 1, .east), (-1, 1, .southEast), (-1, 0, .south), (-1, -1, .southWest),
            (0, -1, .west), (1, -1, .northWest), (1, 0.3, .north), (1, 0.6, .northEast), (0, 0, .north),
        ])
    func directions(_ north: Double, _ east: Double, _ expected: Compass) {
        let start = Coordinate(latitude: 0, longitude: 0)
        #expect(Compass(from: start, to: Coordinate(latitude: north / 100, longitude: east / 100)) == expected)
    }

    @Test("A direction does not end at the date line")
    func dateLine() {
        let (fiji, samoa) = (Coordinate(latitude: -17, longitude: 179.9), Coordinate(latitude: -17, longitude: -179.9))
        #expect(Compass(from: fiji, to: samoa) == .east && Compass(from: samoa, to: fiji) == .west)
    }

    @Test("A distance is shown with its direction, but without one for a shop next door")
    func distances() {
        let south = Coordinate(latitude: 31.2193, longitude: 121.4737)
        #expect(Self.home(nil, at: south, from: Self.shanghai).html.contains("<span class=\"end\">1.2 km south</span>"))
        #expect(FoundItem.distance(1_234_567, .south, .chinese) == "南 1.2 公里")
        #expect(FoundItem.distance(150_000, nil, .english) == "150 m")
    }
}
