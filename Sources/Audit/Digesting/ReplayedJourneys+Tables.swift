internal import LMDB
internal import Loyalty
internal import ReadModels

extension ReplayedJourneys {
    /// What `Journeys` must hold: its tables in their order.
    var tables: [CanonicalTable] { [cardTable, visitTable, campaignTable] }

    private var cardTable: CanonicalTable {
        let places = byShop(cards.indices) { Int(cards[$0].shop) }.flatMap { places in
            places.sorted { cards[$0].id < cards[$1].id }
        }
        return CanonicalTable("cards", count: places.count) { [cards, shops] (index, row) in
            let card = cards[places[index]]
            row.key = RowKey(shops.ids[Int(card.shop)], and: card.id)
            card.journey.encode(into: &row.value)
        }
    }

    private var visitTable: CanonicalTable {
        var rows: [WalkedVisit] = []
        rows.reserveCapacity(visits.count)
        for var entries in byShop(visits, { Int(cards[Int($0.card)].shop) }) {
            entries.sort { left, right in
                let (one, other) = (cards[Int(left.card)].holder, cards[Int(right.card)].holder)
                return one == other ? left.quarter < right.quarter : one < other
            }
            for (place, entry) in entries.enumerated() {
                if place > 0, let last = rows.last, last.quarter == entry.quarter,
                    cards[Int(last.card)].holder == cards[Int(entry.card)].holder
                {
                    rows[rows.count - 1].stamps &+= entry.stamps
                } else {
                    rows.append(entry)
                }
            }
        }
        return CanonicalTable("visits", count: rows.count) { [cards, shops] (index, row) in
            let visit = rows[index]
            let card = cards[Int(visit.card)]
            row.key = RowKey(shops.ids[Int(card.shop)], and: card.holder, position: visit.quarter)
            row.value.removeAll(keepingCapacity: true)
            row.value.append(littleEndian: visit.stamps)
        }
    }

    private var campaignTable: CanonicalTable {
        let rows = campaigns.sorted { ($0.value.shop, $0.key) < ($1.value.shop, $1.key) }
        return CanonicalTable("campaigns", count: rows.count) { (index, row) in
            let (id, campaign) = rows[index]
            row.key = RowKey(campaign.shop, and: id)
            let times = CampaignTimes(
                startsAt: campaign.starts, endsAt: campaign.ends, endedAt: campaign.ended, version: campaign.version)
            times.encode(into: &row.value)
        }
    }

    /// Things shop by shop, in the order of shops' ids, each shop's in the order in which they stand.
    private func byShop<Things: Collection>(_ things: Things, _ shop: (Things.Element) -> Int) -> [[Things.Element]] {
        let ranks = shops.ranks
        var parts = [[Things.Element]](repeating: [], count: ranks.count)
        for thing in things { parts[ranks[shop(thing)]].append(thing) }
        return parts
    }
}

extension WalkedCard {
    /// The card as the model keeps it.
    fileprivate var journey: CardJourney {
        func time(_ microseconds: Int64?) -> Instant? { microseconds.map { Instant(microseconds: $0) } }
        var journey = CardJourney(
            campaign: CampaignID(campaign), holder: AccountID(holder), goal: Int(goal), openedAt: Instant(microseconds: opened))
        journey.set(
            stamps: Int(stamps), first: time(first), last: time(last), filled: time(filled), redeemed: time(redeemed),
            discarded: time(discarded))
        return journey
    }
}
