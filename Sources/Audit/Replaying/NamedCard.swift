/// A card, or a shop alone, as an event names it, before it has a number.
struct NamedCard: Sendable {
    /// What becomes of the card.
    enum Step: UInt8 {
        /// It is opened: in a campaign.
        case opening
        /// Something happens to it.
        case going
        /// No card: the event is of the shop alone.
        case none
    }

    let card, holder, shop: UInt128
    let campaign: UInt128
    /// Where in the batch the event stands.
    let event: Int
    /// Where the card's id is looked for.
    let hash: UInt32
    let step: Step

    /// A card that something happens to.
    init(_ card: UInt128, of holder: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, 0, event, .going)
    }

    /// A new card.
    init(opening card: UInt128, in campaign: UInt128, of holder: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, campaign, event, .opening)
    }

    /// A shop alone.
    init(shop: UInt128, in event: Int) {
        self.init(0, 0, shop, 0, event, .none)
    }

    @inline(__always)
    private init(_ card: UInt128, _ holder: UInt128, _ shop: UInt128, _ campaign: UInt128, _ event: Int, _ step: Step) {
        (self.card, self.holder, self.shop, self.campaign, self.event, self.step) = (card, holder, shop, campaign, event, step)
        hash = PlaceIndex.hash(card)
    }
}
