internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Numbers for shops, campaigns and cards, in the order in which the log first names them.
///
/// Half of the work of folding a log is finding the card that an event is about. Here each card is found once for all models, and all cards
/// of a batch are found together. So the processor waits for memory about as long as for a single look-up, not as long as for a thousand.
struct ReplayedNumbers: Sendable {
    private(set) var shops = NumberedIDs()
    private(set) var campaigns = NumberedIDs()
    private(set) var cards: [NumberedCard] = []
    /// The accounts that took over waiting cards, by the numbers of the cards.
    private(set) var takers: [UInt32: Taker] = [:]
    private var index: PlaceIndex
    /// The sum of the values that were read only to bring them into the cache. It is stored so that the compiler does not remove these
    /// reads.
    private var seen: UInt64 = 0

    /// - Parameter capacity: the expected number of cards. If it is wrong, folding only takes longer.
    init(capacity: Int) {
        index = PlaceIndex(capacity: capacity)
        cards.reserveCapacity(capacity)
    }

    /// Writes the numbers of cards and of their shops into the events that name them.
    ///
    /// - Returns: the error for the first event that names a card which was never opened or has another holder or shop, or that opens a
    ///   card for a second time; nil if there is none. That event and all later ones are removed from the batch.
    mutating func resolve(_ batch: inout ReplayBatch) -> AuditError? {
        batch.isNumbered = true
        glance(at: batch.named)
        for name in batch.named {
            guard let failure = resolve(name, &batch.events[name.event]) else { continue }
            batch.events.removeSubrange(name.event...)
            return failure
        }
        return nil
    }

    @inline(__always)
    private mutating func resolve(_ name: NamedCard, _ event: inout ReplayedEvent) -> AuditError? {
        if name.step == .guest {
            event.guest = UInt32(shops.number(name.shop))
            return nil
        }
        if name.step == .none {
            event.shop = UInt32(shops.number(name.shop))
            return nil
        }
        let known = index.place(of: name.hash) { cards[$0].id == name.card }
        if name.step == .opening {
            guard known == nil else { return Self.refusal(name, event, "is opened a second time.") }
            open(name, &event)
        } else if let known, isAsKnown(name, known) {
            (event.card, event.shop) = (UInt32(known), cards[known].shop)
            if name.step == .taking { takers[event.card] = Taker(account: name.taker, position: event.position) }
        } else {
            return Self.refusal(name, event, "was never opened, or not by this account at this shop.")
        }
        return nil
    }

    /// Brings into the processor's cache first the slots of the hash table for all these cards, and then the cards. So no read waits for
    /// the result of the read before it.
    private mutating func glance(at named: [NamedCard]) {
        var sum: UInt64 = 0
        for name in named where name.step.isOfCard { sum &+= index.glance(name.hash) }
        for name in named {
            guard name.step.isOfCard else {
                sum &+= UInt64(shops.known(name.shop) ?? 0)
                continue
            }
            let place = PlaceIndex.place(index.glance(name.hash))
            // This reads the beginning and the end of the card, because a card may lie in two cache lines.
            if place >= 0 { sum &+= UInt64(truncatingIfNeeded: cards[place].id) &+ UInt64(cards[place].shop) }
        }
        seen &+= sum
    }

    @inline(__always)
    private func isAsKnown(_ name: NamedCard, _ number: Int) -> Bool {
        let card = cards[number]
        let holder = takers.isEmpty ? card.holder : self.holder(of: number)
        return holder == name.holder && shops.ids[Int(card.shop)] == name.shop
    }

    /// The account that has a card now.
    func holder(of number: Int) -> UInt128 { takers[UInt32(number)]?.account ?? cards[number].holder }

    private mutating func open(_ name: NamedCard, _ event: inout ReplayedEvent) {
        event.card = UInt32(index.insert(name.hash))
        event.shop = UInt32(shops.number(name.shop))
        cards.append(
            NumberedCard(
                id: name.card, holder: name.holder, position: event.position, opened: event.time, shop: event.shop,
                campaign: UInt32(campaigns.number(name.campaign)), goal: event.amount))
    }

    private static func refusal(_ name: NamedCard, _ event: ReplayedEvent, _ detail: String) -> AuditError {
        .refused("card \(CardID(name.card).text) \(detail)", at: event.position)
    }
}

/// An account that took over a waiting card, and the position at which it did.
struct Taker: Sendable {
    let account: UInt128
    let position: UInt64
}

/// The ids of the card and shop, or only of the shop, that an event names. ``ReplayedNumbers`` finds their numbers and writes them into the
/// event.
struct NamedCard: Sendable {
    /// The way in which the event concerns the card or the shop.
    enum Step: UInt8 {
        /// The card is opened in a campaign.
        case opening
        /// The event changes a card that exists.
        case going
        /// An account takes over a card of a waiting person.
        case taking
        /// The event concerns a shop and no card.
        case none
        /// The event happened at this shop, which is not the card's own. Another `NamedCard` names the card of the same event.
        case guest

        var isOfCard: Bool { self == .opening || self == .going || self == .taking }
    }

    let card, holder, shop: UInt128
    /// For a card that is opened, its campaign; for one that is taken over, the account that takes it. Otherwise 0.
    private let detail: UInt128
    /// The event's index in the batch.
    let event: Int
    /// The hash of the card's id in the index of cards.
    let hash: UInt32
    let step: Step

    /// Creates the entry of an event that changes an existing card.
    init(_ card: UInt128, of holder: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, 0, event, .going)
    }

    /// Creates the entry of an event that opens a card.
    init(opening card: UInt128, in campaign: UInt128, of holder: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, campaign, event, .opening)
    }

    /// Creates the entry of an event by which an account takes over the card of a waiting person.
    init(taking card: UInt128, of holder: UInt128, by taker: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, taker, event, .taking)
    }

    var campaign: UInt128 { detail }
    var taker: UInt128 { detail }

    /// Creates the entry of an event that concerns a shop and no card.
    init(shop: UInt128, in event: Int) {
        self.init(0, 0, shop, 0, event, .none)
    }

    /// Creates the entry of the shop at which an event happened, if that is not the card's own shop. Another `NamedCard` names the card of
    /// the same event.
    init(place shop: UInt128, in event: Int) {
        self.init(0, 0, shop, 0, event, .guest)
    }

    @inline(__always)
    private init(_ card: UInt128, _ holder: UInt128, _ shop: UInt128, _ detail: UInt128, _ event: Int, _ step: Step) {
        (self.card, self.holder, self.shop, self.detail, self.event, self.step) = (card, holder, shop, detail, event, step)
        hash = PlaceIndex.hash(card)
    }
}
