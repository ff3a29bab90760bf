public import EventLog
internal import Foundation
internal import GRDB
public import Loyalty
public import Projections
internal import ReadModels

/// The favourite count of a campaign, and whether the requesting account has it as a favourite.
public struct Standing: Hashable, Sendable {
    public let favorites: Int
    /// Nil for an anonymous request.
    public let isFavorite: Bool?

    public init(favorites: Int, isFavorite: Bool?) { (self.favorites, self.isFavorite) = (favorites, isFavorite) }

    /// For a campaign too new to have favourites.
    public static let new = Standing(favorites: 0, isFavorite: nil)
}

/// One page of an account's favourites, from the most recently added.
public struct FavoritePage: Sendable {
    public let items: [CampaignID]
    /// Nil on the last page.
    public let next: Position?
    /// The log position of the page.
    public let position: Position
}

extension Discovery {
    /// An account's favourites, the most recent first, including those of hidden shops.
    ///
    /// - Parameters:
    ///   - before: ``FavoritePage/next`` of the previous page.
    ///   - limit: clamped to 1 to 100.
    public func favorites(of account: AccountID, before: Position? = nil, limit: Int = 20) throws(ReadModelError) -> FavoritePage {
        let limit = min(max(limit, SearchLimits.pageItems.lowerBound), SearchLimits.pageItems.upperBound)
        return try reading { db in
            let bound = before.map { Int64(clamping: $0.rawValue) } ?? Int64.max
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT f.n, i.id FROM favorites AS f JOIN campaigns AS i ON i.n = f.campaign
                        WHERE f.account = ? AND f.n < ? ORDER BY f.n DESC LIMIT ?
                        """), arguments: [account.value.blob, bound, limit + 1])
            let next = rows.count > limit ? Position(UInt64(bitPattern: try rows[limit - 1].decode(atIndex: 0))) : nil
            return FavoritePage(
                items: try rows.prefix(limit).map { CampaignID(UInt128(blob: try $0.decode(atIndex: 1))) }, next: next,
                position: try db.mark().position)
        }
    }

    /// The standing of each known campaign for an account, from memory if read recently.
    public func standings(of campaigns: [CampaignID], for account: AccountID? = nil) throws(ReadModelError) -> [CampaignID: Standing] {
        guard !campaigns.isEmpty else { return [:] }
        let (known, epoch) = standings.look(campaigns, for: account)
        if let known { return known }
        let read = try reading { db in
            let counts = try Self.counts(of: campaigns, in: db)
            guard let account else { return StandingsRead(counts: counts, kept: nil, isComplete: false) }
            let (kept, isComplete) = try Self.kept(of: campaigns, by: account, in: db)
            return StandingsRead(counts: counts, kept: kept, isComplete: isComplete)
        }
        standings.remember(read.counts, read.isComplete ? read.kept : nil, of: account, since: epoch)
        return read.standings
    }

    private static func counts(of campaigns: [CampaignID], in db: Database) throws -> [CampaignID: Int] {
        let statement = try db.cachedStatement(sql: "SELECT favorites FROM campaigns WHERE id = ?")
        var counts: [CampaignID: Int] = [:]
        for campaign in campaigns { counts[campaign] = try Int.fetchOne(statement, arguments: [campaign.value.blob]) }
        return counts
    }

    /// The account's favourites, or if they are too many, those among the given campaigns.
    private static func kept(
        of campaigns: [CampaignID], by account: AccountID, in db: Database
    ) throws -> (campaigns: Set<CampaignID>, isComplete: Bool) {
        let all = try db.cachedStatement(
            sql: "SELECT i.id FROM favorites AS f JOIN campaigns AS i ON i.n = f.campaign WHERE f.account = ? LIMIT ?")
        let limit = SearchLimits.rememberedFavoritesMax
        let rows = try Row.fetchAll(all, arguments: [account.value.blob, limit + 1])
        if rows.count <= limit { return (Set(try rows.map { CampaignID(UInt128(blob: try $0.decode(atIndex: 0))) }), true) }
        let one = try db.cachedStatement(
            sql: "SELECT 1 FROM favorites WHERE account = ? AND campaign = (SELECT n FROM campaigns WHERE id = ?)")
        let kept = try campaigns.filter { try Row.fetchOne(one, arguments: [account.value.blob, $0.value.blob]) != nil }
        return (Set(kept), false)
    }
}

extension Discovery {
    /// The favourite count of a campaign at a log position, from the current count without the few later changes. If the model is behind,
    /// the count at its position.
    ///
    /// - Returns: nil for an unknown campaign, or too many changes.
    public func favoriteCount(of campaign: CampaignID, through position: Position) throws(ReadModelError) -> CountedFavorites? {
        try reading { db in
            let through = min(position, try db.mark().position)
            let statement = try db.cachedStatement(sql: "SELECT n, favorites FROM campaigns WHERE id = ?")
            guard let row = try Row.fetchOne(statement, arguments: [campaign.value.blob]) else { return nil }
            let (n, favorites) = (try row.decode(Int64.self, atIndex: 0), try row.decode(Int.self, atIndex: 1))
            let since = try db.cachedStatement(sql: "SELECT delta FROM changes WHERE campaign = ? AND n > ? LIMIT ?")
            let deltas = try Int.fetchAll(since, arguments: [n, Int64(bitPattern: through.rawValue), SearchLimits.changesMax + 1])
            if deltas.count > SearchLimits.changesMax { return nil }
            return CountedFavorites(favorites: favorites &- deltas.reduce(0, &+), through: through)
        }
    }
}

/// The favourite count of a campaign as of a position.
public struct CountedFavorites: Hashable, Sendable {
    public let favorites: Int
    /// The requested position, or the model's if it is behind.
    public let through: Position
}

/// The standings of campaigns from one snapshot.
struct StandingsRead: Sendable {
    /// Without unknown campaigns.
    let counts: [CampaignID: Int]
    /// Nil for an anonymous reader.
    let kept: Set<CampaignID>?
    /// Whether ``kept`` has all favourites, and not only requested ones.
    let isComplete: Bool

    var standings: [CampaignID: Standing] {
        var standings: [CampaignID: Standing] = [:]
        for (campaign, count) in counts { standings[campaign] = Standing(favorites: count, isFavorite: kept?.contains(campaign)) }
        return standings
    }
}
