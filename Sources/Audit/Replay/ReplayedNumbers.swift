internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Numbers for shops, campaigns and cards, in the order in which the log first names them.
///
/// Half of the folding is finding cards. Each is found once for all models, and a batch's cards together, so the waits for memory overlap.
struct ReplayedNumbers: Sendable {
    private(set) var shops = NumberedIDs()
    private(set) var campaigns = NumberedIDs()
    private(set) var cards: [NumberedCard] = []
    private(set) var takers: [UInt32: Taker] = [:]
    private var index: PlaceIndex
    /// Stored so that the compiler keeps the reads that fill the cache.
    private var seen: UInt64 = 0

    /// - Parameter capacity: the expected number of cards; a wrong one only costs time.
    init(capacity: Int) {
        index = PlaceIndex(capacity: capacity)
        cards.reserveCapacity(capacity)
    }

    /// Writes the numbers of cards and shops into the events.
    ///
    /// - Returns: the error for the first event that contradicts earlier ones. That event and all later ones are removed from the batch.
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

    /// Reads first the slots of all cards, and then the cards, so that no read waits for the one before.
    private mutating func glance(at named: [NamedCard]) {
        var sum: UInt64 = 0
        for name in named where name.step.isOfCard { sum &+= index.glance(name.hash) }
        for name in named {
            guard name.step.isOfCard else {
                sum &+= UInt64(shops.known(name.shop) ?? 0)
                continue
            }
            let place = PlaceIndex.place(index.glance(name.hash))
            // A card may lie in two cache lines.
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

struct Taker: Sendable {
    let account: UInt128
    let position: UInt64
}

/// The ids that an event names, whose numbers ``ReplayedNumbers`` writes into the event.
struct NamedCard: Sendable {
    enum Step: UInt8 {
        case opening
        case going
        case taking
        case none
        /// Another `NamedCard` names the event's card; this is the event's shop.
        case guest

        var isOfCard: Bool { self == .opening || self == .going || self == .taking }
    }

    let card, holder, shop: UInt128
    /// The campaign of an opening, or the account that takes a card over.
    private let detail: UInt128
    /// The index in the batch.
    let event: Int
    let hash: UInt32
    let step: Step

    init(_ card: UInt128, of holder: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, 0, event, .going)
    }

    init(opening card: UInt128, in campaign: UInt128, of holder: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, campaign, event, .opening)
    }

    init(taking card: UInt128, of holder: UInt128, by taker: UInt128, at shop: UInt128, in event: Int) {
        self.init(card, holder, shop, taker, event, .taking)
    }

    var campaign: UInt128 { detail }
    var taker: UInt128 { detail }

    init(shop: UInt128, in event: Int) {
        self.init(0, 0, shop, 0, event, .none)
    }

    init(place shop: UInt128, in event: Int) {
        self.init(0, 0, shop, 0, event, .guest)
    }

    @inline(__always)
    private init(_ card: UInt128, _ holder: UInt128, _ shop: UInt128, _ detail: UInt128, _ event: Int, _ step: Step) {
        (self.card, self.holder, self.shop, self.detail, self.event, self.step) = (card, holder, shop, detail, event, step)
        hash = PlaceIndex.hash(card)
    }
}
