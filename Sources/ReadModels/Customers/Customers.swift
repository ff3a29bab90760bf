public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The read model of each shop's customers: everybody with a visit there. ``CustomerRules`` defines who is in which segment.
///
/// Days are those of the zone that the shop had at the time of the event. The segments that depend on the clock are counted by the day on
/// which they end, so a count reads a limited number of days.
public final class Customers: ReadModel {
    public static let name = "customers"
    public static let schemaVersion = 2
    public static let eventTypes: Set<EventType> = [
        .shopOpened, .shopEdited, .shopTransferred, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardExpired,
        .cardRedeemed, .redemptionReversed, .milestoneRedeemed, .milestoneReversed, .waitingCardTaken, .accountErased,
    ]
    public static let tables = [
        zoneTable, ownerTable, customerTable, shopTable, visitTable, cardTable, heldTable, orderTable, countTable,
    ]
    public static let bytesPerChange = 256
    public static let isForReports = true

    /// Shop → ``ShopZone``.
    static let zoneTable = ModelTable("zones", key: [.shop]) { row in ShopZone(row).map { "\($0.name), set at position \($0.position)" } }
    /// Shop → the account of its owner, 16 bytes.
    static let ownerTable = ModelTable("owners", key: [.shop], id: { AccountID($0).text })
    /// Shop and account → ``CustomerRow``, also before the first visit.
    static let customerTable = ModelTable("customers", key: [.shop, .account]) { CustomerRow.text($0) }
    /// The same pairs, by account: account and shop → nothing.
    static let shopTable = ModelTable("shops", key: [.account, .shop], describe: { $0.isEmpty ? "" : nil })
    /// Shop, account and day → ``VisitActs``.
    static let visitTable = ModelTable("visits", key: [.shop, .account, .visitDay]) { VisitActs.text($0) }
    /// Card → ``CustomerCard``.
    static let cardTable = ModelTable("cards", key: [.card]) { CustomerCard.text($0) }
    /// Shop, account and ``CustomerCard/place`` → card, 16 bytes.
    static let heldTable = ModelTable("held", key: [.shop, .account, .position], id: { CardID($0).text })
    /// Shop, ``CustomerKey/place(_:_:_:)`` and account → ``CustomerRow``.
    static let orderTable = ModelTable("order", key: [.shop, .customerPlace, .account]) { CustomerRow.text($0) }
    /// Shop and ``CustomerKey/count(_:isOften:day:)`` → customers, u32.
    static let countTable = ModelTable("counts", key: [.shop, .customerCount], count: { "\($0) customers" })

    public let store: ModelStore
    let zones, owners, customers, shops, visits, cards, held, order, counts: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (zones, owners) = try (store.table(Self.zoneTable), store.table(Self.ownerTable))
        (customers, shops) = try (store.table(Self.customerTable), store.table(Self.shopTable))
        (visits, cards, held) = try (store.table(Self.visitTable), store.table(Self.cardTable), store.table(Self.heldTable))
        (order, counts) = try (store.table(Self.orderTable), store.table(Self.countTable))
    }
}

extension Customers {
    /// A page of a shop's customers. Customers of ``CustomerSegment/new``, `regular` and `lapsed` are picked from all, so that a page ends
    /// after ``ReadModelLimits/customersPerPage`` looked at, and may be short although others follow.
    ///
    /// - Parameters:
    ///   - today: the day that decides the segments.
    ///   - place: ``CustomerPage/next`` of the previous page, or the place of any customer.
    public func page(
        of shop: ShopID, _ list: CustomerList, today: Int, after place: CustomerPlace? = nil, limit: Int = 20
    ) throws(ReadModelError) -> CustomerPage {
        try store.reading { (snapshot) throws(ReadModelError) in
            do {
                var page = CustomerPage(counts: try counts(of: shop, today: today, in: snapshot))
                var (looked, last): (Int, CustomerPlace?) = (0, nil)
                var cursor = try snapshot.cursor(order)
                let bound = list.bound(behind: place, today: today)
                let end = RowKey(shop.value, position: bound.place, and: bound.account)
                var goesOn = try cursor.seek(end.bytes) ? cursor.previous() : cursor.last()
                while goesOn, let found = list.entry(cursor.key, at: shop) {
                    let row = try store.decoded(cursor.value) as CustomerRow
                    if list.ends(before: row, today: today) { break }
                    if page.customers.count == limit || looked == ReadModelLimits.customersPerPage {
                        page.next = last
                        break
                    }
                    looked += 1
                    last = found
                    if list.has(row, today: today) { page.customers.append(ShopCustomer(place: found, row: row)) }
                    goesOn = try cursor.previous()
                }
                return page
            } catch {
                throw store.wrapped(error)
            }
        }
    }

