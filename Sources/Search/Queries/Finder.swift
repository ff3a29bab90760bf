internal import EventLog
internal import GRDB
internal import Loyalty
internal import Projections
internal import ReadModels

/// One search for shops or campaigns, in one snapshot of the database.
///
/// There are four ways to find the items:
/// - In one shop: read all items of the shop, and sort them. The service's rules limit their number.
/// - If few rows match the typed words: read all of these rows, and sort them.
/// - Nearest first: search rings around the place, each three times as wide as the one before, until a ring contains a full page.
/// - Otherwise: read along a database index in the order of the list, until a page is full. In a search near a place, this way is used only
///   if there are too many items nearby to sort.
///
/// The second way looks the typed words up in the full-text index, and so does the last way if the order is newest first. The other ways
/// compare the typed words with the words of each visited row.
///
/// No search visits more than ``SearchLimits/looksMax`` rows. So a page may be short or empty although there is a next page.
///
/// Searches run on the calling thread, where one takes about 150 µs. GRDB's asynchronous reads were slower: each occupied a database reader
/// for 6 ms, because its answer waited for a thread. With 64 connections, the median search then took 52 ms, and other requests 5 ms.
struct Finder {
    let db: Database
    let source: Source
    /// The SQL condition that an item must meet, apart from place and words. In it, the alias `s` is the shop and `i` the item.
    let condition: SQL
    let shop: ShopID?
    let near: Near?
    let text: TextQuery?
    let sort: DiscoverySort
    let after: DiscoveryCursor?
    let limit: Int
    /// The log position whose state the list shows. All pages of a list show the position of the first page, unless too many favourites
    /// have changed in a list by popularity.
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

    /// Chooses the log position whose state the list shows: that of the list's first page.
    ///
    /// For a list by popularity, each change of favourites after that position must be read, to restore the former order. If there are too
    /// many changes, the list continues in the current order, and an item that has moved may appear twice or not at all.
    private static func seen(_ db: Database, _ sort: DiscoverySort, _ after: DiscoveryCursor?) throws -> Int64 {
        guard let after else { return Int64(bitPattern: try db.mark().position.rawValue) }
        guard sort == .popular else { return Int64(after.seen) }
        let changes: SQL =
            "SELECT count(*) FROM (SELECT 1 FROM changes WHERE n > \(Int64(after.seen)) LIMIT \(SearchLimits.changesMax + 1))"
        let count = try SQLRequest<Int>(literal: changes, cached: true).fetchOne(db) ?? 0
        return count > SearchLimits.changesMax ? Int64(bitPattern: try db.mark().position.rawValue) : Int64(after.seen)
    }

    /// Returns the page with the cursor of the next one.
    func page<Noun>(of noun: Noun.Type) throws -> FoundPage<Noun> {
        let listed = try listed()
        let found = listed.candidates
        let items = found.prefix(limit).map { candidate in
            Found(id: ID<Noun>(candidate.id), distanceMillimeters: candidate.millimeters.map(Int.init))
        }
        let next = found.count > limit ? found[limit - 1].cursor(by: sort, seen: UInt64(bitPattern: seen)) : listed.end
        return FoundPage(items: items, next: next, looks: looks.count)
    }

    /// The candidates of the page in the list's order, and at most one more, which only shows that there is a next page.
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

    /// Sorts candidates, and returns those of this page and one more.
    func first(_ candidates: [Candidate]) -> [Candidate] {
        let sorted = candidates.filter { candidate in after.map { candidate.follows($0, by: sort) } ?? true }
            .sorted { $0.precedes($1, by: sort) }
        return Array(sorted.prefix(limit + 1))
    }

    /// Whether the compiled SQL statements of this search are cached. Each number of words needs a different statement, so only statements
    /// for few words are cached.
    private var isCommon: Bool { text.map { $0.parts.count <= SearchLimits.keptPartsMax } ?? true }

    /// Visits the rows of a query until enough rows match or the walk's limit is reached. The query's last column says whether a row
    /// matches.
    func walk(_ query: SQL, until enough: Int = .max) throws -> Walk {
        looks.begin()
        return try goOn(query, until: enough)
    }

    /// Continues a walk with another query.
    func goOn(_ query: SQL, until enough: Int = .max) throws -> Walk {
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
    /// All items of one shop, and the newest campaigns that other shops share with it. The rules limit the number of a shop's items.
    func all(of shop: ShopID) throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM shops AS s\(source.joinedToShop)\(placesJoined)\(wordsJoined)"
        query += " WHERE s.id = \(shop.value.blob) AND \(source.number) <= \(seen)"
        let own = try walk(query).found
        return try own + shared(with: shop)
    }

