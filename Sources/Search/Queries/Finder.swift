internal import EventLog
internal import GRDB
internal import Loyalty
internal import Projections
internal import ReadModels

/// One search for shops or campaigns, in one snapshot of the database.
///
/// There are five ways to find the items:
/// - Among given ones: read and sort them, up to the budget.
/// - In one shop: read and sort all its items, whose number the rules limit.
/// - If few rows match the typed words: read and sort them, found by the full-text index.
/// - Nearest first: search rings around the place, each three times as wide, until one contains a full page.
/// - Otherwise: read along an index in the list's order. Only by age does this use the full-text index.
///
/// No search visits more than ``SearchLimits/looksMax`` rows, so a page may be short although there is a next.
struct Finder {
    let db: Database
    let source: Source
    let condition: SQL
    let shop: ShopID?
    let near: Near?
    let text: TextQuery?
    /// The ids to search among; nil for all.
    let among: [UInt128]?
    let sort: DiscoverySort
    let after: DiscoveryCursor?
    /// The place of ``after``.
    let begin: ListPlace?
    let limit: Int
    /// The log position whose state the list shows: the first page's, unless too many favourites or ratings have changed since.
    let seen: Int64
    /// Only items created after this position are found.
    var since: Int64 = 0
    let looks = Looks(max: SearchLimits.looksMax)

    init(
        _ db: Database, _ source: Source, condition: SQL, shop: ShopID? = nil, near: Near?, text: String?, among: [UInt128]? = nil,
        sort: DiscoverySort, after: DiscoveryCursor?, limit: Int
    ) throws {
        (self.db, self.source, self.condition, self.shop, self.near) = (db, source, condition, shop, near)
        self.text = text.map(TextQuery.init)
        (self.among, self.sort, self.after) = (among, sort, after)
        begin = try after.map { try Self.place(of: $0, in: source, by: sort, db) }
        self.limit = min(max(limit, SearchLimits.pageItems.lowerBound), SearchLimits.pageItems.upperBound)
        seen = try Self.seen(db, sort, after)
    }

    /// Chooses ``seen``. By popularity and rating, each later change must be read; after too many, the current order is used.
    private static func seen(_ db: Database, _ sort: DiscoverySort, _ after: DiscoveryCursor?) throws -> Int64 {
        guard let after else { return Int64(bitPattern: try db.mark().position.rawValue) }
        guard sort == .popular || sort == .rating else { return Int64(after.seen) }
        let table: SQL = sort == .popular ? "changes" : "rerated"
        let changes: SQL =
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE n > \(Int64(after.seen)) LIMIT \(SearchLimits.changesMax + 1))"
        let count = try SQLRequest<Int>(literal: changes, cached: true).fetchOne(db) ?? 0
        return count > SearchLimits.changesMax ? Int64(bitPattern: try db.mark().position.rawValue) : Int64(after.seen)
    }

    func page<Noun>(of noun: Noun.Type) throws -> FoundPage<Noun> {
        let listed = try listed()
        let found = listed.candidates
        let items = found.prefix(limit).map { candidate in
            Found(id: ID<Noun>(candidate.id), distanceMillimeters: candidate.millimeters.map(Int.init))
        }
        let next = found.count > limit ? found[limit - 1].cursor(by: sort, seen: UInt64(bitPattern: seen)) : listed.end
        return FoundPage(items: items, next: next, looks: looks.count)
    }

    private func listed() throws -> Listed {
        if let text, text.parts.isEmpty { return Listed(candidates: []) }
        if let among { return Listed(candidates: first(try asSeen(given(among)))) }
        if let shop { return Listed(candidates: first(try asSeen(all(of: shop)))) }
        if let text, try matchesAreFew(text) { return Listed(candidates: first(try asSeen(matching(text)))) }
        if let near {
            if sort == .distance { return try nearest(near) }
            let inside = try ring(near, from: 0, to: near.radiusMeters)
            if !inside.isCut { return Listed(candidates: first(try asSeen(inside.found))) }
        }
        return switch sort {
        case .popular: try popular()
        case .rating: try rated()
        case .newest, .distance: try newest()
        }
    }

    func first(_ candidates: [Candidate]) -> [Candidate] {
        let sorted = candidates.filter { candidate in begin.map { candidate.follows($0, by: sort) } ?? true }
            .sorted { $0.precedes($1, by: sort) }
        return Array(sorted.prefix(limit + 1))
    }

    private var isCommon: Bool { text.map { $0.parts.count <= SearchLimits.keptPartsMax } ?? true }

    func walk(_ query: SQL, until enough: Int = .max) throws -> Walk {
        looks.begin()
        return try resume(query, until: enough)
    }

    func resume(_ query: SQL, until enough: Int = .max) throws -> Walk {
        let rows = try SQLRequest<Row>(literal: query, cached: isCommon).fetchCursor(db)
        var walk = Walk()
        while walk.found.count < enough, let row = try rows.next() {
            guard looks.take() else {
                walk.isCut = true
                break
            }
            let candidate = try Candidate(row)
            guard try row.decode(Int64?.self, atIndex: row.count - 1) == 1 else {
                walk.last = candidate
                continue
            }
            guard let others = try otherPlaces(of: candidate) else {
                walk.isCut = true
                break
            }
            walk.last = candidate
            if let near {
                try Candidate(row, near: near, others: others).map { walk.found.append($0) }
            } else {
                walk.found.append(candidate)
            }
        }
        return walk
    }
}

