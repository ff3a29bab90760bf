internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import ReadModels

extension Replay {
    /// The shops of a replay of `journeys` that were ever visited, in the order of their ids.
    public var visitedShops: [ShopID] {
        var shops: [ShopID] = []
        forEachRow(of: "visits") { (key, _) in
            let shop = ShopID(key.bigEndian128(at: 0))
            if shops.last != shop { shops.append(shop) }
        }
        return shops
    }

    /// The quarters of a shop's first and last visit; nil where it was never visited.
    public func visitedQuarters(of shop: ShopID) -> ClosedRange<Quarter>? {
        var quarters: ClosedRange<Quarter>?
        forEachRow(of: "visits") { (key, row) in
            guard key.bigEndian128(at: 0) == shop.value, let visit = ShopVisit(key: key, row) else { return }
            let known = quarters ?? visit.quarter...visit.quarter
            quarters = min(known.lowerBound, visit.quarter)...max(known.upperBound, visit.quarter)
        }
        return quarters
    }

    /// What `Journeys` would answer, made from the log alone. The replay MUST be one of `journeys`.
    ///
    /// - Returns: without an effect where the shop has no such campaign.
    public func journeyReport(of shop: ShopID, _ query: JourneyQuery) -> JourneyReport {
        var times: CampaignTimes?
        forEachRow(of: "campaigns") { (key, row) in
            let isAsked = key.bigEndian128(at: 0) == shop.value && key.bigEndian128(at: 16) == query.campaign?.value
            if isAsked { times = CampaignTimes(row) }
        }
        var making = JourneyMaking(query, times)
        forEachRow(of: "visits") { (key, row) in
            if key.bigEndian128(at: 0) == shop.value, let visit = ShopVisit(key: key, row) { making.add(visit) }
        }
        forEachRow(of: "cards") { (key, row) in
            if key.bigEndian128(at: 0) == shop.value, let card = CardJourney(row) { making.add(card) }
        }
        return making.report()
    }

    private func forEachRow(of table: String, _ body: (_ key: Span<UInt8>, _ row: Span<UInt8>) -> Void) {
        guard let table = tables(of: Journeys.name).first(where: { $0.name == table }) else { return }
        var row = CanonicalRow()
        for index in 0..<table.count {
            table.row(index, into: &row)
            body(row.key.bytes, row.value.span)
        }
    }
}
