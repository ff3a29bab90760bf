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
    /// The accounts that took cards over, with the positions of those events.
    private(set) var takers: [UInt32: (account: UInt128, position: UInt64)] = [:]
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
        guard name.step.isOfCard else {
            let shop = UInt32(shops.number(name.shop))
            if name.step == .guest { event.guest = shop } else { event.shop = shop }
            return nil
        }
        let known = index.place(of: name.hash) { cards[$0].id == name.card }
        if name.step == .opening {
            guard known == nil else { return Self.refusal(name, event, "is opened a second time.") }
            open(name, &event)
        } else if let known, isAsKnown(name, known) {
            (event.card, event.shop) = (UInt32(known), cards[known].shop)
            if name.step == .taking { takers[event.card] = (name.detail, event.position) }
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
                campaign: UInt32(campaigns.number(name.detail)), goal: event.amount))
    }

    private static func refusal(_ name: NamedCard, _ event: ReplayedEvent, _ detail: String) -> AuditError {
        .refused("card \(CardID(name.card).text) \(detail)", at: event.position)
    }
}

struct NumberedCard: Sendable {
    let id: UInt128
    let holder: UInt128
    let position: UInt64
    /// Microseconds since 1970.
    let opened: Int64
    let shop: UInt32
    let campaign: UInt32
    let goal: Int32
}

/// The ids that an event names, whose numbers ``ReplayedNumbers`` writes into the event.
struct NamedCard: Sendable {
    enum Step: UInt8 {
        case opening
        case going
        case taking
        /// The event is about a shop alone.
        case none
        /// Another `NamedCard` names the event's card; this is the event's shop.
        case guest

        var isOfCard: Bool { self == .opening || self == .going || self == .taking }
    }

    let card, holder, shop: UInt128
    /// The campaign of an opening, or the account that takes a card over.
    let detail: UInt128
    /// The index in the batch.
    let event: Int
    let hash: UInt32
    let step: Step

    @inline(__always)
    init(_ step: Step, _ card: UInt128 = 0, of holder: UInt128 = 0, at shop: UInt128, detail: UInt128 = 0, in event: Int) {
        (self.step, self.card, self.holder, self.shop, self.detail, self.event) = (step, card, holder, shop, detail, event)
        hash = PlaceIndex.hash(card)
    }
}
