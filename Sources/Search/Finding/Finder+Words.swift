internal import GRDB

extension Finder {
    /// Whether so few rows match that all of them may be looked at.
    func matchesAreFew(_ text: TextQuery) throws -> Bool {
        let query: SQL = """
            SELECT count(*) FROM
            (SELECT 1 FROM \(source.words) WHERE \(source.words) MATCH \(text.expression) LIMIT \(SearchLimits.matchesMax + 1))
            """
        let count = try SQLRequest<Int>(literal: query, cached: true).fetchOne(db) ?? 0
        return count <= SearchLimits.matchesMax
    }

    /// Everything that matches, as it stood at the position that the list shows.
    func matching(_ text: TextQuery) throws -> [Candidate] {
        var query: SQL =
            "SELECT \(source.columns)\(location), \(condition) FROM \(source.words) AS w \(source.joinedToWords)\(placesJoined)"
        query += " WHERE \(source.words) MATCH \(text.expression) AND \(source.number) <= \(seen)"
        return try walk(query).found
    }

    /// Whether a row is one of those asked for; its place is judged here, in Swift.
    var fits: SQL { "(\(condition)\(wordsCompared))" }

    /// Brings in the words of the rows that come up.
    var wordsJoined: SQL {
        text == nil ? "" : " CROSS JOIN \(source.words) AS w ON w.rowid = \(source.number)"
    }

    /// The comparison of a row's words with those typed, byte by byte: what the index would answer.
    var wordsCompared: SQL {
        (text?.needles ?? []).reduce("") { $0 + " AND instr(' ' || w.words || ' ', \($1)) > 0" }
    }
}
