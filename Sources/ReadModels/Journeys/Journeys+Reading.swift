internal import LMDB
public import Loyalty
internal import LoyaltyCodec

extension Journeys {
    /// How customers come back and what becomes of their cards, as of the model's position. It reads every row of the shop, whatever
    /// the period: a first visit may lie before it. Its memory does not grow with visits; it takes 8 bytes for each card filled.
    ///
    /// - Returns: without an effect where the shop has no such campaign.
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func report(of shop: ShopID, _ query: JourneyQuery) throws(ReadModelError) -> JourneyReport {
        try store.reading { (snapshot) throws(ReadModelError) in
            var times: CampaignTimes?
            if let campaign = query.campaign {
                let key = RowKey(shop.value, and: campaign.value)
                times = try store.value(campaigns, key, in: snapshot) { (row) throws(ReadModelError) in try self.times(row) }
            }
            var making = JourneyMaking(query, times)
            try walk(visits, of: shop, keyBytes: 40, in: snapshot) { (key, row) throws(ReadModelError) in
                guard let visit = ShopVisit(key: key, row) else { throw store.damaged("a visit's row does not decode") }
                making.add(visit)
            }
            try walk(cards, of: shop, keyBytes: 32, in: snapshot) { (_, row) throws(ReadModelError) in
                making.add(try journey(row))
            }
            return making.report()
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

    private func walk(
        _ table: Table, of shop: ShopID, keyBytes: Int, in snapshot: borrowing Snapshot,
        _ body: (_ key: Span<UInt8>, _ row: Span<UInt8>) throws(ReadModelError) -> Void
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let start = RowKey(shop.value)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == keyBytes, cursor.key.bigEndian128(at: 0) == shop.value {
                try body(cursor.key, cursor.value)
                goesOn = try cursor.next()
            }
        } catch {
            throw ReadModelError(any: error, model: Self.name)
        }
    }
}