    /// Walks from the newest item to the oldest.
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

    /// Finds a page in the order of popularity, by the index of favourite counts. If an item's count has changed since the first page, the
    /// item is inserted at its former place in the order and not at its current one.
    func popular() throws -> Listed {
        let (key, number) = after.map { (Int64($0.key), Int64($0.number)) } ?? (Int64.max, Int64.max)
        var query: SQL = "SELECT \(source.columns)\(location), \(fits)"
        query += " AND NOT EXISTS (SELECT 1 FROM changes AS d WHERE d.campaign = i.n AND d.n > \(seen))"
        query += " FROM \(source.alone)\(placesJoined)\(wordsJoined) WHERE i.n <= \(seen) AND (i.favorites, i.n) < (\(key), \(number))"
        query += " ORDER BY i.favorites DESC, i.n DESC"
        let walk = try walk(query, until: limit + 1)
        guard let end = end(of: walk) else { return Listed(candidates: first(walk.found + (try changed()))) }
        // A changed item whose former place is after the walk's end belongs on a later page.
        let reached = (walk.found + (try changed())).filter { !$0.follows(end, by: sort) }
        return Listed(candidates: first(reached), end: end)
    }

    /// The items whose popularity changed since the position that the list shows, with their popularity at that position.
    private func changed() throws -> [Candidate] {
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM \(source.alone)\(placesJoined)\(wordsJoined)"
        query += " WHERE i.n <= \(seen) AND i.n IN (SELECT campaign FROM changes WHERE n > \(seen))"
        return try asSeen(walk(query).found)
    }

    /// The cursor of the last row that a walk visited before its budget was used up; nil if the budget sufficed.
    private func end(of walk: Walk) -> DiscoveryCursor? {
        walk.isCut ? walk.last?.cursor(by: sort, seen: UInt64(bitPattern: seen)) : nil
    }

