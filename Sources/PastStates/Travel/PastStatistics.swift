internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// A shop's activity in a period: the rows of a snapshot, and the later events.
struct PastStatistics {
    private let base: PastSnapshot?
    private let shop: ShopID
    private let period: ReportPeriod
    private var making: ReportMaking
    /// The codes that changed since the snapshot. They replace the snapshot's rows; the value is nil for a code without stamps left.
    private var codes: [CodeID: OpenCode?] = [:]
    /// The stamps that cards can still take, as far as it is known.
    private var room: [CardID: Int] = [:]
    private var firsts: [AccountID: Quarter] = [:]

    init(over base: PastSnapshot?, of shop: ShopID, _ period: ReportPeriod) throws(SnapshotFault) {
        (self.base, self.shop, self.period) = (base, shop, period)
        var making = ReportMaking(period)
        try Self.walk("cards", base, shop, period) { (quarter, card, row) throws(SnapshotFault) in
            guard let activity = CardActivity(row) else { throw .changed("a card's row") }
            making.add(activity, of: CardID(card), in: quarter)
        }
        try Self.walk("staff", base, shop, period) { (quarter, account, row) throws(SnapshotFault) in
            guard let activity = StaffActivity(row) else { throw .changed("a member's row") }
            making.add(activity, by: AccountID(account), in: quarter)
        }
        self.making = making
    }

    /// Counts an event of this shop in the same way as the model `Statistics`.
    mutating func apply(_ fact: Fact) throws(SnapshotFault) {
        let quarter = Quarter(of: fact.time)
        let isFilled = try followRoom(fact)
        switch fact.event {
        case .codeIssued(let event):
            codes[event.code] = .some(OpenCode(issuer: fact.actor, stamps: event.stamps))
            making.add(StaffActivity(codes: 1), by: fact.actor, in: quarter)
        case .codeDestroyed(let event): codes[event.code] = .some(nil)
        case .cardOpened(let event): visit(CardActivity(of: event.holder, opened: 1, filled: isFilled ? 1 : 0), event.card, quarter)
        case .cardStamped(let event):
            visit(CardActivity(of: event.holder, stamps: event.stamps, filled: isFilled ? 1 : 0), event.card, quarter)
            try use(event, quarter)
        case .cardAdjusted(let event) where isFilled:
            making.add(CardActivity(of: event.holder, filled: 1), of: event.card, in: quarter)
        case .waitingCardTaken(let event) where isFilled:
            making.add(CardActivity(of: event.holder, filled: 1), of: event.card, in: quarter)
        case .cardRedeemed(let event):
            visit(CardActivity(of: event.holder, redeemed: 1), event.card, quarter)
            making.add(StaffActivity(redeemed: 1), by: fact.actor, in: quarter)
        case .redemptionReversed(let event):
            making.add(CardActivity(of: event.holder, reversed: 1), of: event.card, in: quarter)
            making.add(StaffActivity(reversed: 1), by: fact.actor, in: quarter)
        case .milestoneRedeemed(let event):
            visit(CardActivity(of: event.holder, milestones: MilestoneActivity(redeemed: 1)), event.card, quarter)
            making.add(StaffActivity(milestones: MilestoneActivity(redeemed: 1)), by: fact.actor, in: quarter)
        case .milestoneReversed(let event):
            making.add(CardActivity(of: event.holder, milestones: MilestoneActivity(reversed: 1)), of: event.card, in: quarter)
            making.add(StaffActivity(milestones: MilestoneActivity(reversed: 1)), by: fact.actor, in: quarter)
        default: break
        }
    }

