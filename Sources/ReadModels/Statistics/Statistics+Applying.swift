public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension Statistics {
    /// Sums that are not in the rows yet.
    public func makePending(cachedMax: Int) -> StatisticsChanges { StatisticsChanges() }

    /// How many rows will be written.
    public func changes(in pending: borrowing StatisticsChanges) -> Int { pending.count }

    /// Counts what happened. A new kind of event needs one case here, and one in `ReplayedStatistics`.
    public func apply(
        _ fact: Fact, to pending: inout StatisticsChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        switch fact.event {
        case .codeIssued(let event):
            pending.codes[event.code.value] = OpenCode(issuer: fact.actor, stamps: event.stamps)
            pending.add(StaffActivity(codes: 1), to: Self.place(event.shop, fact, fact.actor.value))
        case .codeDestroyed(let event): pending.codes[event.code.value] = .some(nil)
        case .cardOpened(let event):
            pending.room[event.card.value] = event.goal
            pending.add(CardActivity(of: event.holder, opened: 1), to: Self.place(event.shop, fact, event.card.value))
        case .cardStamped(let event): try stamp(event, fact, &pending, transaction)
        case .cardDiscarded(let event): pending.room[event.card.value] = .some(nil)
        case .cardAdjusted(let event):
            // No visit and no stamp of a code: only how many stamps it still takes.
            let left = (try room(of: event.card, pending, transaction) ?? 0) - event.stamps
            pending.room[event.card.value] = left > 0 ? left : .some(nil)
        case .cardRedeemed(let event):
            pending.add(CardActivity(of: event.holder, redeemed: 1), to: Self.place(event.shop, fact, event.card.value))
            pending.add(StaffActivity(redeemed: 1), to: Self.place(event.shop, fact, fact.actor.value))
        default: break
        }
    }

    private func stamp(
        _ event: CardStamped, _ fact: Fact, _ pending: inout StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        var isFilled = false
        if let left = try room(of: event.card, pending, transaction) {
            isFilled = left <= event.stamps
            pending.room[event.card.value] = isFilled ? .some(nil) : left - event.stamps
        }
        pending.add(
            CardActivity(of: event.holder, stamps: event.stamps, filled: isFilled ? 1 : 0),
            to: Self.place(event.shop, fact, event.card.value))
        guard var code = try code(event.code, pending, transaction) else { return }
        pending.add(StaffActivity(stamps: event.stamps), to: Self.place(event.shop, fact, code.issuer.value))
        code.stamps -= event.stamps
        pending.codes[event.code.value] = code.stamps > 0 ? code : .some(nil)
    }

    private func room(
        of card: CardID, _ pending: borrowing StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int? {
        if let known = pending.room[card.value] { return known }
        return try store.value(room, RowKey(card.value), in: transaction) { Int($0.littleEndian32(at: 0)) }
    }

    private func code(
        _ id: CodeID, _ pending: borrowing StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> OpenCode? {
        if let known = pending.codes[id.value] { return known }
        return try store.value(codes, RowKey(id.value), in: transaction) { (row) throws(ReadModelError) in
            guard let code = OpenCode(row) else { throw store.damaged("the row of code \(id.text) does not decode") }
            return code
        }
    }

    private static func place(_ shop: ShopID, _ fact: Fact, _ thing: UInt128) -> StatisticsChanges.Place {
        StatisticsChanges.Place(shop: shop.value, quarter: Quarter(of: fact.time).key, thing: thing)
    }
}
