public import EventLog
public import LMDB
public import Loyalty
public import LoyaltyCodec
public import Projections

/// The cards by the last six characters of their ids, and the positions of each day's acts, which lead a search of the log to what it looks
/// for.
public final class ActivityPlaces: ReadModel {
    public static let name = "activity-places"
    public static let schemaVersion = 1
    public static let eventTypes = Set(ActivityKind.allCases.flatMap(\.types))
    public static let tables = [endingTable, dayTable]
    public static let bytesPerChange = 96

    /// Last characters and card → the campaign's own shop, 16 bytes.
    static let endingTable = ModelTable("endings", key: [.ending, .card], id: { ShopID($0).text })
    /// Day since 1970 in UTC → the first and the last position of that day's acts, two u64.
    static let dayTable = ModelTable("days", key: [.day]) { DayPlaces($0).map { "positions \($0.first) to \($0.last)" } }

    public let store: ModelStore
    let endings, days: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (endings, days) = try (store.table(Self.endingTable), store.table(Self.dayTable))
    }
}

@available(*, noasync)
extension ActivityPlaces {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> ActivityChanges { ActivityChanges() }

    /// Rows of the next flush, plus those whose pages are in memory until the commit.
    public func changes(in pending: borrowing ActivityChanges) -> Int { pending.count }

    /// Applies an act.
    public func apply(_ fact: Fact, to pending: inout ActivityChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.note(fact.time, at: fact.position)
        if case .cardOpened(let event) = fact.event { pending.open(event.card.value, at: event.campaignShop.value) }
    }

    /// Applies single stamps, issued codes and new cards without decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout ActivityChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        if let card = OpenedCard(record) {
            pending.open(card.card, at: card.shop)
        } else if SingleStamp(record) == nil, IssuedCode(record) == nil {
            return false
        }
        pending.note(Instant(microseconds: record.time.microseconds), at: position.rawValue)
        return true
    }

    /// Writes the changes in key order.
    public func flush(_ pending: inout ActivityChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.opened.sort { ($0.ending, $0.card) < ($1.ending, $1.card) }
        for opened in pending.opened {
            try store.put(endings, RowKey(opened.ending, and: opened.card), RowKey(opened.shop).bytes, in: &transaction)
        }
        for (day, places) in pending.days.sorted(by: { $0.key < $1.key }) {
            let known: DayPlaces? = try store.row(days, RowKey(day), in: transaction)
            let first = known?.first ?? places.first
            try store.put(days, RowKey(day), DayPlaces(first: first, last: places.last), in: &transaction)
        }
        pending.flushed()
    }
}

extension ActivityPlaces {
    /// Cards of all shops whose ids end with these characters: hardly ever more than one.
    public func cards(ending: CardEnding, limit: Int = ReadModelLimits.pageItems) throws(ReadModelError) -> [CardID] {
        try store.reading { (snapshot) throws(ReadModelError) in
            var found: [CardID] = []
            try store.walk(endings, of: ending.bits, from: RowKey(ending.bits), keyBytes: 32, in: snapshot) {
                (key, _) throws(ReadModelError) in
                found.append(CardID(key.bigEndian128(at: 16)))
                return found.count < limit ? .next : .end
            }
            return found
        }
    }

    /// The positions of all acts on some days in UTC; nil if there are none. Reads at most ``ReadModelLimits/activityDays`` rows: more days
    /// give all positions.
    public func places(on range: ClosedRange<Int>) throws(ReadModelError) -> DayPlaces? {
        try store.reading { (snapshot) throws(ReadModelError) in
            var (found, count) = (DayPlaces?.none, 0)
            do {
                var cursor = try snapshot.cursor(days)
                var goesOn = try cursor.seek(RowKey(DayPlaces.key(of: range.lowerBound)).bytes)
                let last = DayPlaces.key(of: range.upperBound)
                while goesOn, cursor.key.bigEndian128(at: 0) <= last {
                    count += 1
                    guard count <= ReadModelLimits.activityDays else { return DayPlaces(first: 1, last: .max) }
                    let places: DayPlaces = try store.decoded(cursor.value)
                    found = DayPlaces(first: min(found?.first ?? .max, places.first), last: max(found?.last ?? 0, places.last))
                    goesOn = try cursor.next()
                }
            } catch {
                throw store.wrapped(error)
            }
            return found
        }
    }
}

/// The first and the last position of some days' acts.
public struct DayPlaces: Hashable, Sendable, StoredRow {
    private static let daySeconds: Int64 = 86_400
    static let noun = "a day's row"

    public let first, last: UInt64

    init(first: UInt64, last: UInt64) { (self.first, self.last) = (first, last) }

    init?(_ row: Span<UInt8>) {
        guard row.count == 16 else { return nil }
        (first, last) = (row.littleEndian64(at: 0), row.littleEndian64(at: 8))
    }

    func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: first)
        row.append(littleEndian: last)
    }

    /// A day before 1970 counts as the first.
    static func key(of day: Int) -> UInt128 { UInt128(max(0, day)) }

    static func key(of time: Instant) -> UInt128 { UInt128(max(0, time.microseconds / (daySeconds * 1_000_000))) }
}

/// The changes since the last flush.
public struct ActivityChanges: Sendable {
    fileprivate struct Opened {
        let card, shop: UInt128
        var ending: UInt128 { CardEnding(of: CardID(card)).bits }
    }

    fileprivate var opened: [Opened] = []
    fileprivate var days: [UInt128: DayPlaces] = [:]

    var count: Int { opened.count + days.count }

    mutating func note(_ time: Instant, at position: UInt64) {
        let day = DayPlaces.key(of: time)
        days[day] = DayPlaces(first: days[day]?.first ?? position, last: position)
    }

    fileprivate mutating func open(_ card: UInt128, at shop: UInt128) { opened.append(Opened(card: card, shop: shop)) }

    mutating func flushed() {
        opened.removeAll(keepingCapacity: true)
        days.removeAll(keepingCapacity: true)
    }
}