extension Finder {
    /// The items with these ids, up to the budget of one walk.
    func given(_ ids: [UInt128]) throws -> [Candidate] {
        looks.begin()
        var found: [Candidate] = []
        for id in ids where looks.left > 0 {
            var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM \(source.alone)\(placesJoined)\(wordsJoined)"
            query += " WHERE \(source.id) = \(id.blob) AND \(source.number) <= \(seen)"
            found += try resume(query).found
        }
        return found
    }

    func all(of shop: ShopID) throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM shops AS s\(source.joinedToShop)\(placesJoined)\(wordsJoined)"
        query += " WHERE s.id = \(shop.value.blob) AND \(source.number) <= \(seen)"
        let own = try walk(query).found
        return try own + shared(with: shop)
    }

    func newest() throws -> Listed {
        let before = after.map { Int64($0.number) } ?? Int64.max
        var query: SQL
        if let text {
            query = "SELECT \(source.columns)\(location), \(condition) FROM \(source.words) AS w \(source.joinedToWords)\(placesJoined)"
            query += " WHERE \(source.words) MATCH \(text.expression) AND w.rowid < \(before) AND w.rowid <= \(seen)"
            query += " AND w.rowid > \(since)"
            query += " ORDER BY w.rowid DESC"
        } else {
            query = "SELECT \(source.columns)\(location), \(fits) FROM \(source.alone)\(placesJoined)"
            query += " WHERE \(source.number) < \(before) AND \(source.number) <= \(seen) AND \(source.number) > \(since)"
            query += " ORDER BY \(source.number) DESC"
        }
        let walk = try walk(query, until: limit + 1)
        return Listed(candidates: walk.found, end: end(of: walk))
    }

    /// Finds a page by the index of favourite counts. Items that changed since the first page are inserted at their former places.
    func popular() throws -> Listed {
        let (key, number) = after.map { (Int64($0.key), Int64($0.number)) } ?? (Int64.max, Int64.max)
        var query: SQL = "SELECT \(source.columns)\(location), \(fits)"
        query += " AND NOT EXISTS (SELECT 1 FROM changes AS d WHERE d.campaign = i.n AND d.n > \(seen))"
        query += " FROM \(source.alone)\(placesJoined)\(wordsJoined) WHERE i.n <= \(seen) AND (i.favorites, i.n) < (\(key), \(number))"
        query += " ORDER BY i.favorites DESC, i.n DESC"
        let walk = try walk(query, until: limit + 1)
        guard let end = end(of: walk) else { return Listed(candidates: first(walk.found + (try changed()))) }
        // A changed item whose former place is after the walk's end belongs on a later page.
        let reached = (walk.found + (try changed())).filter { !$0.follows(ListPlace(end), by: sort) }
        return Listed(candidates: first(reached), end: end)
    }

    private func changed() throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM \(source.alone)\(placesJoined)\(wordsJoined)"
        query += " WHERE i.n <= \(seen) AND i.n IN (SELECT campaign FROM changes WHERE n > \(seen))"
        return try asSeen(walk(query).found)
    }

    private func end(of walk: Walk) -> DiscoveryCursor? {
        walk.isCut ? walk.last?.cursor(by: sort, seen: UInt64(bitPattern: seen)) : nil
    }

    func asSeen(_ candidates: [Candidate]) throws -> [Candidate] {
        if sort == .rating { return try rankedAsSeen(candidates) }
        guard sort == .popular, after != nil else { return candidates }
        let since: SQL = "SELECT campaign, sum(delta) FROM changes WHERE n > \(seen) GROUP BY campaign"
        let changes = try SQLRequest<Row>(literal: since, cached: true).fetchAll(db).map {
            (try $0.decode(Int64.self, atIndex: 0), try $0.decode(Int64.self, atIndex: 1))
        }
        let deltas = Dictionary(changes) { first, _ in first }
        return candidates.map { candidate in
            var candidate = candidate
            candidate.favorites &-= deltas[candidate.n] ?? 0
            return candidate
        }
    }
}

