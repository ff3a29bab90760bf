internal import GRDB
public import Loyalty
public import ReadModels

extension Discovery {
    /// The newest campaigns of each of these shops that are not over, newest first: those that run and those that have yet to start.
    ///
    /// However many a shop had, only those are looked at, which the rules bound, and nothing is read from the log.
    ///
    /// - Parameter limit: campaigns of a shop at most.
    /// - Returns: a list for each shop that has any.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func openCampaigns(
        of shops: [ShopID], at now: Instant, limit: Int
    ) throws(ReadModelError) -> [ShopID: [CampaignID]] {
        guard !shops.isEmpty else { return [:] }
        return try reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT i.id FROM campaigns AS i INDEXED BY campaigns_ending
                    WHERE i.shop = (SELECT n FROM shops WHERE id = ?) AND i.ended = 0 AND i.ends > ?
                    ORDER BY i.n DESC LIMIT ?
                    """)
            var open: [ShopID: [CampaignID]] = [:]
            for shop in shops {
                let rows = try Row.fetchAll(statement, arguments: [shop.value.blob, now.microseconds, limit])
                if !rows.isEmpty { open[shop] = rows.map { CampaignID(UInt128(blob: $0[0])) } }
            }
            return open
        }
    }
}
