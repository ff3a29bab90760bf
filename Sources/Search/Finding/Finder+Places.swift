internal import GRDB

extension Finder {
    /// Where a shop was at the position that the list shows.
    var placed: SQL { "p.n <= \(seen) AND (p.until IS NULL OR p.until > \(seen))" }

    /// Circles, each wider than the one before, until there is a page.
    func nearest(_ near: Near) throws -> [Candidate] {
        // A page that goes on from far away need not begin in the middle; a little more, so that it does not end where it begins.
        let begin = after.map { Double($0.key) / 1_000 * 1.2 } ?? 0
        var reach = max(SearchLimits.firstReachMeters, begin)
        while true {
            let page = first(try within(near, min(reach, near.radiusMeters)))
            if page.count > limit || reach >= near.radiusMeters { return page }
            reach *= SearchLimits.reachFactor
        }
    }

    /// Everything within a circle.
    func within(_ near: Near, _ meters: Double) throws -> [Candidate] {
        let circle = Near(center: near.center, radiusMeters: meters)
        return try GeoBox.around(near.center, meters: meters).flatMap { try inside($0) }
            .filter { Double($0.millimeters ?? 0) <= circle.radiusMeters * 1_000 + 0.5 }
    }

    private func inside(_ box: GeoBox) throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns), p.latitude, p.longitude FROM boxes AS b CROSS JOIN places AS p ON p.n = b.n "
        query += source.joinedToPlaces
        query += wordsJoined
        query += " WHERE b.east >= \(box.west) AND b.west <= \(box.east) AND b.north >= \(box.south) AND b.south <= \(box.north)"
        query += " AND \(placed) AND \(source.number) <= \(seen) AND \(condition)\(wordsCompared)"
        return try fetch(query)
    }
}
