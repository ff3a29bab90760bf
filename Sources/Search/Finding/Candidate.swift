internal import Foundation
internal import GRDB
internal import Loyalty

/// A row that may belong on a page: what it is, and where it stands in the order.
struct Candidate: Hashable {
    /// Position of the event that made it.
    let n: Int64
    let id: UInt128
    /// Nil where no place was asked about.
    var millimeters: UInt32?
    var favorites: Int64

    /// From a row of `n, id, favorites`.
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