    /// Updates the number of stamps that a card can still take. For an event at another shop, which only that shop's statistics count, this
    /// is all.
    ///
    /// - Returns: whether the event filled the card.
    @discardableResult
    mutating func followRoom(_ fact: Fact) throws(SnapshotFault) -> Bool {
        switch fact.event {
        case .cardOpened(let event):
            set(room: event.goal, of: event.card)
            return event.goal == 0
        case .cardStamped(let event): return try fill(event.card, with: event.stamps)
        case .cardAdjusted(let event): return try fill(event.card, with: event.stamps)
        case .stampReversed(let event): set(room: try room(of: event.card) + event.stamps, of: event.card)
        case .cardDiscarded(let event): set(room: 0, of: event.card)
        case .cardExpired(let event): set(room: 0, of: event.card)
        case .waitingCardTaken(let event):
            let before = try room(of: event.card)
            set(room: event.stamps == 0 ? 0 : event.goal - event.stamps, of: event.card)
            return before > 0 && event.status == .full
        default: break
        }
        return false
    }

    private mutating func fill(_ card: CardID, with stamps: Int) throws(SnapshotFault) -> Bool {
        let before = try room(of: card)
        set(room: before - stamps, of: card)
        return before > 0 && before <= stamps
    }

    private mutating func set(room left: Int, of card: CardID) { room[card] = max(0, left) }

    private mutating func use(_ event: CardStamped, _ quarter: Quarter) throws(SnapshotFault) {
        guard var code = try code(event.code) else { return }
        making.add(StaffActivity(stamps: event.stamps), by: code.issuer, in: quarter)
        code.stamps -= event.worth
        codes[event.code] = .some(code.stamps > 0 ? code : nil)
    }

    private mutating func visit(_ activity: CardActivity, _ card: CardID, _ quarter: Quarter) {
        making.add(activity, of: card, in: quarter)
        firsts[activity.holder] = min(firsts[activity.holder] ?? quarter, quarter)
    }

    private func room(of card: CardID) throws(SnapshotFault) -> Int {
        if let known = room[card] { return known }
        guard let row = try base?.table(Statistics.self, "room").value(of: RowKey(card.value).array) else { return 0 }
        guard row.count == 4 else { throw .changed("a card's room") }
        return Int(row.span.littleEndian32(at: 0))
    }

    private func code(_ id: CodeID) throws(SnapshotFault) -> OpenCode? {
        if let known = codes[id] { return known }
        guard let row = try base?.table(Statistics.self, "codes").value(of: RowKey(id.value).array) else { return nil }
        guard let code = OpenCode(row.span) else { throw .changed("a code's row") }
        return code
    }

    func report() throws(SnapshotFault) -> ShopReport {
        var firsts = firsts
        if let table = try base?.table(Statistics.self, "firsts") {
            var stored: [AccountID: Quarter] = [:]
            try table.forEach(under: RowKey(shop.value).array) { (key, row) throws(SnapshotFault) in
                guard row.count == 8 else { throw .changed("a first visit") }
                stored[AccountID(key.bigEndian128(at: 16))] = Quarter(key: row.littleEndian64(at: 0))
            }
            firsts.merge(stored) { min($0, $1) }
        }
        let customers = Set(making.customers)
        return making.report(firsts: firsts.filter { customers.contains($0.key) })
    }

    /// Calls `body` with the rows of a snapshot's table that belong to the shop and to the period.
    private static func walk(
        _ name: String, _ base: PastSnapshot?, _ shop: ShopID, _ period: ReportPeriod,
        _ body: (_ quarter: Quarter, _ thing: UInt128, _ row: Span<UInt8>) throws(SnapshotFault) -> Void
    ) throws(SnapshotFault) {
        guard let table = try base?.table(Statistics.self, name) else { return }
        let start = RowKey(shop.value, position: period.quarters.lowerBound.key).array
        try table.forEach(from: start) { (key, row) throws(SnapshotFault) in
            let quarter = Quarter(key: UInt64(truncatingIfNeeded: key.bigEndian128(at: 8)))
            guard key.bigEndian128(at: 0) == shop.value, quarter <= period.quarters.upperBound else { return false }
            try body(quarter, key.bigEndian128(at: 24), row)
            return true
        }
    }
}