    /// One customer; nil for an account without a visit.
    public func customer(_ account: AccountID, of shop: ShopID) throws(ReadModelError) -> CustomerRow? {
        try store.reading { (snapshot) throws(ReadModelError) in
            let row: CustomerRow? = try store.row(customers, RowKey(shop.value, and: account.value), in: snapshot)
            return row.flatMap { $0.visits > 0 ? $0 : nil }
        }
    }

    /// Whether an account has a card or a visit at a shop, as an erased one never has.
    public func has(_ account: AccountID, of shop: ShopID) throws(ReadModelError) -> Bool {
        try store.reading { (snapshot) throws(ReadModelError) in
            let row: CustomerRow? = try store.row(customers, RowKey(shop.value, and: account.value), in: snapshot)
            return row != nil
        }
    }

    /// The customer's newest cards that are neither redeemed nor ended, and the days of the newest visits.
    public func details(
        of account: AccountID, at shop: ShopID, cardsMax: Int, visitsMax: Int
    ) throws(ReadModelError) -> (cards: [HeldCard], visits: [Int]) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var (cards, days): ([HeldCard], [Int]) = ([], [])
            try descend(held, shop, account, in: snapshot) { (place, row) throws(ReadModelError) in
                guard cards.count < cardsMax, place >> 63 == 1 else { return false }
                let id = CardID(try store.id(row, "a card of a customer"))
                guard let card: CustomerCard = try store.row(self.cards, RowKey(id.value), in: snapshot) else {
                    throw store.damaged("the row of card \(id.text) is missing")
                }
                cards.append(HeldCard(id: id, card))
                return true
            }
            try descend(visits, shop, account, in: snapshot) { (day, _) throws(ReadModelError) in
                guard days.count < visitsMax else { return false }
                days.append(CustomerKey.day(UInt32(truncatingIfNeeded: day)))
                return true
            }
            return (cards, days)
        }
    }

    /// The rows of a pair of ids, the greatest number first, until `body` returns false.
    private func descend(
        _ table: Table, _ shop: ShopID, _ account: AccountID, in snapshot: borrowing Snapshot,
        _ body: (_ number: UInt64, _ row: Span<UInt8>) throws(ReadModelError) -> Bool
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let bound = RowKey(shop.value, and: account.value, position: .max)
            var goesOn = try cursor.seek(bound.bytes) ? cursor.previous() : cursor.last()
            while goesOn, cursor.key.bigEndian128(at: 0) == shop.value, cursor.key.bigEndian128(at: 16) == account.value {
                goesOn = try body(UInt64(truncatingIfNeeded: cursor.key.bigEndian128(at: 24)), cursor.value) && cursor.previous()
            }
        } catch {
            throw store.wrapped(error)
        }
    }

    private func counts(of shop: ShopID, today: Int, in snapshot: borrowing Snapshot) throws(ReadModelError) -> CustomerCounts {
        func count(_ count: CustomerKey.Count) throws(ReadModelError) -> Int {
            try store.value(counts, RowKey(shop.value, position: CustomerKey.count(count)), in: snapshot) {
                (row) throws(ReadModelError) in try store.shortNumber(row)
            } ?? 0
        }
        func left(_ count: CustomerKey.Count, _ isOften: Bool) throws(ReadModelError) -> Int {
            let start = RowKey(shop.value, position: CustomerKey.count(count, isOften: isOften, day: today + 1))
            let last = CustomerKey.count(count, isOften: isOften) | UInt64(UInt32.max)
            var sum = 0
            try store.walk(counts, of: shop.value, from: start, keyBytes: 24, in: snapshot) { (key, row) throws(ReadModelError) in
                guard UInt64(truncatingIfNeeded: key.bigEndian128(at: 8)) <= last else { return .end }
                sum += try store.shortNumber(row)
                return .next
            }
            return sum
        }
        let (newSeldom, newOften) = try (left(.new, false), left(.new, true))
        let (activeSeldom, activeOften) = try (left(.active, false), left(.active, true))
        let all = try count(.all)
        return try CustomerCounts(
            all: all, new: newSeldom + newOften, regular: activeOften - newOften, nearlyFull: count(.nearlyFull), full: count(.full),
            lapsed: all - activeSeldom - activeOften)
    }
}

