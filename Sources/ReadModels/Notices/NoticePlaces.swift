package import EventLog
package import Loyalty
package import Projections

/// The shops and campaigns whose notices an account receives because of its cards, at one position of the log.
package struct NoticePlaces: Hashable, Sendable {
    /// Later events of cards are not included.
    package let position: Position
    package let shops: [ShopID: UInt64]
    /// Campaigns of which the account holds a card, or held one at a notice to holders.
    package let held: [CampaignID: HeldCards]

    package init(position: Position = .start, shops: [ShopID: UInt64] = [:], held: [CampaignID: HeldCards] = [:]) {
        (self.position, self.shops, self.held) = (position, shops, held)
    }
}

extension Notices {
    package func places(of account: AccountID) throws(ReadModelError) -> NoticePlaces {
        try store.reading { (snapshot) throws(ReadModelError) in
            var (shops, campaigns): ([ShopID: UInt64], [CampaignID: HeldCards]) = ([:], [:])
            try forEach(holders, of: account, in: snapshot) { (shop, row) throws(ReadModelError) in
                shops[ShopID(shop)] = try store.number(row)
            }
            try forEach(held, of: account, in: snapshot) { (campaign, row) throws(ReadModelError) in
                campaigns[CampaignID(campaign)] = try store.decoded(row)
            }
            return NoticePlaces(position: try store.mark(in: snapshot).position, shops: shops, held: campaigns)
        }
    }
}
