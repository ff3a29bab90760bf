public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The data of ``ShopReport``: activity at each shop by quarters of an hour, cards and members of staff.
///
/// Activity is stored as sums, and times need not ascend, because an import adds past days. The model pauses for 20 ms after each batch;
/// only reports wait for it.
public final class Statistics: ReadModel {
    public static let name = "statistics"
    public static let schemaVersion = 2
    public static let eventTypes: Set<EventType> = [
        .codeIssued, .codeDestroyed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardRedeemed,
        .redemptionReversed, .cardExpired, .milestoneRedeemed, .milestoneReversed, .waitingCardTaken,
    ]
    public static let tables = [cardTable, staffTable, firstTable, codeTable, roomTable]
    public static let bytesPerChange = 160
    public static let isInSnapshots = true
    public static let isForReports = true

    /// Shop, quarter and card → ``CardActivity``.
    static let cardTable = ModelTable("cards", key: [.shop, .quarter, .card]) { row in
        CardActivity(row).map {
            "\($0.stamps) stamps, \($0.opened) opened, \($0.filled) filled, \($0.redeemed) redeemed, \($0.reversed) reversed"
        }
    }
    /// Shop, quarter and member of staff → ``StaffActivity``.
    static let staffTable = ModelTable("staff", key: [.shop, .quarter, .account]) { row in
        StaffActivity(row).map { "\($0.codes) codes, \($0.stamps) stamps, \($0.redeemed) redeemed, \($0.reversed) reversed" }
    }
    /// Shop and account → the quarter of its first activity: ``Quarter/key`` as u64, little-endian.
    static let firstTable = ModelTable("firsts", key: [.shop, .account], number: { Quarter(key: $0).start.rfc3339 })
    /// Code → ``OpenCode``, until it is used up or destroyed.
    static let codeTable = ModelTable("codes", key: [.code]) { row in OpenCode(row).map { "\($0.stamps) stamps by \($0.issuer.text)" } }
    /// Card → stamps until it is full, u32; removed when it is full, discarded or expired. A later reversal may write an unused row.
    static let roomTable = ModelTable("room", key: [.card], count: { "room for \($0)" })

    public let store: ModelStore
    let cards, staff, firsts, codes, room: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (cards, staff, firsts) = try (store.table(Self.cardTable), store.table(Self.staffTable), store.table(Self.firstTable))
        (codes, room) = try (store.table(Self.codeTable), store.table(Self.roomTable))
    }
}

@available(*, noasync)
extension Statistics {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> StatisticsChanges { StatisticsChanges() }

    /// The approximate number of rows that will be written.
    public func changes(in pending: borrowing StatisticsChanges) -> Int { pending.count }

    /// Counts an event. A new type needs a case here and one in `ReplayedStatistics`.
    public func apply(_ fact: Fact, to pending: inout StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let quarter = Quarter(of: fact.time).key
        switch fact.event {
        case .codeIssued(let event):
            pending.issue(event.code.value, OpenCode(issuer: fact.actor, stamps: event.stamps))
            pending.add(StaffActivity(codes: 1), by: fact.actor.value, at: event.shop.value, in: quarter)
        case .codeDestroyed(let event): pending.leave(nil, of: event.code.value)
        case .cardOpened(let event): open(event.card.value, of: event.holder, at: event.shop.value, goal: event.goal, in: quarter, &pending)
        case .cardStamped(let event): try add(CountedStamp(event, at: fact.time), to: &pending, transaction)
        case .cardDiscarded(let event): pending.change(room: 0, at: pending.place(of: event.card.value))
        case .cardExpired(let event): pending.change(room: 0, at: pending.place(of: event.card.value))
        case .cardAdjusted(let event): try adjust(event, in: quarter, &pending, transaction)
        case .stampReversed(let event): try takeBack(event, &pending, transaction)
        case .waitingCardTaken(let event): try takeOver(event, in: quarter, &pending, transaction)
        case .cardRedeemed(let event):
            let (place, shop) = (pending.place(of: event.card.value), event.shop.value)
            pending.add(CardActivity(of: event.holder, redeemed: 1), to: place, at: shop, in: quarter)
            pending.add(StaffActivity(redeemed: 1), by: fact.actor.value, at: shop, in: quarter)
        case .redemptionReversed(let event):
            let (place, shop) = (pending.place(of: event.card.value), event.shop.value)
            pending.add(CardActivity(of: event.holder, reversed: 1), to: place, at: shop, in: quarter)
            pending.add(StaffActivity(reversed: 1), by: fact.actor.value, at: shop, in: quarter)
        case .milestoneRedeemed(let event):
            let (place, shop) = (pending.place(of: event.card.value), event.shop.value)
            pending.add(CardActivity(of: event.holder, milestones: MilestoneActivity(redeemed: 1)), to: place, at: shop, in: quarter)
            pending.add(StaffActivity(milestones: MilestoneActivity(redeemed: 1)), by: fact.actor.value, at: shop, in: quarter)
        case .milestoneReversed(let event):
            let (place, shop) = (pending.place(of: event.card.value), event.shop.value)
            pending.add(CardActivity(of: event.holder, milestones: MilestoneActivity(reversed: 1)), to: place, at: shop, in: quarter)
            pending.add(StaffActivity(milestones: MilestoneActivity(reversed: 1)), by: fact.actor.value, at: shop, in: quarter)
        default: break
        }
    }