extension Finder {
    var placed: SQL { "p.n <= \(seen) AND (p.until IS NULL OR p.until > \(seen))" }

    var location: SQL { near == nil ? "" : ", p.latitude, p.longitude" }

    var placesJoined: SQL { near == nil ? "" : " CROSS JOIN places AS p ON p.shop = s.n AND \(placed)" }

    /// Searches in rings, each wider than the one before, until a page is full. A ring with too many rows is narrowed, and the page ends at
    /// its outer edge.
    func nearest(_ near: Near) throws -> Listed {
        // Earlier pages have shown the nearer items. The first ring must not become empty by rounding, nor exceed the search.
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
                // All items up to `whole` were found, and the next ring has too many rows. The page ends there.
                return Listed(candidates: page, end: edge(at: whole))
            } else if reach - begin > leastWidth(from: begin), looks.hasAnotherWalk {
                reach = begin + (reach - begin) / SearchLimits.narrowingFactor
            } else {
                // The ring cannot be read to its end. The next page continues behind it, if anything is there.
                return Listed(candidates: first(ring.found), end: reach < near.radiusMeters ? edge(at: reach) : nil)
            }
        }
    }

    /// In metres. Near the place a ring is wider, because the next ring's boxes cannot leave out the items shown.
    private func leastWidth(from begin: Double) -> Double {
        begin < SearchLimits.spotMeters ? SearchLimits.spotMeters : SearchLimits.leastReachMeters
    }

    /// A cursor after all items that ``ring(_:from:to:)`` keeps up to this distance. Both round to the nearest millimetre.
    private func edge(at meters: Double) -> DiscoveryCursor {
        let key = UInt32((meters * 1_000 + 0.5).rounded(.down))
        return DiscoveryCursor(key: key, number: DiscoveryCursor.numberMax, seen: UInt64(bitPattern: seen))
    }

    /// All items farther than `inner` up to `outer`, and perhaps some nearer ones.
    func ring(_ near: Near, from inner: Double, to outer: Double) throws -> Walk {
        var ring = Walk()
        looks.begin()
        for box in GeoBox.around(near.center, from: inner, to: outer) {
            let walk = try inner > 0 ? inside(box, near, from: inner, to: outer) : inside(box)
            ring.found += walk.found
            ring.isCut = ring.isCut || walk.isCut
            if ring.isCut { break }
        }
        ring.found.removeAll { Double($0.millimeters ?? 0) > outer * 1_000 + 0.5 }
        // An item may be found twice, on the border of two boxes or at several shops.
        var known: Set<UInt128> = []
        ring.found.removeAll { !known.insert($0.id).inserted }
        return ring
    }

    /// The items in a box, which suffices for a circle.
    private func inside(_ box: GeoBox) throws -> Walk { try items(at: Self.boxed, where: "\(Self.within(box)) AND \(placed)") }

    /// The items in a box that are in a ring. Places outside cost little (``SearchLimits/placesPerLook``), or one with many campaigns would
    /// use up the budgets of all rings whose boxes contain it.
    func inside(_ box: GeoBox, _ near: Near, from inner: Double, to outer: Double) throws -> Walk {
        let query: SQL = "SELECT p.n, p.latitude, p.longitude FROM \(Self.boxed) WHERE \(Self.within(box)) AND \(placed)"
        let rows = try SQLRequest<Row>(literal: query, cached: true).fetchCursor(db)
        var (places, outside, isCut): ([Int64], Int, Bool) = ([], 0, false)
        while let row = try rows.next() {
            // A row is kept for each place in the ring, whose items are visited below.
            guard looks.left > places.count else {
                isCut = true
                break
            }
            let meters = GreatCircle.meters(near.center, try Coordinate(row, at: 1))
            let millimeters = (meters * 1_000).rounded()
            if millimeters >= inner * 1_000 - 0.5, millimeters <= outer * 1_000 + 0.5 {
                places.append(try row.decode(atIndex: 0))
            } else {
                outside += 1
                if outside.isMultiple(of: SearchLimits.placesPerLook) { _ = looks.take() }
            }
        }
        let list = "[" + places.map { String($0) }.joined(separator: ",") + "]"
        var walk = try items(at: "json_each(\(list)) AS j CROSS JOIN places AS p ON p.n = j.value", where: placed)
        walk.isCut = walk.isCut || isCut
        return walk
    }

    private func items(at places: SQL, where condition: SQL) throws -> Walk {
        var query: SQL = "SELECT \(source.columns), p.latitude, p.longitude, \(fits) FROM \(places) \(source.joinedToPlaces)\(wordsJoined)"
        query += " WHERE \(condition) AND \(source.number) <= \(seen) AND \(source.number) > \(since)"
        let own = try resume(query)
        guard source.isShared, !own.isCut else { return own }
        var all = try shared(at: places, where: condition)
        all.found = own.found + all.found
        return all
    }

    private static var boxed: SQL { "boxes AS b CROSS JOIN places AS p ON p.n = b.n" }

    private static func within(_ box: GeoBox) -> SQL {
        "b.east >= \(box.west) AND b.west <= \(box.east) AND b.north >= \(box.south) AND b.south <= \(box.north)"
    }
}

