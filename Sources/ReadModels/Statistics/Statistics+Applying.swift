public import EventLog
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
            pending.issue(event.code.value, OpenCode(issuer: fact.actor, stamps: event.stamps))
            pending.add(StaffActivity(codes: 1), to: Self.place(event.shop, fact, fact.actor.value))
        case .codeDestroyed(let event): pending.leave(nil, of: event.code.value)
        case .cardOpened(let event):
            pending.room[event.card.value] = event.goal
            pending.add(CardActivity(of: event.holder, opened: 1), to: Self.place(event.shop, fact, event.card.value))
        case .cardStamped(let event): try add(CountedStamp(event, at: fact.time), to: &pending, transaction)
        case .cardDiscarded(let event): pending.room[event.card.value] = .some(nil)
        case .cardAdjusted(let event):
            // No visit and no stamp of a code: only how many stamps it still takes.
            let left = (try room(of: event.card.value, pending, transaction) ?? 0) - event.stamps
            pending.room[event.card.value] = left > 0 ? left : .some(nil)
        case .cardRedeemed(let event):
            pending.add(CardActivity(of: event.holder, redeemed: 1), to: Self.place(event.shop, fact, event.card.value))
            pending.add(StaffActivity(redeemed: 1), to: Self.place(event.shop, fact, fact.actor.value))
        default: break
        }
    }

    /// Codes and stamps of one are what most of a log is; neither needs decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout StatisticsChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        let quarter = Quarter(of: Instant(microseconds: record.time.microseconds)).key
        if let stamp = SingleStamp(record) {
            try add(CountedStamp(stamp, in: quarter), to: &pending, transaction)
            return true
        }
        guard let code = IssuedCode(record) else { return false }
        let issuer = AccountID(record.actor)
        pending.issue(code.code, OpenCode(issuer: issuer, stamps: code.stamps))
        pending.add(StaffActivity(codes: 1), to: StatisticsChanges.Place(shop: code.shop, quarter: quarter, thing: issuer.value))
        return true
    }

    private func add(
        _ stamp: CountedStamp, to pending: inout StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        var isFilled = false
        if let left = try room(of: stamp.card, pending, transaction) {
            isFilled = left <= stamp.stamps
            pending.room[stamp.card] = isFilled ? .some(nil) : left - stamp.stamps
        }
        pending.add(
            CardActivity(of: AccountID(stamp.holder), stamps: stamp.stamps, filled: isFilled ? 1 : 0), to: stamp.place(of: stamp.card))
        guard var code = try code(stamp.code, pending, transaction) else { return }
        pending.add(StaffActivity(stamps: stamp.stamps), to: stamp.place(of: code.issuer.value))
        code.stamps -= stamp.stamps
        pending.leave(code.stamps > 0 ? code : nil, of: stamp.code)
    }

    private func room(
        of card: UInt128, _ pending: borrowing StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int? {
        if let known = pending.room[card] { return known }
        return try store.value(room, RowKey(card), in: transaction) { Int($0.littleEndian32(at: 0)) }
    }

    private func code(
        _ id: UInt128, _ pending: borrowing StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> OpenCode? {
        if let known = pending.codes[id] { return known.open }
        return try store.value(codes, RowKey(id), in: transaction) { (row) throws(ReadModelError) in
            guard let code = OpenCode(row) else { throw store.damaged("the row of code \(CodeID(id).text) does not decode") }
            return code
        }
    }

    private static func place(_ shop: ShopID, _ fact: Fact, _ thing: UInt128) -> StatisticsChanges.Place {
        StatisticsChanges.Place(shop: shop.value, quarter: Quarter(of: fact.time).key, thing: thing)
    }
}
