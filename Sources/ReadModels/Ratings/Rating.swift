/// What customers think of a shop: the latest rating of each account. Integers only, so that it is the same everywhere.
public struct Rating: Hashable, Sendable {
    /// Accounts that have rated.
    public internal(set) var count: Int
    /// Of their latest ratings.
    public internal(set) var sum: Int
    /// How many gave one star, …, five stars.
    public internal(set) var histogram: [Int]

    /// Nobody has rated.
    public static let none = Rating(count: 0, sum: 0, histogram: [0, 0, 0, 0, 0])

    init(count: Int, sum: Int, histogram: [Int]) {
        self.count = count
        self.sum = sum
        self.histogram = histogram
    }

    /// Nil where nobody has rated.
    public var average: Double? { count > 0 ? Double(sum) / Double(count) : nil }

    /// Counts an account's rating, in place of its earlier one where it has one.
    package mutating func add(_ rating: Int, replacing earlier: Int?) {
        if let earlier {
            sum -= earlier
            histogram[earlier - 1] -= 1
        } else {
            count += 1
        }
        sum += rating
        histogram[rating - 1] += 1
    }

    /// Takes an account's rating back, so that an earlier one of its counts again where there is one.
    mutating func remove(_ rating: Int, uncovering earlier: Int?) {
        sum -= rating
        histogram[rating - 1] -= 1
        count -= 1
        if let earlier { add(earlier, replacing: nil) }
    }
}