extension Finder {
    func matchesAreFew(_ text: TextQuery) throws -> Bool {
        let query: SQL = """
            SELECT count(*) FROM
            (SELECT 1 FROM \(source.words) WHERE \(source.words) MATCH \(text.expression) LIMIT \(SearchLimits.matchesMax + 1))
            """
        let count = try SQLRequest<Int>(literal: query, cached: true).fetchOne(db) ?? 0
        return count <= SearchLimits.matchesMax
    }

    func matching(_ text: TextQuery) throws -> [Candidate] {
        var query: SQL =
            "SELECT \(source.columns)\(location), \(condition) FROM \(source.words) AS w \(source.joinedToWords)\(placesJoined)"
        query += " WHERE \(source.words) MATCH \(text.expression) AND \(source.number) <= \(seen) AND w.rowid > \(since)"
        return try walk(query).found
    }

    /// Whether a row matches, apart from its distance, which Swift checks.
    var fits: SQL { "(\(condition)\(wordsCompared))" }

    var wordsJoined: SQL { text == nil ? "" : " CROSS JOIN \(source.words) AS w ON w.rowid = \(source.number)" }

    /// The condition that a row contains the typed words, with the same result as the full-text index.
    var wordsCompared: SQL { (text?.needles ?? []).reduce("") { $0 + " AND instr(' ' || w.words || ' ', \($1)) > 0" } }
}
