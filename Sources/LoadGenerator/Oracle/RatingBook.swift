import Synchronization

/// The latest rating of each customer for each shop. Any lane may tell; a customer belongs to one lane, so there is a latest.
final class RatingBook: Sendable {
    private let latest = Mutex<[Int: [Int: Int]]>([:])

    func rated(shop: Int, by customer: Int, _ stars: Int) {
        latest.withLock { $0[shop, default: [:]][customer] = stars }
    }

    /// Holds a shop's page, read when nobody rates any more, to what everybody said.
    func check(_ shown: ShopBody.Rating, of shop: Int, _ violations: Violations) {
        let stars = latest.withLock { Array(($0[shop] ?? [:]).values) }
        let histogram = (1...5).map { star in stars.count { $0 == star } }
        violations.require(
            shown.count == stars.count && shown.histogram == histogram,
            "shop \(shop) has the ratings \(shown.histogram) (\(shown.count)), it should have \(histogram) (\(stars.count))")
        let mean = stars.isEmpty ? nil : Double(stars.reduce(0, +)) / Double(stars.count)
        violations.require(Self.agree(shown.average, mean), "shop \(shop) has the mean \(shown.average ?? 0) in place of \(mean ?? 0)")
    }

    private static func agree(_ left: Double?, _ right: Double?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return abs(left - right) < 1e-9
    }
}
