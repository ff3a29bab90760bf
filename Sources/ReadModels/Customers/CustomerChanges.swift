public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The changes of a batch. A customer, a card and a day are each written once per batch.
public struct CustomerChanges {
    struct Customer {
        let old: CustomerRow?
        var row: CustomerRow
    }

    struct Card {
        let old: CustomerCard?
        /// Nil once the card has ended.
        var card: CustomerCard?
    }

    struct Day: Hashable {
        let shop, account: UInt128
        let day: UInt32
    }

    /// The day of a shop's last event, because consecutive events are often in one quarter of an hour.
    struct Clock {
        let zone: ReportZone
        var quarter: Quarter?
        var day = 0
    }

    /// Shops whose zones stay known between batches.
    static let zonesMax = 4_096
    /// Cards of a sold shop that are changed between two writes.
    static let soldMax = 4_096

    /// By shop and account.
    var customers = KeyMap<PairKey, Customer>()
    var cards = KeyMap<UInt128, Card>()
    var visits: [Day: VisitActs] = [:]
    var clocks = KeyMap<UInt128, Clock>()

    /// Rows that this batch has written before its end.
    var written = 0

    var unwritten: Int { 8 * customers.count + 2 * cards.count + visits.count }

    var count: Int { written + unwritten }
}

@available(*, noasync)
extension Customers {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> CustomerChanges { CustomerChanges() }

    /// The approximate number of rows that will be written.
    public func changes(in pending: borrowing CustomerChanges) -> Int { pending.count }

    /// Applies an event. A new type needs a case here and one in `ReplayedCustomers`.
    public func apply(_ fact: Fact, to pending: inout CustomerChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let time = fact.time
        switch fact.event {
        case .shopOpened(let event):
            try set(event.owner, of: event.shop, &transaction)
            try set(event.schedule, of: event.shop, at: fact.position, &pending, &transaction)
        case .shopEdited(let event): try set(event.schedule, of: event.shop, at: fact.position, &pending, &transaction)
        case .shopTransferred(let event):
            try set(event.account, of: event.shop, &transaction)
            try endGuests(of: event.shop.value, &pending, &transaction)
        case .accountErased(let event): try forget(event.account, &pending, &transaction)
        case .cardOpened(let event):
            let card = CustomerCard(
                campaign: event.campaign.value, shop: event.campaignShop.value, holder: event.holder.value, opened: fact.position,
                goal: event.goal)
            try set(card, of: event.card.value, &pending, transaction)
        case .cardStamped(let event):
            let act = Act(event.shop, event.holder, event.code.value, event.stamps)
            try stamp(event.card.value, act, at: time, &pending, transaction)
        case .cardAdjusted(let event): try change(event.card, &pending, transaction) { $0?.adjust(by: event.stamps) }
        case .stampReversed(let event):
            try change(event.card, &pending, transaction) { $0?.takeBack(event.stamps) }
            try takeBack(Act(event.shop, event.holder, event.code.value, event.stamps), &pending, &transaction)
        case .cardRedeemed(let event):
            try change(event.card, &pending, transaction) { $0?.status = .redeemed }
            let act = Act(event.shop, event.holder, event.redemption.value, 1)
            try visit(event.card.value, act, at: time, &pending, transaction)
        case .redemptionReversed(let event):
            try change(event.card, &pending, transaction) { $0?.status = .full }
            try takeBack(Act(event.shop, event.holder, event.redemption.value, 1), &pending, &transaction)
        case .milestoneRedeemed(let event):
            let act = Act(event.shop, event.holder, event.redemption.value, 1)
            try visit(event.card.value, act, at: time, &pending, transaction)
        case .milestoneReversed(let event):
            try takeBack(Act(event.shop, event.holder, event.redemption.value, 1), &pending, &transaction)
        // A redeemed card that is discarded is full again if its redemption is reversed.
        case .cardDiscarded(let event): try change(event.card, &pending, transaction) { if $0?.isHeld == true { $0 = nil } }
        case .cardExpired(let event): try change(event.card, &pending, transaction) { $0 = nil }
        case .waitingCardTaken(let event): try takeOver(event, &pending, &transaction)
        default: break
        }
    }

