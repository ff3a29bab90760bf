public import EventLog
internal import GRDB
public import Loyalty
public import Projections
internal import ReadModels

/// The campaigns that a search finds among those published after a position.
public struct SearchNews: Sendable {
    /// The newest first.
    public let campaigns: [CampaignID]
    /// Whether there are more, or may be: the budget of rows did not suffice to look at all.
    public let hasMore: Bool
    /// The log position through which campaigns were searched.
    public let position: Position
    /// Rows visited, at most ``SearchLimits/looksMax``.
    package let looks: Int
}

extension Discovery {
    /// The newest campaigns that a search finds and that were published after a position.
    ///
    /// The work depends neither on the number of campaigns since then nor on that of all campaigns.
    ///
    /// - Parameter limit: clamped to 1 to 100.
    public func news(_ search: CampaignSearch, after: Position, limit: Int) throws(ReadModelError) -> SearchNews {
        try reading { db in
            let position = try db.mark().position
            var finder = try Finder(
                db, .campaigns, condition: search.condition, near: search.near, text: search.text, sort: .newest, after: nil, limit: limit)
            finder.since = Int64(clamping: after.rawValue)
            let (found, isComplete) = try finder.news()
            return SearchNews(
                campaigns: found.prefix(finder.limit).map { CampaignID($0.id) }, hasMore: !isComplete || found.count > finder.limit,
                position: position, looks: finder.looks.count)
        }
    }
}

extension Finder {
    /// Reads along the publications, newest first. If too many are no match, a search around a place reads the new campaigns of the shops
    /// there instead.
    func news() throws -> (found: [Candidate], isComplete: Bool) {
        if let text {
            if text.parts.isEmpty { return ([], true) }
            if try matchesAreFew(text) { return (first(try matching(text)), true) }
        }
        let newest = try newest()
        guard newest.end != nil, let near else { return (newest.candidates, newest.end == nil) }
        var around = Walk()
        looks.begin()
        for box in GeoBox.around(near.center, meters: near.radiusMeters) where !around.isCut {
            let walk = try inside(box, near, from: 0, to: near.radiusMeters)
            around.found += walk.found
            around.isCut = walk.isCut
        }
        if around.isCut { return (newest.candidates, false) }
        var known: Set<UInt128> = []
        return (first(around.found.filter { known.insert($0.id).inserted }), true)
    }
}
