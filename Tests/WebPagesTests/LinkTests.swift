import Foundation
import Loyalty
import Testing

@testable import WebPages

@Suite struct LinkTests {
    private static let shanghai = Coordinate(latitude: 31.1774276, longitude: 121.5272106)

    @Test(
        "The shift to AMap's grid matches known places to a metre",
        arguments: [
            (Coordinate(latitude: 31.1774276, longitude: 121.5272106), Coordinate(latitude: 31.1753039, longitude: 121.5315418)),
            (Coordinate(latitude: 22.543847, longitude: 113.912316), Coordinate(latitude: 22.5407961, longitude: 113.9171764)),
            (Coordinate(latitude: 39.911954, longitude: 116.377817), Coordinate(latitude: 39.9133454, longitude: 116.3840472)),
        ])
    func grid(_ place: Coordinate, _ expected: Coordinate) throws {
        let shifted = try #require(ChinaGrid.shifted(place))
        #expect(abs(shifted.latitude - expected.latitude) < 1e-6 && abs(shifted.longitude - expected.longitude) < 1e-6, "\(shifted)")
    }

    @Test(
        "A place outside mainland China is not shifted",
        arguments: [
            (60.17, 24.94), (37.5665, 126.978), (35.6762, 139.6503), (25.033, 121.5654), (21.0278, 105.8342), (1.29, 103.85),
            (47.92, 106.9),
        ])
    func elsewhere(_ place: (Double, Double)) {
        let place = Coordinate(latitude: place.0, longitude: place.1)
        #expect(ChinaGrid.shifted(place) == nil)
        #expect(MapLinks(name: "x", at: place).amap.hasSuffix("position=\(place.longitude),\(place.latitude)&name=x&coordinate=wgs84"))
    }

    @Test("Each map service gets the place in its own format")
    func links() {
        let links = MapLinks(name: "茶 & \"Tea\"", at: Self.shanghai)
        let name = "%E8%8C%B6%20%26%20%22Tea%22"
        #expect(links.map == "geo:31.1774276,121.5272106?q=31.1774276,121.5272106(\(name))")
        #expect(links.apple == "https://maps.apple.com/?ll=31.1774276,121.5272106&q=\(name)")
        #expect(links.google == "https://www.google.com/maps/search/?api=1&query=31.1774276,121.5272106")
        #expect(links.amap == "https://uri.amap.com/marker?position=121.531542,31.175304&name=\(name)&coordinate=gaode")
        for link in [links.map, links.apple, links.google, links.amap] { #expect(URL(string: link) != nil) }
    }
}
