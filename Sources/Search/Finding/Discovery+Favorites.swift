public import EventLog
internal import Foundation
internal import GRDB
public import Loyalty
public import ReadModels

extension Discovery {
    /// What an account keeps, what was kept last first; the ones of shops that are hidden from lists too.
    ///
    /// - Parameters:
    ///   - before: ``FavoritePage/next`` of the page before; nil begins with the newest.
    ///   - limit: 1 to 100; what lies outside is moved to the nearest.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func favorites(
        of account: AccountID, before: Position? = nil, limit: Int = 20
    ) async throws(ReadModelError) -> FavoritePage {
        let limit = min(max(limit, SearchLimits.pageItems.lowerBound), SearchLimits.pageItems.upperBound)
        return try await reading { db in
            let bound = before.map { Int64(clamping: $0.rawValue) } ?? Int64.max
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT f.n, i.id FROM favorites AS f JOIN campaigns AS i ON i.n = f.campaign
                        WHERE f.account = ? AND f.n < ? ORDER BY f.n DESC LIMIT ?
                        """), arguments: [account.value.blob, bound, limit + 1])
            let next = rows.count > limit ? Position(UInt64(bitPattern: rows[limit - 1][0])) : nil
            return FavoritePage(items: rows.prefix(limit).map { CampaignID(UInt128(blob: $0[1])) }, next: next)
        }
    }

    /// How many keep each of these campaigns, and whether an account does. What the model has not heard of is left out.
    ///
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func standings(
        of campaigns: [CampaignID], for account: AccountID? = nil
    ) async throws(ReadModelError) -> [CampaignID: Standing] {
        guard !campaigns.isEmpty else { return [:] }
        return try await reading { db in
            let count = try db.cachedStatement(sql: "SELECT n, favorites FROM campaigns WHERE id = ?")
            let kept = try db.cachedStatement(sql: "SELECT 1 FROM favorites WHERE account = ? AND campaign = ?")
            var standings: [CampaignID: Standing] = [:]
            for campaign in campaigns {
                guard let row = try Row.fetchOne(count, arguments: [campaign.value.blob]) else { continue }
                let isKept = try account.map { try Row.fetchOne(kept, arguments: [$0.value.blob, row[0] as Int64]) != nil }
                standings[campaign] = Standing(favorites: row[1], isFavorite: isKept)
            }
            return standings
        }
    }
}
