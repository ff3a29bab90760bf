import Foundation
import Histories
import Loyalty
import Seeds
import Testing

@testable import Search

/// Searches by distance, anywhere on Earth.
@Suite(.timeLimit(.minutes(15))) struct PlaceTests {
    /// Places that are difficult for maps: the poles, both sides of the antimeridian, their intersections, and the origin.
    static let corners = [
        Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: -90, longitude: 77), Coordinate(latitude: 89.9, longitude: -170),
        Coordinate(latitude: -89.95, longitude: 12), Coordinate(latitude: 0, longitude: 180), Coordinate(latitude: 0, longitude: -180),
        Coordinate(latitude: -17.7, longitude: 179.99), Coordinate(latitude: 65, longitude: -179.95), Coordinate(latitude: 0, longitude: 0),
        Coordinate(latitude: 60.17, longitude: 24.94),
    ]

    /// Returns a random place at most about `meters` from a centre.
    static func around(_ center: Coordinate, meters: Double, _ random: inout SeededRandom) -> Coordinate {
        let reach = meters / 111_000
        var latitude = center.latitude + Double.random(in: -reach...reach, using: &random)
        let width = min(180, reach / max(0.001, cos(latitude * .pi / 180)))
        var longitude = center.longitude + Double.random(in: -1...1, using: &random) * width
        // A place beyond a pole is moved to the same distance from the pole on the opposite meridian.
        if abs(latitude) > 90 { (latitude, longitude) = ((latitude < 0 ? -180 : 180) - latitude, longitude + 180) }
        longitude = longitude.truncatingRemainder(dividingBy: 360)
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    @Test("Two independent ways to measure distance agree")
    func distances() {
        var random = SeededRandom.announced("distances")
        for _ in 0..<20_000 {
            let from = Self.around(Self.corners.randomElement(using: &random)!, meters: 200_000, &random)
            let to = Self.around(from, meters: 200_000, &random)
            let plain = PlainGeography.meters(PlainGeography.vector(from), PlainGeography.vector(to))
            #expect(abs(GreatCircle.meters(from, to) - plain) < 1e-4, "\(from) \(to)")
        }
        let shanghai = Coordinate(latitude: 31.2304, longitude: 121.4737)
        let beijing = Coordinate(latitude: 39.9042, longitude: 116.4074)
        #expect(abs(GreatCircle.meters(shanghai, beijing) - 1_067_300) < 1_000)
        #expect(GreatCircle.meters(Coordinate(latitude: 0, longitude: 180), Coordinate(latitude: 0, longitude: -180)) < 1e-6)
    }

    @Test("Every place within the distance is within the boxes")
    func boxes() {
        var random = SeededRandom.announced("boxes")
        var (inside, crossing) = (0, 0)
        for _ in 0..<20_000 {
            let center = Self.around(Self.corners.randomElement(using: &random)!, meters: 150_000, &random)
            let meters = Double.random(in: 1...100_000, using: &random)
            let boxes = GeoBox.around(center, meters: meters)
            if boxes.count == 2 { crossing += 1 }
            #expect(boxes.allSatisfy { $0.west >= -180 && $0.east <= 180 && $0.west <= $0.east && $0.south >= -90 && $0.north <= 90 })
            let place = Self.around(center, meters: meters, &random)
            guard PlainGeography.meters(PlainGeography.vector(center), PlainGeography.vector(place)) <= meters else { continue }
            inside += 1
            #expect(boxes.contains { Self.contains($0, place) }, "\(place) around \(center)")
        }
        #expect(inside > 5_000 && crossing > 1_000)
    }

    private static func contains(_ box: GeoBox, _ place: Coordinate) -> Bool {
        (box.south...box.north).contains(place.latitude) && (box.west...box.east).contains(place.longitude)
    }

    @Test("A shop is found at exactly the search radius and not beyond it")
    func edge() async throws {
        var town = Town()
        let center = Coordinate(latitude: 10, longitude: 179.999)
        let shop = town.open("edge", at: Coordinate(latitude: 10.01, longitude: -179.999))
        let meters = GreatCircle.meters(center, town.shops[shop].place)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        #expect(try await open.all(ShopSearch(near: Near(center: center, radiusMeters: meters))).count == 1)
        #expect(try await open.all(ShopSearch(near: Near(center: center, radiusMeters: meters - 0.001))).isEmpty)
        #expect(Near(center: center, radiusMeters: 1e9).radiusMeters == 100_000)
        try open.close()
    }
}