    /// Applies single stamps and new cards without decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout CustomerChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        if let stamp = SingleStamp(record) {
            let act = Act(ShopID(stamp.shop), AccountID(stamp.holder), stamp.code, 1)
            try self.stamp(stamp.card, act, at: Instant(microseconds: record.time.microseconds), &pending, transaction)
            return true
        }
        guard let opened = OpenedCard(record) else { return false }
        let card = CustomerCard(
            campaign: opened.campaign, shop: opened.shop, holder: opened.holder, opened: position.rawValue, goal: opened.goal)
        try set(card, of: opened.card, &pending, transaction)
        return true
    }

    /// A code's stamps or a reward, given to a customer or taken back.
    private struct Act {
        let customer: PairKey
        let id: UInt128
        let count: Int

        init(_ shop: ShopID, _ holder: AccountID, _ id: UInt128, _ count: Int) {
            (customer, self.id, self.count) = (PairKey(shop.value, holder.value), id, count)
        }
    }

    private func set(
        _ schedule: ShopSchedule, of shop: ShopID, at position: UInt64, _ pending: inout CustomerChanges,
        _ transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        pending.clocks[shop.value] = nil
        try store.put(zones, RowKey(shop.value), ShopZone(name: schedule.timeZone, position: position), in: &transaction)
    }

    private func day(
        of time: Instant, at shop: UInt128, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int {
        var clock = pending.clocks[shop]
        if clock == nil {
            let known: ShopZone? = try store.row(zones, RowKey(shop), in: transaction)
            clock = CustomerChanges.Clock(zone: ReportZone(name: known?.name ?? ShopSchedule.defaultTimeZone) ?? .utc)
        }
        guard var clock else { return 0 }
        let quarter = Quarter(of: time)
        if clock.quarter != quarter { (clock.quarter, clock.day) = (quarter, clock.zone.day(of: quarter.start)) }
        if pending.clocks.count >= CustomerChanges.zonesMax { pending.clocks.removeAll() }
        pending.clocks[shop] = clock
        return clock.day
    }

    private func change(
        _ key: PairKey, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction, _ body: (inout CustomerRow) -> Void
    ) throws(ReadModelError) {
        if pending.customers[key] == nil {
            let old: CustomerRow? = try store.row(customers, RowKey(key.first, and: key.second), in: transaction)
            pending.customers[key] = CustomerChanges.Customer(old: old, row: old ?? CustomerRow())
        }
        pending.customers.update(key, default: CustomerChanges.Customer(old: nil, row: CustomerRow())) { body(&$0.row) }
    }

    private func card(
        _ id: UInt128, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> CustomerCard? {
        if let known = pending.cards[id] { return known.card }
        let card: CustomerCard? = try store.row(cards, RowKey(id), in: transaction)
        pending.cards[id] = CustomerChanges.Card(old: card, card: card)
        return card
    }

    /// Does nothing to a card that has ended, or whose holder was erased.
    func change(
        _ id: CardID, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction, _ body: (inout CustomerCard?) -> Void
    ) throws(ReadModelError) {
        var card = try card(id.value, &pending, transaction)
        guard card != nil else { return }
        body(&card)
        try set(card, of: id.value, &pending, transaction)
    }

    /// Replaces a card, and counts it for its holder at each of its shops.
    private func set(
        _ new: CustomerCard?, of id: UInt128, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        let old = try card(id, &pending, transaction)
        pending.cards.update(id, default: CustomerChanges.Card(old: nil, card: nil)) { $0.card = new }
        if let old, let new, old.holder == new.holder, old.guests.count == new.guests.count, old.status == new.status,
            old.isNearlyFull == new.isNearlyFull
        {
            return
        }
        for (card, change) in [(old, -1), (new, 1)] {
            guard let card else { continue }
            for shop in card.shops {
                try self.change(PairKey(shop, card.holder), &pending, transaction) { $0.count(card, change) }
            }
        }
    }

    private func stamp(
        _ id: UInt128, _ act: Act, at time: Instant, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        guard var card = try card(id, &pending, transaction) else { return }
        card.stamp(act.count)
        let shop = act.customer.first
        // A code stays valid when its shop is sold.
        if card.shop != shop, !card.guests.contains(shop), try owner(of: shop, transaction) == owner(of: card.shop, transaction) {
            card.guests.append(shop)
        }
        try set(card, of: id, &pending, transaction)
        try visit(id, act, at: time, &pending, transaction)
    }

    private func visit(
        _ id: UInt128, _ act: Act, at time: Instant, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        guard let card = try card(id, &pending, transaction) else { return }
        let day = try day(of: time, at: act.customer.first, &pending, transaction)
        try add([VisitActs.Act(id: act.id, card: card.opened, count: act.count)], on: day, act.customer, &pending, transaction)
    }

    private func add(
        _ acts: [VisitActs.Act], on day: Int, _ key: PairKey, _ pending: inout CustomerChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        let entry = CustomerChanges.Day(shop: key.first, account: key.second, day: CustomerKey.value(day: day))
        var known = pending.visits[entry]
        if known == nil {
            try change(key, &pending, transaction) { _ in }
            // A day outside the customer's time has no row.
            if let row = pending.customers[key]?.row, row.visits > 0, row.firstDay...row.lastDay ~= day {
                known = try store.row(visits, entry.key, in: transaction)
            }
            if known == nil { try change(key, &pending, transaction) { $0.visit(on: day) } }
        }
        var all = known ?? VisitActs()
        for act in acts { all.add(act) }
        pending.visits[entry] = all
    }

    /// Takes back an act, its newest day first.
    private func takeBack(
        _ act: Act, _ pending: inout CustomerChanges, _ transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        try write(&pending, in: &transaction)
        var (left, before) = (act.count, UInt64.max)
        while left > 0, var found = try newestVisit(act.customer, before: before, transaction) {
            before = found.day
            let taken = found.acts.takeBack(left, of: act.id)
            left -= taken
            if taken > 0 { try put(found, act.customer, &pending, &transaction) }
        }
    }

    /// Stores the rest of a visit. Nothing may be pending for the customer's days.
    private func put(
        _ visit: (day: UInt64, acts: VisitActs), _ key: PairKey, _ pending: inout CustomerChanges, _ transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let row = RowKey(key.first, and: key.second, position: visit.day)
        guard visit.acts.acts.isEmpty else { return try store.put(visits, row, visit.acts, in: &transaction) }
        try store.delete(visits, row, in: &transaction)
        let last = try newestVisit(key, before: .max, transaction)?.day
        let first = try oldestDay(key, transaction)
        try change(key, &pending, transaction) {
            $0.visits -= 1
            $0.firstDay = first.map { CustomerKey.day(UInt32(truncatingIfNeeded: $0)) } ?? 0
            $0.lastDay = last.map { CustomerKey.day(UInt32(truncatingIfNeeded: $0)) } ?? 0
        }
    }

    private func newestVisit(
        _ key: PairKey, before: UInt64, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> (day: UInt64, acts: VisitActs)? {
        try store.newest(visits, before: RowKey(key.first, and: key.second, position: before), in: transaction) {
            (day, row) throws(ReadModelError) in (day, try store.decoded(row))
        }
    }

    private func oldestDay(_ key: PairKey, _ transaction: borrowing WriteTransaction) throws(ReadModelError) -> UInt64? {
        do {
            var cursor = try transaction.cursor(visits)
            guard try cursor.seek(RowKey(key.first, and: key.second, position: 0).bytes) else { return nil }
            guard cursor.key.bigEndian128(at: 0) == key.first, cursor.key.bigEndian128(at: 16) == key.second else { return nil }
            return UInt64(truncatingIfNeeded: cursor.key.bigEndian128(at: 24))
        } catch {
            throw store.wrapped(error)
        }
    }

    /// A waiting card takes its visits to the account, which was the waiting person all along.
    private func takeOver(
        _ event: WaitingCardTaken, _ pending: inout CustomerChanges, _ transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        guard let known = try card(event.card.value, &pending, transaction) else { return }
        try change(event.card, &pending, transaction) { card in
            card?.holder = event.holder.value
            card?.stamps = event.stamps
            guard card?.isHeld == true else { return }
            card?.status = event.status
            if event.status == .discarded { card = nil }
        }
        guard let from = event.from, from != event.holder else { return }
        try write(&pending, in: &transaction)
        for shop in try shops(of: from, transaction) {
            let (key, holder) = (PairKey(shop, from.value), PairKey(shop, event.holder.value))
            var before = UInt64.max
            while var found = try newestVisit(key, before: before, transaction) {
                before = found.day
                let left = found.acts.leave(known.opened)
                guard !left.isEmpty else { continue }
                try put(found, key, &pending, &transaction)
                try add(left, on: CustomerKey.day(UInt32(truncatingIfNeeded: found.day)), holder, &pending, transaction)
            }
        }
    }

    private func forget(
        _ account: AccountID, _ pending: inout CustomerChanges, _ transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        try write(&pending, in: &transaction)
        for shop in try shops(of: account, transaction) {
            let key = PairKey(shop, account.value)
            while let found = try newestVisit(key, before: .max, transaction) {
                try store.delete(visits, RowKey(shop, and: account.value, position: found.day), in: &transaction)
            }
            while let (place, card) = try newestCard(key, transaction) {
                try store.delete(held, RowKey(shop, and: account.value, position: place), in: &transaction)
                try store.delete(cards, RowKey(card), in: &transaction)
            }
            try change(key, &pending, transaction) { $0 = CustomerRow() }
        }
    }

    private func newestCard(
        _ key: PairKey, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> (place: UInt64, card: UInt128)? {
        try store.newest(held, before: RowKey(key.first, and: key.second, position: .max), in: transaction) {
            (place, row) throws(ReadModelError) in (place, try store.id(row, "a card of a customer"))
        }
    }

    private func shops(of account: AccountID, _ transaction: borrowing WriteTransaction) throws(ReadModelError) -> [UInt128] {
        var found: [UInt128] = []
        do {
            var cursor = try transaction.cursor(shops)
            var goesOn = try cursor.seek(RowKey(account.value, and: 0).bytes)
            while goesOn, cursor.key.bigEndian128(at: 0) == account.value {
                found.append(cursor.key.bigEndian128(at: 16))
                goesOn = try cursor.next()
            }
        } catch {
            throw store.wrapped(error)
        }
        return found
    }
}

extension CustomerChanges.Day {
    var key: RowKey { RowKey(shop, and: account, position: UInt64(day)) }
}

extension CustomerRow {
    /// Adds or, with -1, subtracts a card.
    mutating func count(_ card: CustomerCard, _ change: Int) {
        cards += change
        if card.status == .full { full += change }
        if card.isNearlyFull { nearlyFull += change }
    }
}
