internal import GRDB
internal import Loyalty

extension Finder {
    /// Where a shop was at the position that the list shows.
    var placed: SQL { "p.n <= \(seen) AND (p.until IS NULL OR p.until > \(seen))" }

    /// The columns of a row's place, where one is asked about.
    var location: SQL { near == nil ? "" : ", p.latitude, p.longitude" }

    /// Brings in the one place of each row that comes up.
    var placesJoined: SQL { near == nil ? "" : " CROSS JOIN places AS p ON p.shop = s.n AND \(placed)" }

    /// Rings, each wider than the one before, until there is a page.
    ///
    /// A ring that holds more than may be looked at is made narrower until it does not; then the page ends at its edge, and goes on from
    /// there.
    func nearest(_ near: Near) throws -> Listed {
        // What lies nearer has been shown. A ring that begins far away is a little wider, so that it does not end where it begins.
        let begin = after.map { Double($0.key) / 1_000 } ?? 0
        var (whole, reach) = (begin, min(max(SearchLimits.firstReachMeters, begin * 1.2), near.radiusMeters))
        var page: [Candidate] = []
        while true {
            let ring = try ring(near, from: begin, to: reach)
            if !ring.isCut {
                page = first(ring.found)
                if page.count > limit || reach >= near.radiusMeters { return Listed(candidates: page) }
                whole = reach
                reach = min(begin + (reach - begin) * SearchLimits.reachFactor, near.radiusMeters)
            } else if whole > begin {
                // All up to here was looked at, and more would be too much: a short page.
                return Listed(candidates: page, end: edge(at: whole))
            } else if reach - begin > leastWidth(from: begin), looks.hasAnotherWalk {
                reach = begin + (reach - begin) / SearchLimits.narrowingFactor
            } else {
                // Too many at one spot to be told apart: as many of them as were looked at, and on from behind them.
                return Listed(candidates: first(ring.found), end: edge(at: reach))
            }
        }
    }

    /// How narrow a ring may become, in metres. Near the place it must reach so far that the next one can leave out what it has shown.
    private func leastWidth(from begin: Double) -> Double {
        begin < SearchLimits.spotMeters ? SearchLimits.spotMeters : SearchLimits.leastReachMeters
    }

    /// A place in the order behind everything that is so far away.
    private func edge(at meters: Double) -> DiscoveryCursor {
        DiscoveryCursor(key: UInt32((meters * 1_000).rounded(.up)), number: DiscoveryCursor.numberMax, seen: UInt64(bitPattern: seen))
    }

    /// Everything farther than one distance and not farther than another, and perhaps a little of what is nearer.
    func ring(_ near: Near, from inner: Double, to outer: Double) throws -> Walk {
        var ring = Walk()
        looks.begin()
        for box in GeoBox.around(near.center, from: inner, to: outer) {
            let walk = try inside(box)
            ring.found += walk.found
            ring.isCut = ring.isCut || walk.isCut
            if ring.isCut { break }
        }
        ring.found.removeAll { Double($0.millimeters ?? 0) > outer * 1_000 + 0.5 }
        // The boxes touch each other: what lies on a border is in two of them.
        var known: Set<UInt128> = []
        ring.found.removeAll { !known.insert($0.id).inserted }
        return ring
    }

    private func inside(_ box: GeoBox) throws -> Walk {
        var query: SQL = "SELECT \(source.columns), p.latitude, p.longitude, \(fits) FROM boxes AS b CROSS JOIN places AS p ON p.n = b.n "
        query += source.joinedToPlaces
        query += wordsJoined
        query += " WHERE b.east >= \(box.west) AND b.west <= \(box.east) AND b.north >= \(box.south) AND b.south <= \(box.north)"
        query += " AND \(placed) AND \(source.number) <= \(seen)"
        return try goOn(query)
    }
}
