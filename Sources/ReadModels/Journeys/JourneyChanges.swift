internal import Loyalty

/// What a batch changed and is not in the rows yet: a card is written once, however often it comes up.
public struct JourneyChanges {
    /// A card as it will be written.
    struct ChangedCard {
        let shop: UInt128
        let id: UInt128
        /// Of the shop, among ``JourneyChanges/shops``.
        let shopNumber: UInt32
        var journey: CardJourney
        /// Where in ``JourneyChanges/visits`` its newest entry stands.
        var newest: Int32 = -1
    }

    /// Stamps of one card in one quarter, or a part of them; added up when they are written.
    struct ChangedVisit {
        /// Where in ``JourneyChanges/cards`` the card stands.
        let card: UInt32
        var stamps: Int32
        let quarter: UInt64
    }

    /// A campaign and whose it is.
    struct Place: Hashable {
        let shop: UInt128
        let campaign: UInt128
    }

    /// By the order in which they came up; ``index`` tells where.
    var cards: [ChangedCard] = []
    var index = RowIndex(capacity: 16)
    private(set) var shops = NumberedIDs(capacity: 16)
    var visits: [ChangedVisit] = []
    /// In place of the rows.
    var campaigns: [Place: CampaignTimes] = [:]

    var count: Int { cards.count + visits.count + campaigns.count }

    /// Adds stamps to the card at a place, and to its holder's visit.
    mutating func stamp(_ place: Int, _ stamps: Int, at time: Instant) {
        cards[place].journey.stamp(stamps, at: time)
        let (quarter, newest) = (Quarter(of: time).key, Int(cards[place].newest))
        if newest >= 0, visits[newest].quarter == quarter {
            visits[newest].stamps += Int32(stamps)
        } else {
            cards[place].newest = Int32(visits.count)
            visits.append(ChangedVisit(card: UInt32(place), stamps: Int32(stamps), quarter: quarter))
        }
    }

    /// Gives a card a place; it MUST have none.
    mutating func insert(_ journey: CardJourney, _ id: UInt128, at shop: UInt128) -> Int {
        cards.append(ChangedCard(shop: shop, id: id, shopNumber: UInt32(shops.number(shop)), journey: journey))
        return index.insert(id)
    }
}
