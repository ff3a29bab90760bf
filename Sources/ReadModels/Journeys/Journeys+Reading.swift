internal import LMDB
public import Loyalty
internal import LoyaltyCodec

extension Journeys {
    /// How customers come back and what becomes of their cards, as of the model's position. It reads every card of the shop, and of each
    /// customer the first visit ever, the visits of the days that the query is about, and two more at most. Its memory does not grow
    /// with visits; it takes 8 bytes for each card filled.
    ///
    /// - Returns: without an effect where the shop has no such campaign.
    /// - Throws: ``ReadModelError/Code/tooMuch`` for more than ``ReadModelLimits/journeyRowsMax`` rows,
    ///   ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func report(of shop: ShopID, _ query: JourneyQuery) throws(ReadModelError) -> JourneyReport {
        try countedReport(of: shop, query).report
    }

    /// The same, and how many rows it read.
    func countedReport(
        of shop: ShopID, _ query: JourneyQuery, rowsMax: Int = ReadModelLimits.journeyRowsMax
    ) throws(ReadModelError) -> (report: JourneyReport, rows: Int) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var times: CampaignTimes?
            if let campaign = query.campaign {
                let key = RowKey(shop.value, and: campaign.value)
                times = try store.value(campaigns, key, in: snapshot) { (row) throws(ReadModelError) in try self.times(row) }
            }
            var (making, rows) = (JourneyMaking(query, times), 0)
            func count() throws(ReadModelError) {
                rows += 1
                guard rows <= rowsMax else {
                    throw ReadModelError(.tooMuch, model: Self.name, "shop \(shop.text) has more than \(rowsMax) rows for one report")
                }
            }
            let quarters = making.quarters
            try walk(visits, of: shop, keyBytes: 40, in: snapshot) { (key, row) throws(ReadModelError) in
                try count()
                guard let visit = ShopVisit(key: key, row) else { throw store.damaged("a visit's row does not decode") }
                making.add(visit)
                return visit.key(after: quarters, at: shop)
            }
            try walk(cards, of: shop, keyBytes: 32, in: snapshot) { (_, row) throws(ReadModelError) in
                try count()
                making.add(try journey(row))
                return nil
            }
            return (making.report(), rows)
        }
    }

    /// One card's way; nil where the shop has no such card.
    ///
    /// - Throws: as ``report(of:_:)``.
    public func card(_ card: CardID, of shop: ShopID) throws(ReadModelError) -> CardJourney? {
        try store.reading { (snapshot) throws(ReadModelError) in
            let key = RowKey(shop.value, and: card.value)
            return try store.value(cards, key, in: snapshot) { (row) throws(ReadModelError) in try journey(row) }
        }
    }

    /// Reads a shop's rows in the order of their keys.
    ///
    /// - Parameter body: returns the key to go on from; nil for the next one.
    private func walk(
        _ table: Table, of shop: ShopID, keyBytes: Int, in snapshot: borrowing Snapshot,
        _ body: (_ key: Span<UInt8>, _ row: Span<UInt8>) throws(ReadModelError) -> RowKey?
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let start = RowKey(shop.value)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == keyBytes, cursor.key.bigEndian128(at: 0) == shop.value {
                if let next = try body(cursor.key, cursor.value) {
                    goesOn = try cursor.seek(next.bytes)
                } else {
                    goesOn = try cursor.next()
                }
            }
        } catch {
            throw ReadModelError(any: error, model: Self.name)
        }
    }
}

extension ShopVisit {
    /// From where on the rows matter that follow this visit's, where it lies outside of the quarters that a report is about; nil where
    /// the next row does.
    fileprivate func key(after quarters: ClosedRange<Quarter>?, at shop: ShopID) -> RowKey? {
        guard let quarters else { return nil }
        if quarter < quarters.lowerBound { return RowKey(shop.value, and: account.value, position: quarters.lowerBound.key) }
        guard quarter > quarters.upperBound, account.value < .max else { return nil }
        return RowKey(shop.value, and: account.value + 1, position: 0)
    }
}
