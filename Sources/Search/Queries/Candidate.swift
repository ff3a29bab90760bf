internal import Foundation
internal import GRDB
internal import Loyalty

/// A row that may belong on a page: what it is, and where it stands in the order.
///
/// Every row that a walk visits counts, whether it matches or not: conditions are judged in the walk, not by SQLite, which would visit an
/// unbounded number. A walk visits at most 4,096 rows and a search 16,384; a page that used them up ends there, and its cursor continues.
/// Near a place, the order's index is walked only if more candidates are there than may be sorted; by distance, rings are narrowed until
/// one fits. Of more than 4,096 rows in one building, the rest are left out. A list by popularity considers 2,048 changes since its first
/// page and continues with the present order beyond that, so an item that moved may appear twice.
struct Candidate: Hashable {
    /// Position of the event that made it.
    let n: Int64
    let id: UInt128
    /// The distance; nil without a place in the search.
    var millimeters: UInt32?
    var favorites: Int64

    /// Reads a row of `n, id, favorites`.
    init(_ row: Row) {
        let id: Data = row[1]
        (n, self.id, favorites) = (row[0], UInt128(blob: id), row[2])
    }

    /// From a row of `n, id, favorites, latitude, longitude`; nil for what lies too far away.
    init?(_ row: Row, near: Near) {
        self.init(row)
        let meters = GreatCircle.meters(near.center, Coordinate(latitude: row[3], longitude: row[4]))
        guard meters <= near.radiusMeters else { return nil }
        millimeters = UInt32((meters * 1_000).rounded())
    }

    /// Whether this one comes first.
    func precedes(_ other: Candidate, by sort: DiscoverySort) -> Bool {
        switch sort {
        case .distance: (millimeters ?? 0, n) < (other.millimeters ?? 0, other.n)
        case .newest: n > other.n
        case .popular: (favorites, n) > (other.favorites, other.n)
        }
    }

    /// Whether it comes behind a page's end.
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

/// Rows that a search may still look at, and how many it has.
///
/// Every row that comes up in a walk counts, whether it fits or not: what a search costs is what it looks at. A search that has used up
/// its looks ends its page where it stands, and the page's cursor goes on from there.
final class Looks {
    private(set) var count = 0
    /// The ``count`` at which the walk in progress ends.
    private var end = 0
    private let max: Int

    /// - Parameter max: rows that all walks of one search may look at.
    init(max: Int) {
        self.max = max
    }

    /// Begins a walk of its own bound.
    func begin() {
        end = min(count + SearchLimits.looksPerWalk, max)
    }

    /// Whether another row may be looked at in this walk; then it counts.
    func take() -> Bool {
        guard count < end else { return false }
        count += 1
        return true
    }

    /// Whether there is enough left for a whole walk.
    var hasAnotherWalk: Bool { max - count >= SearchLimits.looksPerWalk }
}

/// Rows that a walk has brought up.
struct Walk {
    /// The matching items, in the order of the walk.
    var found: [Candidate] = []
    /// The last row that was looked at.
    var last: Candidate?
    /// Whether the walk stopped at its limit of rows; there may be further rows.
    var isCut = false
}

/// Candidates in order, up to one more than a page holds.
struct Listed {
    var candidates: [Candidate]
    /// The place where the walk was cut. The next page continues here unless a better place is known.
    var end: DiscoveryCursor?
}
