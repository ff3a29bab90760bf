internal import GRDB
public import Loyalty
public import ReadModels

extension Discovery {
    /// Campaigns, one page of them.
    ///
    /// - Parameters:
    ///   - after: ``FoundPage/next`` of the page before of the very same search; nil for the first.
    ///   - limit: 1 to 100; what lies outside is moved to the nearest.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func campaigns(
        _ search: CampaignSearch, after: DiscoveryCursor? = nil, limit: Int = 20
    ) throws(ReadModelError) -> FoundPage<Campaign> {
        try reading { db in
            try Finder(
                db, .campaigns, condition: search.condition, shop: search.shop, near: search.near, text: search.text, sort: search.sort,
                after: after,
                limit: limit
            ).page(of: Campaign.self)
        }
    }

    /// Shops, one page of them; else as ``campaigns(_:after:limit:)``.
    public func shops(
        _ search: ShopSearch, after: DiscoveryCursor? = nil, limit: Int = 20
    ) throws(ReadModelError) -> FoundPage<Shop> {
        try reading { db in
            try Finder(
                db, .shops, near: search.near, text: search.text, sort: search.near == nil ? .newest : .distance, after: after,
                limit: limit
            ).page(of: Shop.self)
        }
    }
}

extension CampaignSearch {
    /// What a campaign must be, besides what place and words ask.
    fileprivate var condition: SQL {
        var condition: SQL = "s.hidden = 0"
        if let kind { condition += " AND i.kind = \(kind.number)" }
        let running: SQL = "(i.ended = 0 AND i.starts <= \(now.microseconds) AND i.ends > \(now.microseconds))"
        switch isRunning {
        case true?: condition += " AND \(running)"
        case false?: condition += " AND NOT \(running)"
        case nil: break
        }
        return condition
    }
}
