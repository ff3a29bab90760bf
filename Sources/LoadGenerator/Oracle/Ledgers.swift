import Synchronization

/// The expected state that all lanes share.
struct Ledgers: Sendable {
    let violations: Violations
    let codes: CodeLedger
    let papers: PaperLedger
    let ratings = RatingBook()
    let places = PlaceBook()
    let measurements: Measurements

    init(_ measurements: Measurements) {
        violations = Violations()
        codes = CodeLedger(violations)
        papers = PaperLedger(violations)
        self.measurements = measurements
    }
}

/// The answers by which the server broke a rule. Any lane may report.
final class Violations: Sendable {
    private let state = Mutex((count: 0, texts: [String]()))

    func report(_ text: String) {
        state.withLock { state in
            state.count += 1
            if state.texts.count < Limits.violationsKeptMax { state.texts.append(text) }
        }
    }

    func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { report(text()) } }

    var count: Int { state.withLock { $0.count } }

    var texts: [String] { state.withLock { $0.texts } }
}

/// The latest rating of each customer for each shop. A customer's requests come from one lane, so the latest is known. Any lane may add.
final class RatingBook: Sendable {
    private let latest = Mutex<[Int: [Int: Int]]>([:])

    func rated(shop: Int, by customer: Int, _ stars: Int) {
        latest.withLock { $0[shop, default: [:]][customer] = stars }
    }

    /// Call it after the last rating.
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

/// The sums of some shops, expected or as their statistics show them.
public struct PlaceSums: Sendable, Equatable, Codable {
    /// Including those of stamps given at the counter.
    public var codes = 0
    /// Counted for the shop that issued the code.
    public var stamps = 0
    public var redemptions = 0
}

/// Each shop's codes, stamps and redemptions, as its statistics must show them. Any lane may add.
final class PlaceBook: Sendable {
    private let places = Mutex<[String: PlaceSums]>([:])

    func issued(at place: String) { places.withLock { $0[place, default: PlaceSums()].codes += 1 } }

    func stamped(_ stamps: Int, at place: String) { places.withLock { $0[place, default: PlaceSums()].stamps += stamps } }

    func redeemed(at place: String) { places.withLock { $0[place, default: PlaceSums()].redemptions += 1 } }

    func sum(of ids: some Sequence<String>) -> PlaceSums {
        places.withLock { places in
            ids.compactMap { places[$0] }.reduce(into: PlaceSums()) { sum, place in
                sum.codes += place.codes
                sum.stamps += place.stamps
                sum.redemptions += place.redemptions
            }
        }
    }

    /// Call it after the last write.
    func check(_ shown: PlaceSums, of place: String, _ violations: Violations) {
        let expected = sum(of: [place])
        violations.require(shown == expected, "shop \(place) counts \(shown), it should be \(expected)")
    }
}

/// The rule for searches around a shop.
enum NearbyRule {
    /// Metres to the shop itself: coordinates are stored unchanged, and distances have three decimals.
    private static let metersMax = 1.0

    /// Nil if the list obeys the rule.
    static func violation(of items: [FoundBody], within radius: Double) -> String? {
        let distances = items.compactMap(\.distance)
        guard distances.count == items.count else { return "a shop nearby has no distance" }
        guard let nearest = distances.first, nearest <= metersMax else { return "a shop is not found where it stands" }
        guard zip(distances, distances.dropFirst()).allSatisfy({ $0 <= $1 }) else { return "shops nearby are not in the order of distance" }
        guard distances.allSatisfy({ $0 <= radius }) else { return "a shop nearby is out of reach" }
        return nil
    }
}

/// The times of a customer's latest answered reviews. The service counts a review before it answers and so forgets it earlier: it must
/// accept a review whenever this list has room.
struct ReviewTimes: Sendable {
    private var answered: [ContinuousClock.Instant] = []

    mutating func haveRoom(at now: ContinuousClock.Instant) -> Bool {
        answered.removeAll { $0 + Limits.reviewWindow <= now }
        return answered.count < Limits.reviewsMax
    }

    mutating func add(at now: ContinuousClock.Instant) { answered.append(now) }
}
