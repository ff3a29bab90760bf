internal import Foundation
internal import GRDB
internal import Loyalty

/// A shop or campaign that may belong on a page, with the values that decide its place in the order.
///
/// Each visited row costs a unit of a budget, after which the page ends early. Matching is a column of the query, because with `WHERE`
/// SQLite would skip an unbounded number of rows.
///
/// A search by distance narrows a ring until its rows fit. More than 4,096 rows in one building are omitted. With more than 16,384 shops at
/// one spot, each ring from 0.7 to 1.6 times its distance is cut. After 2,048 changes, a list by popularity continues in the current order,
/// and an item may appear twice or not at all.
struct Candidate: Hashable {
    let n: Int64
    let id: UInt128
    /// Nil if the search has no place.
    var millimeters: UInt32?
    var favorites: Int64
    /// Other shops that the campaign names; 0 for a shop.
    let branches: Int64
    /// The ``ShopRank`` of the shop.
    var rank: Int64

    /// Reads `n, id, favorites, branches, rank`; throws `RowDecodingError` like every `decode` of this target.
    init(_ row: Row) throws {
        let id = try row.decode(Data.self, atIndex: 1)
        (n, self.id) = (try row.decode(atIndex: 0), UInt128(blob: id))
        (favorites, branches, rank) = (try row.decode(atIndex: 2), try row.decode(atIndex: 3), try row.decode(atIndex: 4))
    }

    /// Reads `n, id, favorites, branches, rank, latitude, longitude`; nil if the nearest place, also among `others`, is too far away.
    init?(_ row: Row, near: Near, others: [Coordinate] = []) throws {
        try self.init(row)
        let places = [try Coordinate(row, at: 5)] + others
        guard let meters = places.map({ GreatCircle.meters(near.center, $0) }).min(), meters <= near.radiusMeters else { return nil }
        millimeters = UInt32((meters * 1_000).rounded())
    }

    /// The place in a list's order.
    func place(by sort: DiscoverySort) -> ListPlace {
        switch sort {
        case .distance: ListPlace(key: Int64(millimeters ?? 0), number: n)
        case .newest: ListPlace(key: 0, number: n)
        case .popular: ListPlace(key: favorites, number: n)
        case .rating: ListPlace(key: rank, number: n)
        }
    }

    func precedes(_ other: Candidate, by sort: DiscoverySort) -> Bool { place(by: sort).precedes(other.place(by: sort), by: sort) }

    func follows(_ place: ListPlace, by sort: DiscoverySort) -> Bool { place.precedes(self.place(by: sort), by: sort) }

    func cursor(by sort: DiscoverySort, seen: UInt64) -> DiscoveryCursor {
        let key: UInt32 =
            switch sort {
            case .distance: millimeters ?? 0
            case .newest: 0
            case .popular: UInt32(clamping: favorites)
            case .rating: UInt32(clamping: ShopRank.mean(of: rank))
            }
        return DiscoveryCursor(key: key, number: UInt64(bitPattern: n), seen: seen)
    }
}

/// A place in the order of a list: millimetres, favourites or the shop's rank, then the number of the item.
struct ListPlace: Hashable {
    let key: Int64
    let number: Int64

    func precedes(_ other: ListPlace, by sort: DiscoverySort) -> Bool {
        sort == .distance ? (key, number) < (other.key, other.number) : (key, number) > (other.key, other.number)
    }
}

/// The budget of rows that a search may visit, see ``Candidate``.
final class Looks {
    private(set) var count = 0
    private var end = 0
    private let max: Int

    init(max: Int) { self.max = max }

    /// Begins a walk, with its own limit within the budget.
    func begin() { end = min(count + SearchLimits.looksPerWalk, max) }

    /// Returns false if the budget is used up.
    func take() -> Bool {
        guard count < end else { return false }
        count += 1
        return true
    }

    var left: Int { end - count }

    var hasAnotherWalk: Bool { max - count >= SearchLimits.looksPerWalk }
}

struct Walk {
    var found: [Candidate] = []
    /// The last completely visited row, after which the next page continues.
    var last: Candidate?
    var isCut = false
}

struct Listed {
    var candidates: [Candidate]
    /// The cursor at which the walk stopped early. It counts only if ``candidates`` has no item more than the page.
    var end: DiscoveryCursor?
}
