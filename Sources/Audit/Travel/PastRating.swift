/// What customers thought of a shop: how many gave one star, …, five.
struct PastRating: Hashable {
    static let none = PastRating(stars: [0, 0, 0, 0, 0])

    var stars: [Int]

    var count: Int { stars.reduce(0, +) }

    /// Two digits behind the point; nil where nobody has rated.
    private var average: Double? {
        let sum = zip(stars, 1...).reduce(0) { $0 + $1.0 * $1.1 }
        return count > 0 ? (Double(sum) * 100 / Double(count)).rounded() / 100 : nil
    }

    var fields: [PastField] {
        [
            .number("count", count), PastField("average", average.map { .decimal($0) } ?? .none),
            PastField("stars", .list(stars.map { .number($0) })),
        ]
    }
}
