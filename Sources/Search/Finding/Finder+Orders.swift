internal import GRDB
internal import Loyalty

extension Finder {
    /// Everything of one shop, which the rules bound.
    func all(of shop: ShopID) throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM shops AS s\(source.joinedToShop)\(placesJoined)\(wordsJoined)"
        query += " WHERE s.id = \(shop.value.blob) AND \(source.number) <= \(seen)"
        return try walk(query).found
    }

    /// Down the numbers, which are older with every row.
    func newest() throws -> Listed {
        let before = after.map { Int64($0.number) } ?? Int64.max
        var query: SQL
        if let text {
            query = "SELECT \(source.columns)\(location), \(condition) FROM \(source.words) AS w \(source.joinedToWords)\(placesJoined)"
            query += " WHERE \(source.words) MATCH \(text.expression) AND w.rowid < \(before) AND w.rowid <= \(seen)"
            query += " ORDER BY w.rowid DESC"
        } else {
            query = "SELECT \(source.columns)\(location), \(fits) FROM \(source.alone)\(placesJoined)"
            query += " WHERE \(source.number) < \(before) AND \(source.number) <= \(seen) ORDER BY \(source.number) DESC"
        }
        let walk = try walk(query, until: limit + 1)
        return Listed(candidates: walk.found, end: end(of: walk))
    }

    /// Down the index of favourites. What has gained or lost some since the first page is taken out of its new place and put where it
    /// was.
    func popular() throws -> Listed {
        let (key, number) = after.map { (Int64($0.key), Int64($0.number)) } ?? (Int64.max, Int64.max)
        var query: SQL = "SELECT \(source.columns)\(location), \(fits)"
        query += " AND NOT EXISTS (SELECT 1 FROM changes AS d WHERE d.campaign = i.n AND d.n > \(seen))"
        query += " FROM \(source.alone)\(placesJoined)\(wordsJoined) WHERE i.n <= \(seen) AND (i.favorites, i.n) < (\(key), \(number))"
        query += " ORDER BY i.favorites DESC, i.n DESC"
        let walk = try walk(query, until: limit + 1)
        guard let end = end(of: walk) else { return Listed(candidates: first(walk.found + (try changed()))) }
        // What changed and stands behind the walk's end comes with a later page.
        let reached = (walk.found + (try changed())).filter { !$0.follows(end, by: sort) }
        return Listed(candidates: first(reached), end: end)
    }

    /// What has gained or lost favourites since the position that the list shows, as it stood there.
    private func changed() throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM \(source.alone)\(placesJoined)\(wordsJoined)"
        query += " WHERE i.n <= \(seen) AND i.n IN (SELECT campaign FROM changes WHERE n > \(seen))"
        return try asSeen(walk(query).found)
    }

    /// Where a walk was cut; nil for one that was not.
    private func end(of walk: Walk) -> DiscoveryCursor? {
        walk.isCut ? walk.last?.cursor(by: sort, seen: UInt64(bitPattern: seen)) : nil
    }

    /// Candidates with as many favourites as they had at the position that the list shows, where that is their order.
    func asSeen(_ candidates: [Candidate]) throws -> [Candidate] {
        guard sort == .popular, after != nil else { return candidates }
        let since: SQL = "SELECT campaign, sum(delta) FROM changes WHERE n > \(seen) GROUP BY campaign"
        let changes = try SQLRequest<Row>(literal: since, cached: true).fetchAll(db).map { ($0[0] as Int64, $0[1] as Int64) }
        let deltas = Dictionary(uniqueKeysWithValues: changes)
        return candidates.map { candidate in
            var candidate = candidate
            candidate.favorites -= deltas[candidate.n] ?? 0
            return candidate
        }
    }
}
