internal import Loyalty

/// What decisions need of a card, in little room: of its history only the stamps of the last days.
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
    /// Newest last.
    private(set) var gains: [Gain] = []

    /// Stamps that a card gained at once.
    struct Gain {
        let at: Instant
        let stamps: Int8
    }

    init(_ event: CardOpened, previous: Int32) {
        (id, campaign, shop, holder) = (event.card, event.campaign, event.shop, event.holder)
        goal = Int16(clamping: event.goal)
        self.previous = previous
    }

    mutating func addStamps(_ added: Int, at time: Instant) {
        stamps += Int16(clamping: added)
        if status == .collecting, stamps >= goal { status = .full }
        forget(before: time)
        gains.append(Gain(at: time, stamps: Int8(clamping: added)))
    }

    mutating func adjust(by change: Int) {
        stamps += Int16(clamping: change)
        status = stamps >= goal ? .full : .collecting
    }

    /// Caps look back for a day at most. Another day is kept for events that are told later than they happened.
    private mutating func forget(before time: Instant) {
        guard let first = gains.first else { return }
        let oldest = time.advanced(bySeconds: -2 * Limits.stampDaySeconds)
        if first.at < oldest { gains.removeAll { $0.at < oldest } }
    }

    /// As decisions take it.
    ///
    /// - Parameter withGains: whether a cap will ask what it gained; else there is no history, which costs an array.
    func card(withGains: Bool) -> Card {
        Card(
            id: id, campaign: campaign, shop: shop, holder: holder, goal: Int(goal), reward: "", stamps: Int(stamps), status: status,
            openedAt: Instant(microseconds: 0), newestRedemption: newestRedemption,
            history: withGains ? gains.map { CardEntry(at: $0.at, kind: .stamped, stamps: Int($0.stamps), position: 0) } : [])
    }
}
