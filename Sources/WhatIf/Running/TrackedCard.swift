internal import Loyalty

/// What decisions need of a card, in little room: it has no history.
struct TrackedCard {
    let id: CardID
    let campaign: CampaignID
    let shop: ShopID
    let holder: AccountID
    let goal: Int16
    var stamps: Int16 = 0
    var status = CardStatus.collecting
    /// The place of the card of the same holder and campaign that was opened before; -1 for none.
    let previous: Int32
    var newestRedemption: RedemptionID?
    init(_ event: CardOpened, previous: Int32) {
        (id, campaign, shop, holder) = (event.card, event.campaign, event.shop, event.holder)
        goal = Int16(clamping: event.goal)
        self.previous = previous
    }

    mutating func addStamps(_ added: Int) {
        stamps += Int16(clamping: added)
        if status == .collecting, stamps >= goal { status = .full }
    }

    mutating func adjust(by change: Int) {
        stamps += Int16(clamping: change)
        status = stamps >= goal ? .full : .collecting
    }

    /// As decisions take it.
    var card: Card {
        Card(
            id: id, campaign: campaign, shop: shop, holder: holder, goal: Int(goal), reward: "", stamps: Int(stamps), status: status,
            openedAt: Instant(microseconds: 0), newestRedemption: newestRedemption, history: [])
    }
}