    /// Counts most events of a log, such as stamps, without decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout StatisticsChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        let quarter = Quarter(of: Instant(microseconds: record.time.microseconds)).key
        if let stamp = SingleStamp(record) {
            try add(CountedStamp(stamp, in: quarter), to: &pending, transaction)
            return true
        }
        if let code = IssuedCode(record) {
            let issuer = AccountID(record.actor)
            pending.issue(code.code, OpenCode(issuer: issuer, stamps: code.stamps))
            pending.add(StaffActivity(codes: 1), by: issuer.value, at: code.shop, in: quarter)
            return true
        }
        guard let card = OpenedCard(record) else { return false }
        open(card.card, of: AccountID(card.holder), at: card.shop, goal: card.goal, in: quarter, &pending)
        return true
    }

    private func open(
        _ card: UInt128, of holder: AccountID, at shop: UInt128, goal: Int, in quarter: UInt64, _ pending: inout StatisticsChanges
    ) {
        let place = pending.place(of: card)
        pending.change(room: goal, at: place)
        pending.add(CardActivity(of: holder, opened: 1, filled: goal == 0 ? 1 : 0), to: place, at: shop, in: quarter)
    }

    /// Applies an adjustment, which is neither a visit nor a code's stamp, and may fill the card.
    private func adjust(
        _ event: CardAdjusted, in quarter: UInt64, _ pending: inout StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        let place = pending.place(of: event.card.value)
        let left = try room(at: place, &pending, transaction)
        pending.change(room: left - event.stamps, at: place)
        guard left > 0, left <= event.stamps else { return }
        pending.add(CardActivity(of: event.holder, filled: 1), to: place, at: event.shop.value, in: quarter)
    }

    /// Applies the taking of a waiting card, whose visits and stamps stay counted for the waiting person. It may fill the account's own
    /// card.
    private func takeOver(
        _ event: WaitingCardTaken, in quarter: UInt64, _ pending: inout StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        let place = pending.place(of: event.card.value)
        let left = try room(at: place, &pending, transaction)
        pending.change(room: event.stamps == 0 ? 0 : event.goal - event.stamps, at: place)
        guard left > 0, event.status == .full else { return }
        pending.add(CardActivity(of: event.holder, filled: 1), to: place, at: event.shop.value, in: quarter)
    }

    /// Applies a reversal: the card needs more stamps. A full card has no row, which counts as 0. Stamps stay counted where they were
    /// given.
    private func takeBack(
        _ event: StampReversed, _ pending: inout StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        let place = pending.place(of: event.card.value)
        pending.change(room: try room(at: place, &pending, transaction) + event.stamps, at: place)
    }

    private func add(
        _ stamp: CountedStamp, to pending: inout StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        let place = pending.place(of: stamp.card)
        let left = try room(at: place, &pending, transaction)
        let isFilled = left > 0 && left <= stamp.stamps
        if left > 0 { pending.change(room: left - stamp.stamps, at: place) }
        let activity = CardActivity(of: AccountID(stamp.holder), stamps: stamp.stamps, filled: isFilled ? 1 : 0)
        pending.add(activity, to: place, at: stamp.shop, in: stamp.quarter)
        guard var code = try code(stamp.code, pending, transaction) else { return }
        pending.add(StaffActivity(stamps: stamp.stamps), by: code.issuer.value, at: stamp.shop, in: stamp.quarter)
        code.stamps -= stamp.worth
        pending.leave(code.stamps > 0 ? code : nil, of: stamp.code)
    }

    private func room(
        at place: Int, _ pending: inout StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int {
        if let known = pending.room(at: place) { return known }
        let key = RowKey(pending.cards[place].id)
        let stored = try store.value(room, key, in: transaction) { (row) throws(ReadModelError) in try store.shortNumber(row) } ?? 0
        pending.setKnown(room: stored, at: place)
        return stored
    }

    private func code(
        _ id: UInt128, _ pending: borrowing StatisticsChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> OpenCode? {
        if let known = pending.codes[id] { return known.open }
        return try store.row(codes, RowKey(id), in: transaction)
    }
}
