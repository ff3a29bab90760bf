internal import GRDB

extension Finder {
    /// Down the numbers, which are older with every row.
    func newest() throws -> [Candidate] {
        let before = after.map { Int64($0.number) } ?? Int64.max
        var query: SQL
        if let text {
            query = "SELECT \(source.columns) FROM \(source.words) AS w \(source.joinedToWords)"
            query += " WHERE \(source.words) MATCH \(text.expression) AND w.rowid < \(before) AND w.rowid <= \(seen) AND \(condition)"
            query += " ORDER BY w.rowid DESC"
        } else {
            query = "SELECT \(source.columns) FROM \(source.alone) WHERE \(source.number) < \(before) AND \(source.number) <= \(seen)"
            query += " AND \(condition) ORDER BY \(source.number) DESC"
        }
        return try fetch(query + " LIMIT \(limit + 1)")
    }

    /// Down the index of favourites. What has gained or lost some since the first page is taken out of its new place and put where it
    /// was.
    func popular() throws -> [Candidate] {
        let (key, number) = after.map { (Int64($0.key), Int64($0.number)) } ?? (Int64.max, Int64.max)
        var query: SQL = "SELECT \(source.columns) FROM \(source.alone)\(wordsJoined) WHERE \(condition) AND i.n <= \(seen)"
        query += " AND (i.favorites, i.n) < (\(key), \(number))\(wordsCompared)"
        query += " AND NOT EXISTS (SELECT 1 FROM changes AS d WHERE d.campaign = i.n AND d.n > \(seen))"
        query += " ORDER BY i.favorites DESC, i.n DESC LIMIT \(limit + 1)"
        return first(try fetch(query) + changed())
    }

    /// What has gained or lost favourites since the position that the list shows, as it stood there.
    private func changed() throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns) FROM \(source.alone)\(wordsJoined) WHERE \(condition) AND i.n <= \(seen)"
        query += " AND i.n IN (SELECT campaign FROM changes WHERE n > \(seen))\(wordsCompared)"
        return try asSeen(fetch(query))
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
