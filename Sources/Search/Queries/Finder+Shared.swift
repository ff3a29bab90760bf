internal import Foundation
internal import GRDB
public import Loyalty
public import Projections

/// Finds campaigns that are valid at several shops. A list contains each once, with the distance of its nearest shop at that time.
extension Finder {
    private static var takesPart: SQL { "h.hidden = 0 AND h.owner = s.owner" }

    private static var joined: SQL {
        " CROSS JOIN shared AS x ON x.shop = h.n CROSS JOIN campaigns AS i ON i.n = x.campaign CROSS JOIN shops AS s ON s.n = i.shop"
    }

    func shared(with shop: ShopID) throws -> [Candidate] {
        guard source.isShared else { return [] }
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM shops AS h\(Self.joined)"
        if near != nil { query += " CROSS JOIN places AS p ON p.shop = h.n AND \(placed)" }
        query += wordsJoined
        query += " WHERE h.id = \(shop.value.blob) AND \(Self.takesPart) AND i.n <= \(seen) ORDER BY x.campaign DESC"
        return try walk(query).found
    }

    /// The campaigns that others share with the shops at some places, by the rest of the budget of their own walk.
    func shared(at places: SQL, where condition: SQL) throws -> Walk {
        var query: SQL = "SELECT \(source.columns), p.latitude, p.longitude, \(fits) FROM \(places)"
        query += " CROSS JOIN shops AS h ON h.n = p.shop\(Self.joined)\(wordsJoined)"
        query += " WHERE \(condition) AND \(Self.takesPart) AND i.n <= \(seen) AND i.n > \(since)"
        return try resume(query)
    }

    /// The places of all shops of a shared campaign; empty if it is not shared or the search needs no places. Nil if the budget does not
    /// suffice.
    func otherPlaces(of candidate: Candidate) throws -> [Coordinate]? {
        guard near != nil, shop == nil, candidate.branches > 0 else { return [] }
        var query: SQL = "SELECT p.latitude, p.longitude FROM campaigns AS i CROSS JOIN shops AS s ON s.n = i.shop"
        query += " CROSS JOIN places AS p ON p.shop = s.n WHERE i.n = \(candidate.n) AND \(placed) UNION ALL"
        query += " SELECT p.latitude, p.longitude FROM campaigns AS i CROSS JOIN shops AS s ON s.n = i.shop"
        query += " CROSS JOIN shared AS x ON x.campaign = i.n CROSS JOIN shops AS h ON h.n = x.shop"
        query += " CROSS JOIN places AS p ON p.shop = h.n WHERE i.n = \(candidate.n) AND \(placed) AND \(Self.takesPart)"
        let rows = try SQLRequest<Row>(literal: query, cached: true).fetchAll(db)
        guard rows.allSatisfy({ _ in looks.take() }) else { return nil }
        return try rows.map { try Coordinate($0, at: 0) }
    }
}

extension Discovery {
    /// The running and future campaigns that others share with a shop now, from the newest. Reads at most ``SearchLimits/looksPerWalk``
    /// rows.
    public func campaigns(sharedWith shop: ShopID, at now: Instant, limit: Int) throws(ReadModelError) -> [CampaignID] {
        try reading { db in try Self.campaigns(sharedWith: shop, at: now, limit: limit, in: db, Looks(max: SearchLimits.looksPerWalk)) }
    }

    /// The number of running and future campaigns of each shop, with those that others share with it, at most `limit` each. Visits at most
    /// ``SearchLimits/looksPerWalk`` rows of shared campaigns.
    public func openCounts(
        of shops: [ShopID], at now: Instant, limit: Int
    ) throws(ReadModelError) -> (counts: [ShopID: Int], looks: Int) {
        var counts = try openCampaigns(of: shops, at: now, limit: limit).mapValues(\.count)
        let (shared, looks) = try reading { db in
            let looks = Looks(max: SearchLimits.looksPerWalk)
            let shared = try shops.map { try Self.campaigns(sharedWith: $0, at: now, limit: limit, in: db, looks).count }
            return (shared, looks.count)
        }
        for (shop, count) in zip(shops, shared) where count > 0 { counts[shop] = min(limit, counts[shop, default: 0] + count) }
        return (counts, looks)
    }

    static func campaigns(sharedWith shop: ShopID, at now: Instant, limit: Int, in db: Database, _ looks: Looks) throws -> [CampaignID] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT i.id, i.ended = 0 AND i.ends > ?2 FROM shops AS h CROSS JOIN shared AS x ON x.shop = h.n
                CROSS JOIN campaigns AS i ON i.n = x.campaign CROSS JOIN shops AS s ON s.n = i.shop
                WHERE h.id = ?1 AND h.hidden = 0 AND h.owner = s.owner ORDER BY x.campaign DESC
                """)
        let rows = try Row.fetchCursor(statement, arguments: [shop.value.blob, now.microseconds])
        var found: [CampaignID] = []
        looks.begin()
        while found.count < limit, let row = try rows.next(), looks.take() {
            if try row.decode(Int64.self, atIndex: 1) == 1 { found.append(CampaignID(UInt128(blob: try row.decode(atIndex: 0)))) }
        }
        return found
    }
}
