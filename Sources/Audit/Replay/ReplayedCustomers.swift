internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `Customers`: the log's gains and reversals as a list, and the cards' states. Everything about days, customers
/// and segments is computed from these at the end.
struct ReplayedCustomers: ReplayedModel {
    static var model: any Projection.Type { Customers.self }

    /// A code's stamps or a reward; or, from `reversals`, a part of it that was taken back.
    struct Gain: Sendable {
        let position: UInt64
        /// Microseconds since 1970.
        let time: Int64
        let id: UInt128
        let card: UInt32
        let shop: UInt32
        var count: Int32
    }

    struct Card: Sendable {
        var stamps: Int32 = 0
        var status: CardStatus
        /// Whether no reversal can bring it back.
        var isOver = false
    }

    private(set) var gains: [Gain] = []
    private(set) var reversals: [Gain] = []
    private(set) var cards: [Card] = []
    /// The shops that stamped a card beside its own, all of one owner, in the order of the stamps.
    private(set) var guests: [UInt32: (home: UInt128, shops: [UInt128])] = [:]
    private(set) var owners: [UInt128: UInt128] = [:]
    /// Each shop's zones, with the positions from which they count.
    private(set) var zones: [UInt128: [(position: UInt64, name: String)]] = [:]
    private(set) var erased: Set<UInt128> = []
    private var goals: [Int32] = []

    /// - Parameter capacity: the expected number of gains. Unused reserved memory costs nothing.
    init(capacity: Int) { gains.reserveCapacity(capacity) }

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events {
            switch event.kind {
            case .stamped: stamp(event, event.id, 1)
            case .opened: open(event)
            case .discarded: discard(event.card)
            case .decoded: apply(batch.facts[event.place], event)
            case .issued, .registered: break
            }
        }
    }

    private mutating func apply(_ fact: borrowing Fact, _ event: ReplayedEvent) {
        switch fact.event {
        case .shopOpened(let shop):
            owners[shop.shop.value] = shop.owner.value
            zones[shop.shop.value, default: []].append((fact.position, shop.schedule.timeZone))
        case .shopTransferred(let sale): sell(sale.shop.value, to: sale.account.value)
        case .shopEdited(let shop): zones[shop.shop.value, default: []].append((fact.position, shop.schedule.timeZone))
        case .accountErased(let account): erased.insert(account.account.value)
        case .cardOpened: open(event)
        case .cardStamped(let stamped):
            stamp(event, stamped.code.value, Int32(clamping: stamped.stamps))
            if let home = stamped.home { invite(stamped.shop.value, of: home.value, event.card) }
        case .cardAdjusted(let adjusted):
            let card = Int(event.card)
            cards[card].stamps += Int32(clamping: adjusted.stamps)
            cards[card].status = cards[card].stamps >= goals[card] ? .full : .collecting
        case .stampReversed(let reversed):
            cards[Int(event.card)].stamps -= Int32(clamping: reversed.stamps)
            if cards[Int(event.card)].status == .full { cards[Int(event.card)].status = .collecting }
            reversals.append(gain(event, reversed.code.value, Int32(clamping: reversed.stamps)))
        case .cardRedeemed(let redeemed):
            cards[Int(event.card)].status = .redeemed
            gains.append(gain(event, redeemed.redemption.value, 1))
        case .redemptionReversed(let reversed):
            cards[Int(event.card)].status = .full
            reversals.append(gain(event, reversed.redemption.value, 1))
        case .milestoneRedeemed(let redeemed): gains.append(gain(event, redeemed.redemption.value, 1))
        case .milestoneReversed(let reversed): reversals.append(gain(event, reversed.redemption.value, 1))
        case .cardDiscarded: discard(event.card)
        case .cardExpired: cards[Int(event.card)].isOver = true
        case .waitingCardTaken(let taken):
            let card = Int(event.card)
            cards[card].stamps = Int32(clamping: taken.stamps)
            guard cards[card].status == .collecting || cards[card].status == .full else { return }
            cards[card].status = taken.stamps >= taken.goal ? .full : .collecting
            if taken.stamps == 0 { cards[card].isOver = true }
        default: break
        }
    }

    private mutating func open(_ event: ReplayedEvent) {
        cards.append(Card(status: event.amount == 0 ? .full : .collecting))
        goals.append(event.amount)
    }

    @inline(__always)
    private mutating func stamp(_ event: ReplayedEvent, _ code: UInt128, _ stamps: Int32) {
        let card = Int(event.card)
        cards[card].stamps += stamps
        if cards[card].status == .collecting, cards[card].stamps >= goals[card] { cards[card].status = .full }
        gains.append(gain(event, code, stamps))
    }

    private mutating func invite(_ shop: UInt128, of home: UInt128, _ card: UInt32) {
        guard owners[shop] == owners[home], guests[card]?.shops.contains(shop) != true else { return }
        guests[card, default: (home, [])].shops.append(shop)
    }

    private mutating func sell(_ shop: UInt128, to owner: UInt128) {
        owners[shop] = owner
        guests = guests.filter { $0.value.home != shop }.mapValues { ($0.home, $0.shops.filter { $0 != shop }) }
    }

    private mutating func discard(_ card: UInt32) { if cards[Int(card)].status != .redeemed { cards[Int(card)].isOver = true } }

    @inline(__always)
    private func gain(_ event: ReplayedEvent, _ id: UInt128, _ count: Int32) -> Gain {
        Gain(position: event.position, time: event.time, id: id, card: event.card, shop: event.at, count: count)
    }
}