/// A list of a shop's customers, and its order.
public struct CustomerList: Hashable, Sendable {
    public let segment: CustomerSegment?
    public let sort: CustomerSort

    public init(segment: CustomerSegment? = nil, sort: CustomerSort = .lastVisit) { (self.segment, self.sort) = (segment, sort) }

    private var list: CustomerKey.List {
        switch segment {
        case .nearlyFull: .nearlyFull
        case .full: .full
        case nil, .new, .regular, .lapsed: .all
        }
    }

    fileprivate func has(_ row: CustomerRow, today: Int) -> Bool {
        switch segment {
        case nil, .nearlyFull, .full: true
        case .new, .regular, .lapsed: row.state(on: today) == segment
        }
    }

    /// The first key that a page leaves out. No customer who came less than ``CustomerRules/lapseDaysMin`` ago is lapsed.
    fileprivate func bound(behind place: CustomerPlace?, today: Int) -> (place: UInt64, account: UInt128) {
        if let place { return (CustomerKey.place(list, sort, place.value), place.account.value) }
        var value = UInt32.max
        if segment == .lapsed, sort != .visits { value = CustomerKey.value(day: today - CustomerRules.lapseDaysMin) }
        return (CustomerKey.place(list, sort, value), .max)
    }

    /// Whether this customer and all later ones are outside the segment.
    fileprivate func ends(before row: CustomerRow, today: Int) -> Bool {
        switch (segment, sort) {
        case (.new, .lastVisit): row.lastDay <= today - CustomerRules.newDays
        case (.new, .firstVisit): row.firstDay <= today - CustomerRules.newDays
        case (.regular, .visits): !row.isOften
        case (.regular, .lastVisit): row.lastDay <= today - CustomerRules.lapseDaysMax
        default: false
        }
    }

    /// Nil for the key of another list.
    fileprivate func entry(_ key: Span<UInt8>, at shop: ShopID) -> CustomerPlace? {
        let number = UInt64(truncatingIfNeeded: key.bigEndian128(at: 8))
        guard key.bigEndian128(at: 0) == shop.value, number >> 48 == CustomerKey.place(list, sort, 0) >> 48 else { return nil }
        return CustomerPlace(value: UInt32(truncatingIfNeeded: number), account: AccountID(key.bigEndian128(at: 24)))
    }
}

/// The end of a page in the order of a ``CustomerList``, which stays valid if the customer moves or disappears.
public struct CustomerPlace: Hashable, Sendable {
    public let value: UInt32
    public let account: AccountID

    public init(value: UInt32, account: AccountID) { (self.value, self.account) = (value, account) }
}

/// Some customers of a list, and the counts of all segments.
public struct CustomerPage: Hashable, Sendable {
    public let counts: CustomerCounts
    public internal(set) var customers: [ShopCustomer] = []
    /// Nil on the last page.
    public internal(set) var next: CustomerPlace?
}

/// A customer in a list.
public struct ShopCustomer: Hashable, Sendable {
    public let place: CustomerPlace
    public let row: CustomerRow

    public var account: AccountID { place.account }
}

/// How many of a shop's customers are in each segment, and how many there are.
public struct CustomerCounts: Hashable, Sendable {
    public let all, new, regular, nearlyFull, full, lapsed: Int

    package init(all: Int, new: Int, regular: Int, nearlyFull: Int, full: Int, lapsed: Int) {
        (self.all, self.new, self.regular) = (all, new, regular)
        (self.nearlyFull, self.full, self.lapsed) = (nearlyFull, full, lapsed)
    }
}

/// A customer's card that is collecting or full.
public struct HeldCard: Hashable, Sendable {
    public let id: CardID
    public let campaign: CampaignID
    public let stamps: Int
    public let goal: Int
    public let status: CardStatus

    init(id: CardID, _ card: CustomerCard) {
        (self.id, campaign, stamps, goal, status) = (id, CampaignID(card.campaign), card.stamps, card.goal, card.status)
    }
}
