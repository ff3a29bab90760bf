internal import EventLog
internal import GRDB
internal import Loyalty
internal import ReadModels

/// One search in one snapshot.
///
/// There are four ways to an answer:
/// - of one shop: all that it has, which is bounded by the rules, sorted here;
/// - few rows match the words: all of them are looked at, and sorted here;
/// - nearest first: rings around the place, each three times as wide, until one holds a page;
/// - otherwise: down the index of the order, until there is a page; near a place only where too much lies there to be sorted here.
/// In the last two, words are compared with those of each row that comes up.
///
/// None looks at more than ``SearchLimits/looksMax`` rows, whatever is asked: a page may be short, or empty, and its cursor goes on.
struct Finder {
    let db: Database
    let source: Source
    /// What an item must be, besides what place and words ask: a condition on `i` and `s`.
    let condition: SQL
    let shop: ShopID?
    let near: Near?
    let text: TextQuery?
    let sort: DiscoverySort
    let after: DiscoveryCursor?
    let limit: Int
    /// The log's position that the list shows: the first page's.
    let seen: Int64
    let looks = Looks(max: SearchLimits.looksMax)

    init(
        _ db: Database, _ source: Source, condition: SQL = "s.hidden = 0", shop: ShopID? = nil, near: Near?, text: String?,
        sort: DiscoverySort, after: DiscoveryCursor?, limit: Int
    ) throws {
        (self.db, self.source, self.condition, self.shop, self.near) = (db, source, condition, shop, near)
        self.text = text.map(TextQuery.init)
        (self.sort, self.after) = (sort, after)
        self.limit = min(max(limit, SearchLimits.pageItems.lowerBound), SearchLimits.pageItems.upperBound)
        seen = try Self.seen(db, sort, after)
    }

    /// A list by popularity goes on as it stood at its first page, which takes a look at each change since. After more changes than are
    /// looked at it goes on as it stands now: what has changed its place meanwhile may come twice, or not at all.
    private static func seen(_ db: Database, _ sort: DiscoverySort, _ after: DiscoveryCursor?) throws -> Int64 {
        guard let after else { return Int64(bitPattern: try db.mark().position.rawValue) }
        guard sort == .popular else { return Int64(after.seen) }
        let changes: SQL =
            "SELECT count(*) FROM (SELECT 1 FROM changes WHERE n > \(Int64(after.seen)) LIMIT \(SearchLimits.changesMax + 1))"
        let count = try SQLRequest<Int>(literal: changes, cached: true).fetchOne(db) ?? 0
        return count > SearchLimits.changesMax ? Int64(bitPattern: try db.mark().position.rawValue) : Int64(after.seen)
    }

    /// The page, and what it takes to go on.
    func page<Noun>(of noun: Noun.Type) throws -> FoundPage<Noun> {
        let listed = try listed()
        let found = listed.candidates
        let items = found.prefix(limit).map { candidate in
            Found(id: ID<Noun>(candidate.id), distanceMillimeters: candidate.millimeters.map(Int.init))
        }
        let next = found.count > limit ? found[limit - 1].cursor(by: sort, seen: UInt64(bitPattern: seen)) : listed.end
        return FoundPage(items: items, next: next, looks: looks.count)
    }

    /// Up to one more than the page holds, in order; the last only tells that there is more.
    private func listed() throws -> Listed {
        if let text, text.parts.isEmpty { return Listed(candidates: []) }
        if let shop { return Listed(candidates: first(try asSeen(all(of: shop)))) }
        if let text, try matchesAreFew(text) { return Listed(candidates: first(try asSeen(matching(text)))) }
        if let near {
            if sort == .distance { return try nearest(near) }
            let inside = try ring(near, from: 0, to: near.radiusMeters)
            if !inside.isCut { return Listed(candidates: first(try asSeen(inside.found))) }
        }
        return sort == .popular ? try popular() : try newest()
    }

    /// The page of what may be on it.
    func first(_ candidates: [Candidate]) -> [Candidate] {
        let sorted = candidates.filter { candidate in after.map { candidate.follows($0, by: sort) } ?? true }
            .sorted { $0.precedes($1, by: sort) }
        return Array(sorted.prefix(limit + 1))
    }

    /// Whether its statements are worth keeping compiled: each number of words has its own.
    private var isCommon: Bool { text.map { $0.parts.count <= SearchLimits.keptPartsMax } ?? true }

    /// Walks down a query, whose last column says whether a row fits, until enough do or the walk's looks are used up.
    func walk(_ query: SQL, until enough: Int = .max) throws -> Walk {
        looks.begin()
        return try goOn(query, until: enough)
    }

    /// Goes on with a walk by another query.
    func goOn(_ query: SQL, until enough: Int = .max) throws -> Walk {
        let rows = try SQLRequest<Row>(literal: query, cached: isCommon).fetchCursor(db)
        var walk = Walk()
        while walk.found.count < enough, let row = try rows.next() {
            guard looks.take() else {
                walk.isCut = true
                break
            }
            walk.last = Candidate(row)
            guard row[row.count - 1] as Int64? == 1 else { continue }
            if let near { Candidate(row, near: near).map { walk.found.append($0) } } else { walk.found.append(Candidate(row)) }
        }
        return walk
    }
}
