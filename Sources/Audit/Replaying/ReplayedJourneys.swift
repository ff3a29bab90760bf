internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Each card's way and each customer's visits in memory, folded from the log: what `Journeys` must hold.
///
/// Visits are a list in the order of the log, in which each card knows its newest entry; rows are sorted and added up at the end.
struct ReplayedJourneys: ReplayedModel {
    static var model: any Projection.Type { Journeys.self }

    private(set) var shops = NumberedIDs()
    private(set) var cards: [WalkedCard] = []
    private(set) var visits: [WalkedVisit] = []
    private(set) var campaigns: [UInt128: WalkedCampaign] = [:]
    private var index: RowIndex

    /// - Parameter capacity: cards expected; more only cost time.
    init(capacity: Int) {
        index = RowIndex(capacity: capacity)
        cards.reserveCapacity(capacity)
    }

    mutating func applyUndecoded(_ record: borrowing Record, at position: Position) -> Bool {
        guard let stamp = SingleStamp(record), let card = index.place(of: stamp.card) else { return false }
        guard shops.ids[Int(cards[card].shop)] == stamp.shop else { return false }
        self.stamp(card, 1, record.time.microseconds)
        return true
    }

    mutating func apply(_ fact: Fact) throws(AuditError) {
        let time = fact.time.microseconds
        switch fact.event {
        case .campaignPublished(let event):
            campaigns[event.campaign.value] = WalkedCampaign(
                shop: event.shop.value, starts: event.startsAt, ends: event.endsAt, ended: nil, version: fact.position)
        case .campaignEdited(let event):
            var campaign = try campaign(event.campaign, at: event.shop, fact)
            (campaign.starts, campaign.ends, campaign.version) = (event.startsAt, event.endsAt, fact.position)
            campaigns[event.campaign.value] = campaign
        case .campaignEnded(let event):
            var campaign = try campaign(event.campaign, at: event.shop, fact)
            (campaign.ended, campaign.version) = (fact.time, fact.position)
            campaigns[event.campaign.value] = campaign
        case .cardOpened(let event): try open(event, fact)
        case .cardStamped(let event): stamp(try card(event.card, at: event.shop, fact), Int32(clamping: event.stamps), time)
        case .cardAdjusted(let event): adjust(try card(event.card, at: event.shop, fact), by: Int32(clamping: event.stamps), time)
        case .cardRedeemed(let event): cards[try card(event.card, at: event.shop, fact)].redeemed = time
        case .redemptionReversed(let event): cards[try card(event.card, at: event.shop, fact)].redeemed = nil
        case .cardDiscarded(let event): cards[try card(event.card, at: event.shop, fact)].discarded = time
        default: break
        }
    }

    private mutating func open(_ event: CardOpened, _ fact: Fact) throws(AuditError) {
        guard index.place(of: event.card.value) == nil else {
            throw Self.refused("card \(event.card.text) is opened a second time.", at: fact.position)
        }
        _ = index.insert(event.card.value)
        cards.append(
            WalkedCard(
                id: event.card.value, holder: event.holder.value, campaign: event.campaign.value,
                shop: UInt32(shops.number(event.shop.value)), goal: Int32(clamping: event.goal), opened: fact.time.microseconds))
    }

    @inline(__always)
    private mutating func stamp(_ card: Int, _ stamps: Int32, _ time: Int64) {
        cards[card].stamps += stamps
        cards[card].first = min(cards[card].first ?? time, time)
        cards[card].last = max(cards[card].last ?? time, time)
        if cards[card].filled == nil, cards[card].stamps >= cards[card].goal { cards[card].filled = time }
        let quarter = Quarter(of: Instant(microseconds: time)).key
        if cards[card].quarter == quarter {
            visits[Int(cards[card].newest)].stamps &+= UInt32(clamping: stamps)
        } else {
            (cards[card].quarter, cards[card].newest) = (quarter, UInt32(visits.count))
            visits.append(WalkedVisit(quarter: quarter, card: UInt32(card), stamps: UInt32(clamping: stamps)))
        }
    }

    private mutating func adjust(_ card: Int, by change: Int32, _ time: Int64) {
        cards[card].stamps += change
        if cards[card].stamps < cards[card].goal {
            cards[card].filled = nil
        } else if cards[card].filled == nil {
            cards[card].filled = time
        }
    }

    private func card(_ id: CardID, at shop: ShopID, _ fact: Fact) throws(AuditError) -> Int {
        if let card = index.place(of: id.value), shops.ids[Int(cards[card].shop)] == shop.value { return card }
        throw Self.refused("card \(id.text) was never opened, or not at this shop.", at: fact.position)
    }

    private func campaign(_ id: CampaignID, at shop: ShopID, _ fact: Fact) throws(AuditError) -> WalkedCampaign {
        if let campaign = campaigns[id.value], campaign.shop == shop.value { return campaign }
        throw Self.refused("campaign \(id.text) was never published at this shop.", at: fact.position)
    }
}
