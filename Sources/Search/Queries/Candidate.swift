internal import Foundation
internal import GRDB
internal import Loyalty

/// A shop or campaign that may belong on a page of results, with the values that decide its place in the order.
///
/// A search reads rows in one or more walks. Each visited row costs one unit of a budget, whether the row matches or not: a walk visits at
/// most 4,096 rows, and a search 16,384. Whether a row matches is a column of the query and not part of its `WHERE`, because SQLite would
/// otherwise skip an unbounded number of rows. If the budget is used up, the page ends early, and the next page continues from there.
///
/// A search by distance visits a ring around the place, and narrows the ring until its rows fit into the budget. If one building has more
/// than 4,096 rows, the rest are omitted, and so may be other items whose distance differs by less than a metre. Four places outside a
/// ring cost as much as one row. If more than 16,384 shops are at one spot, each ring from 0.7 to 1.6 times its distance is cut: the list
/// then has hundreds of pages, which omit most items of these rings.
///
/// A list by popularity keeps the order of its first page for up to 2,048 changes of favourites. After more changes, it continues in the
/// current order, so that an item may appear twice or not at all.
struct Candidate: Hashable {
    /// The position of the event that created the item.
    let n: Int64
    let id: UInt128
    /// The distance from the searched place; nil if the search has no place.
    var millimeters: UInt32?
    var favorites: Int64
    /// The number of other shops that the campaign names; 0 for a shop.
    let branches: Int64

    /// Reads a row of `n, id, favorites, branches`.
    ///
    /// - Throws: `RowDecodingError` if the row is damaged, like every `decode` of this target.
    init(_ row: Row) throws {
        let id = try row.decode(Data.self, atIndex: 1)
        (n, self.id) = (try row.decode(atIndex: 0), UInt128(blob: id))
        (favorites, branches) = (try row.decode(atIndex: 2), try row.decode(atIndex: 3))
    }

    /// Reads a row of `n, id, favorites, branches, latitude, longitude`; nil if the item is too far away.
    ///
    /// - Parameter others: further places of the item. The distance is that of the nearest place.
    init?(_ row: Row, near: Near, others: [Coordinate] = []) throws {
        try self.init(row)
        let places = [try Coordinate(row, at: 4)] + others
        guard let meters = places.map({ GreatCircle.meters(near.center, $0) }).min(), meters <= near.radiusMeters else { return nil }
        millimeters = UInt32((meters * 1_000).rounded())
    }

    /// Whether this candidate precedes another in the order.
    func precedes(_ other: Candidate, by sort: DiscoverySort) -> Bool {
        switch sort {
        case .distance: (millimeters ?? 0, n) < (other.millimeters ?? 0, other.n)
        case .newest: n > other.n
        case .popular: (favorites, n) > (other.favorites, other.n)
        }
    }

    /// Whether this candidate comes after the end of a page, whose place in the order the cursor contains.
    func follows(_ cursor: DiscoveryCursor, by sort: DiscoverySort) -> Bool {
        let (key, number) = (Int64(cursor.key), Int64(cursor.number))
        return switch sort {
        case .distance: (Int64(millimeters ?? 0), n) > (key, number)
        case .newest: n < number
        case .popular: (favorites, n) < (key, number)
        }
    }

    func cursor(by sort: DiscoverySort, seen: UInt64) -> DiscoveryCursor {
        let key: UInt32 =
            switch sort {
            case .distance: millimeters ?? 0
            case .newest: 0
            case .popular: UInt32(clamping: favorites)
            }
        return DiscoveryCursor(key: key, number: UInt64(bitPattern: n), seen: seen)
    }
}

/// The budget of rows that a search may visit.
///
/// Every visited row uses up one unit of the budget, whether it matches or not, because each visit costs time. When the budget is used up,
/// the page ends early, and the next page continues from there.
final class Looks {
    private(set) var count = 0
    /// The ``count`` at which the current walk ends.
    private var end = 0
    private let max: Int

    /// Creates a budget.
    ///
    /// - Parameter max: the maximum number of rows for all walks of one search.
    init(max: Int) {
        self.max = max
    }

    /// Begins a walk, which has its own limit of rows within the search's budget.
    func begin() {
        end = min(count + SearchLimits.looksPerWalk, max)
    }

    /// Counts one more visited row if the walk may visit one. Returns false if the budget is used up.
    func take() -> Bool {
        guard count < end else { return false }
        count += 1
        return true
    }

    /// The number of rows that the current walk may still visit.
    var left: Int { end - count }

    /// Whether the budget suffices for another full walk.
    var hasAnotherWalk: Bool { max - count >= SearchLimits.looksPerWalk }
}

/// The result of a walk.
struct Walk {
    /// The matching items, in the order of the walk.
    var found: [Candidate] = []
    /// The last row that was visited completely. If the walk stopped early, the next page continues after this row.
    var last: Candidate?
    /// Whether the walk stopped because its budget of rows was used up, so that there may be more rows.
    var isCut = false
}

/// The candidates of one page in the list's order, and at most one more, which shows that there is a next page.
struct Listed {
    var candidates: [Candidate]
    /// The cursor at which the walk stopped early; nil if it did not. The next page continues here, unless ``candidates`` has an item more
    /// than the page: then the next page continues after the page's last item.
    var end: DiscoveryCursor?
}
