internal import EventLog
internal import GRDB
internal import Loyalty
internal import ReadModels

/// One search in one snapshot.
///
/// There are three ways to an answer, each bounded by what it returns and not by what there is:
/// - few rows match the words: all of them are looked at, and sorted here;
/// - nearest first: circles around the place, each three times as wide, until one holds a page;
/// - otherwise: down the index of the order, until there is a page.
/// In the last two, words are compared with those of each row that comes up.
struct Finder {
    let db: Database
    let source: Source
    /// What an item must be, besides what place and words ask: a condition on `i` and `s`.
    let condition: SQL
    let near: Near?
    let text: TextQuery?
    let sort: DiscoverySort
    let after: DiscoveryCursor?
    let limit: Int
    /// The log's position that the list shows: the first page's.
    let seen: Int64

    init(
        _ db: Database, _ source: Source, condition: SQL = "s.hidden = 0", near: Near?, text: String?, sort: DiscoverySort,
        after: DiscoveryCursor?, limit: Int
    ) throws {
        (self.db, self.source, self.condition, self.near) = (db, source, condition, near)
        self.text = text.map(TextQuery.init)
        (self.sort, self.after) = (sort, after)
        self.limit = min(max(limit, SearchLimits.pageItems.lowerBound), SearchLimits.pageItems.upperBound)
        seen = if let after { Int64(after.seen) } else { Int64(bitPattern: try db.mark().position.rawValue) }
    }

    /// The page, and what it takes to go on.
    func page<Noun>(of noun: Noun.Type) throws -> FoundPage<Noun> {
        let found = try candidates()
        let items = found.prefix(limit).map { candidate in
            Found(id: ID<Noun>(candidate.id), distanceMillimeters: candidate.millimeters.map(Int.init))
        }
        let next = found.count > limit ? found[limit - 1].cursor(by: sort, seen: UInt64(bitPattern: seen)) : nil
        return FoundPage(items: items, next: next)
    }

    /// Up to one more than the page holds, in order; the last only tells that there is more.
    private func candidates() throws -> [Candidate] {
        if let text {
            guard !text.parts.isEmpty else { return [] }
            if try matchesAreFew(text) { return first(try asSeen(matching(text))) }
        }
        if let near { return try sort == .distance ? nearest(near) : first(asSeen(within(near, near.radiusMeters))) }
        return try sort == .popular ? popular() : newest()
    }

    /// The page of what may be on it.
    func first(_ candidates: [Candidate]) -> [Candidate] {
        let sorted = candidates.filter { candidate in after.map { candidate.follows($0, by: sort) } ?? true }
            .sorted { $0.precedes($1, by: sort) }
        return Array(sorted.prefix(limit + 1))
    }

    /// Whether its statements are worth keeping compiled: each number of words has its own.
    private var isCommon: Bool { text.map { $0.parts.count <= SearchLimits.keptPartsMax } ?? true }

    /// Runs a query and makes candidates of its rows, near enough where there is a place.
    func fetch(_ query: SQL) throws -> [Candidate] {
        let rows = try SQLRequest<Row>(literal: query, cached: isCommon).fetchCursor(db)
        var found: [Candidate] = []
        while let row = try rows.next() {
            if let near { Candidate(row, near: near).map { found.append($0) } } else { found.append(Candidate(row)) }
        }
        return found
    }
}