    /// Sets the candidates' favourite counts to those at the position ``seen``, if the list is ordered by these counts.
    func asSeen(_ candidates: [Candidate]) throws -> [Candidate] {
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
    /// The SQL condition that a row of `places` was the shop's place at the position ``seen``.
    var placed: SQL { "p.n <= \(seen) AND (p.until IS NULL OR p.until > \(seen))" }

    /// The SQL columns with the coordinates of a row; empty if the search has no place.
    var location: SQL { near == nil ? "" : ", p.latitude, p.longitude" }

    /// The join that adds the place of each visited row.
    var placesJoined: SQL { near == nil ? "" : " CROSS JOIN places AS p ON p.shop = s.n AND \(placed)" }

    /// Searches in rings around a place, each wider than the one before, until a page is full.
    ///
    /// If a ring has more rows than the budget allows, it is made narrower until its rows fit. The page then ends at the ring's outer edge,
    /// and the next page continues from there.
    func nearest(_ near: Near) throws -> Listed {
        // Earlier pages have shown the nearer items. The outer radius of the first ring is at least a fifth greater than its inner radius,
        // so that rounding does not leave the ring empty. It is never greater than the radius of the search.
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
                // All items up to the distance `whole` were found, but the next ring has too many rows. So the page is short and ends
                // there.
                return Listed(candidates: page, end: edge(at: whole))
            } else if reach - begin > leastWidth(from: begin), looks.hasAnotherWalk {
                reach = begin + (reach - begin) / SearchLimits.narrowingFactor
            } else {
                // Too many items are at one spot, and the ring cannot be made narrower or the budget is used up. The page shows the items
                // that were visited, and the next page continues behind the ring. A ring that ends at the radius has nothing behind it.
                return Listed(candidates: first(ring.found), end: reach < near.radiusMeters ? edge(at: reach) : nil)
            }
        }
    }

    /// The minimum width of a ring, in metres. A ring that begins near the place must be wider, because the boxes of the next ring can
    /// leave out the items already shown only from a certain distance on.
    private func leastWidth(from begin: Double) -> Double {
        begin < SearchLimits.spotMeters ? SearchLimits.spotMeters : SearchLimits.leastReachMeters
    }

    /// A cursor that comes after all items that ``ring(_:from:to:)`` keeps up to this outer distance, and before all others. Both round to
    /// the nearest millimetre.
    private func edge(at meters: Double) -> DiscoveryCursor {
        let key = UInt32((meters * 1_000 + 0.5).rounded(.down))
        return DiscoveryCursor(key: key, number: DiscoveryCursor.numberMax, seen: UInt64(bitPattern: seen))
    }

    /// All items farther than `inner` and not farther than `outer`, and perhaps some nearer ones.
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
        // An item may be found twice: on the border between two boxes, or as a campaign that is valid at several shops in the ring.
        var known: Set<UInt128> = []
        ring.found.removeAll { !known.insert($0.id).inserted }
        return ring
    }

    /// The items at all places in a box. This suffices for a circle, because a circle fills most of its box.
    private func inside(_ box: GeoBox) throws -> Walk {
        try items(at: Self.boxed, where: "\(Self.within(box)) AND \(placed)")
    }

    /// The items at those places in a box that are in a ring. A thin ring fills little of its boxes. So places outside the ring cost little
    /// of the budget (``SearchLimits/placesPerLook``), however many campaigns their shops have: otherwise one place with many campaigns
    /// would use up the budgets of all rings whose boxes contain the place, and those rings would seem empty.
    private func inside(_ box: GeoBox, _ near: Near, from inner: Double, to outer: Double) throws -> Walk {
        let query: SQL = "SELECT p.n, p.latitude, p.longitude FROM \(Self.boxed) WHERE \(Self.within(box)) AND \(placed)"
        let rows = try SQLRequest<Row>(literal: query, cached: true).fetchCursor(db)
        var (places, outside, isCut): ([Int64], Int, Bool) = ([], 0, false)
        while let row = try rows.next() {
            // A row of the budget is kept for each place in the ring, because its items are visited below.
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

    /// The items at the places that a SQL join and a condition choose, and the campaigns that other shops share with these places. In the
    /// SQL, `p` is the place.
    private func items(at places: SQL, where condition: SQL) throws -> Walk {
        var query: SQL = "SELECT \(source.columns), p.latitude, p.longitude, \(fits) FROM \(places) \(source.joinedToPlaces)\(wordsJoined)"
        query += " WHERE \(condition) AND \(source.number) <= \(seen)"
        let own = try goOn(query)
        guard source == .campaigns, !own.isCut else { return own }
        var all = try shared(at: places, where: condition)
        all.found = own.found + all.found
        return all
    }

    /// The SQL join from the R*Tree to the places.
    private static var boxed: SQL { "boxes AS b CROSS JOIN places AS p ON p.n = b.n" }

    /// The SQL condition that a row of the R*Tree touches a box.
    private static func within(_ box: GeoBox) -> SQL {
        "b.east >= \(box.west) AND b.west <= \(box.east) AND b.north >= \(box.south) AND b.south <= \(box.north)"
    }
}

extension Finder {
    /// Whether few enough rows match to read all of them.
    func matchesAreFew(_ text: TextQuery) throws -> Bool {
        let query: SQL = """
            SELECT count(*) FROM
            (SELECT 1 FROM \(source.words) WHERE \(source.words) MATCH \(text.expression) LIMIT \(SearchLimits.matchesMax + 1))
            """
        let count = try SQLRequest<Int>(literal: query, cached: true).fetchOne(db) ?? 0
        return count <= SearchLimits.matchesMax
    }

    /// All items that match now and existed already at the position that the list shows.
    func matching(_ text: TextQuery) throws -> [Candidate] {
        var query: SQL =
            "SELECT \(source.columns)\(location), \(condition) FROM \(source.words) AS w \(source.joinedToWords)\(placesJoined)"
        query += " WHERE \(source.words) MATCH \(text.expression) AND \(source.number) <= \(seen)"
        return try walk(query).found
    }

    /// The SQL expression that tells whether a row matches. The row's distance is not part of it, because Swift code checks the distance.
    var fits: SQL { "(\(condition)\(wordsCompared))" }

    /// The join that adds the words of each visited row.
    var wordsJoined: SQL {
        text == nil ? "" : " CROSS JOIN \(source.words) AS w ON w.rowid = \(source.number)"
    }

    /// The SQL condition that a row contains the typed words, for walks that do not use the full-text index. Its result is the same as that
    /// of the index.
    var wordsCompared: SQL {
        (text?.needles ?? []).reduce("") { $0 + " AND instr(' ' || w.words || ' ', \($1)) > 0" }
    }
}
