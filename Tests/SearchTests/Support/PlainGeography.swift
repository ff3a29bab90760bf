import Foundation
import Loyalty

/// Computes distances independently of the code under test: by the angle between two vectors from the Earth's centre.
struct PlainGeography {
    let vectors: [SIMD3<Double>]

    init(_ places: [Coordinate]) {
        vectors = places.map(Self.vector)
    }

    static func vector(_ place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    /// Returns the distance between two places in metres.
    static func meters(_ from: SIMD3<Double>, _ to: SIMD3<Double>) -> Double {
        let across = SIMD3(from.y * to.z - from.z * to.y, from.z * to.x - from.x * to.z, from.x * to.y - from.y * to.x)
        return 6_371_008.8 * atan2((across * across).sum().squareRoot(), (from * to).sum())
    }

    /// Returns the places within a distance, and how far away each is.
    func within(_ meters: Double, of center: Coordinate) -> [Int: Double] {
        let from = Self.vector(center)
        // A chord is shorter than its arc. So a place is too far if one coordinate of its vector differs by more than the arc, and its
        // distance need not be computed.
        let chord = meters / 6_371_008.8 + 1e-9
        var found: [Int: Double] = [:]
        for index in vectors.indices {
            let gap = vectors[index] - from
            guard abs(gap.x) <= chord, abs(gap.y) <= chord, abs(gap.z) <= chord else { continue }
            let distance = Self.meters(from, vectors[index])
            if distance <= meters { found[index] = distance }
        }
        return found
    }
}
