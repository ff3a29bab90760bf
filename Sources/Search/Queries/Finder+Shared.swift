internal import Foundation
internal import GRDB
public import Loyalty
public import Projections

/// Finds campaigns that are valid at several shops.
///
/// A shared campaign is found at each shop where it is valid. A list contains the campaign only once, with the distance of the nearest of
/// these shops. Every visited place costs one unit of the search's budget of rows. Later pages of a list use the shops that share the
/// campaign at that time, even if these have changed after the first page.
extension Finder {
    /// The SQL condition that a campaign of the shop `s` is valid now at the other shop `h`.
    private static var takesPart: SQL { "h.hidden = 0 AND h.owner = s.owner" }

    /// The SQL join from a shop (alias `h`, earlier in the query) to the campaigns that other shops share with it.
    private static var joined: SQL {
        " CROSS JOIN shared AS x ON x.shop = h.n CROSS JOIN campaigns AS i ON i.n = x.campaign CROSS JOIN shops AS s ON s.n = i.shop"
    }

    /// Finds the campaigns that other shops share with this shop, the newest first. Their distance is that of this shop.
    func shared(with shop: ShopID) throws -> [Candidate] {
        guard source == .campaigns else { return [] }
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM shops AS h\(Self.joined)"
        if near != nil { query += " CROSS JOIN places AS p ON p.shop = h.n AND \(placed)" }
        query += wordsJoined
        query += " WHERE h.id = \(shop.value.blob) AND \(Self.takesPart) AND i.n <= \(seen) ORDER BY x.campaign DESC"
        return try walk(query).found
    }

    /// Finds the campaigns that other shops share with the shops at the places that a SQL join and a condition choose. It uses the rest of
    /// the budget of the walk that has already found the campaigns of these shops themselves.
    func shared(at places: SQL, where condition: SQL) throws -> Walk {
        var query: SQL = "SELECT \(source.columns), p.latitude, p.longitude, \(fits) FROM \(places)"
        query += " CROSS JOIN shops AS h ON h.n = p.shop\(Self.joined)\(wordsJoined)"
        query += " WHERE \(condition) AND \(Self.takesPart) AND i.n <= \(seen)"
        return try goOn(query)
    }

    /// The places of all shops at which a shared campaign is valid now. The result is empty if the item is not shared, if the search has no
    /// place, or if it searches only one shop.
    ///
    /// - Returns: nil if the walk's budget does not suffice for all places.
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
    /// The running and future campaigns that other shops share with a shop now, from the newest.
    ///
    /// The log is not read. At most ``SearchLimits/looksPerWalk`` rows are read, however many campaigns the owner's shops ever had.
    ///
    /// - Parameter limit: the maximum number of campaigns.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func campaigns(sharedWith shop: ShopID, at now: Instant, limit: Int) throws(ReadModelError) -> [CampaignID] {
        try reading { db in try Self.campaigns(sharedWith: shop, at: now, limit: limit, in: db, Looks(max: SearchLimits.looksPerWalk)) }
    }

    static func campaigns(
        sharedWith shop: ShopID, at now: Instant, limit: Int, in db: Database, _ looks: Looks
    ) throws -> [CampaignID] {
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
