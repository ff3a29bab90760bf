internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// What happened at each shop in memory, folded from the log: what `Statistics` must hold.
struct ReplayedStatistics: ReplayedModel {
    static var model: any Projection.Type { Statistics.self }

    /// A shop, a quarter, and a card or a member of staff, in the order of the key.
    struct Place: Hashable, Comparable, Sendable {
        let shop: UInt128
        let quarter: UInt64
        let thing: UInt128

        static func < (left: Place, right: Place) -> Bool {
            (left.shop, left.quarter, left.thing) < (right.shop, right.quarter, right.thing)
        }
    }

    private(set) var cards: [Place: CardActivity] = [:]
    private(set) var staff: [Place: StaffActivity] = [:]
    private(set) var codes: [UInt128: OpenCode] = [:]
    private(set) var room: [UInt128: Int] = [:]

    mutating func apply(_ fact: Fact) throws(AuditError) {
        switch fact.event {
        case .codeIssued(let event):
            codes[event.code.value] = OpenCode(issuer: fact.actor, stamps: event.stamps)
            staff[place(event.shop, fact, fact.actor.value), default: StaffActivity()].add(StaffActivity(codes: 1))
        case .codeDestroyed(let event): codes[event.code.value] = nil
        case .cardOpened(let event):
            room[event.card.value] = event.goal
            add(CardActivity(of: event.holder, opened: 1), at: event.shop, event.card, fact)
        case .cardStamped(let event): stamp(event, fact)
        case .cardDiscarded(let event): room[event.card.value] = nil
        case .cardAdjusted(let event):
            let left = room[event.card.value, default: 0] - event.stamps
            room[event.card.value] = left > 0 ? left : nil
        case .cardRedeemed(let event):
            add(CardActivity(of: event.holder, redeemed: 1), at: event.shop, event.card, fact)
            staff[place(event.shop, fact, fact.actor.value), default: StaffActivity()].add(StaffActivity(redeemed: 1))
        default: break
        }
    }

    private mutating func stamp(_ event: CardStamped, _ fact: Fact) {
        let left = room[event.card.value].map { $0 - event.stamps }
        room[event.card.value] = left.flatMap { $0 > 0 ? $0 : nil }
        let isFilled = left.map { $0 <= 0 } ?? false
        add(CardActivity(of: event.holder, stamps: event.stamps, filled: isFilled ? 1 : 0), at: event.shop, event.card, fact)
        guard var code = codes[event.code.value] else { return }
        staff[place(event.shop, fact, code.issuer.value), default: StaffActivity()].add(StaffActivity(stamps: event.stamps))
        code.stamps -= event.stamps
        codes[event.code.value] = code.stamps > 0 ? code : nil
    }

    private mutating func add(_ activity: CardActivity, at shop: ShopID, _ card: CardID, _ fact: Fact) {
        cards[place(shop, fact, card.value), default: CardActivity(of: activity.holder)].add(activity)
    }

    private func place(_ shop: ShopID, _ fact: Fact, _ thing: UInt128) -> Place {
        Place(shop: shop.value, quarter: Quarter(of: fact.time).key, thing: thing)
    }
}
