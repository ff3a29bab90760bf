public import EventLog
internal import GRDB
public import Loyalty
public import ReadModels

extension Discovery {
    /// How many kept a campaign as of a position: what is the case now, less what has changed since.
    ///
    /// However many keep it, this looks at the changes since alone: none where an answer to a write asks.
    ///
    /// - Returns: nil where the model has not come to the position, or more has changed since than is worth a look.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func favoriteCount(of campaign: CampaignID, through position: Position) throws(ReadModelError) -> Int? {
        try reading { db in
            guard try db.mark().position >= position else { return nil }
            let statement = try db.cachedStatement(sql: "SELECT n, favorites FROM campaigns WHERE id = ?")
            guard let row = try Row.fetchOne(statement, arguments: [campaign.value.blob]) else { return nil }
            let (n, favorites) = (row[0] as Int64, row[1] as Int)
            let since = try db.cachedStatement(sql: "SELECT delta FROM changes WHERE campaign = ? AND n > ? LIMIT ?")
            let deltas = try Int.fetchAll(
                since, arguments: [n, Int64(bitPattern: position.rawValue), SearchLimits.changesMax + 1])
            return deltas.count > SearchLimits.changesMax ? nil : favorites - deltas.reduce(0, +)
        }
    }
}
