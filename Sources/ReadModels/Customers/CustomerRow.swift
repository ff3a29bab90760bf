internal import LMDB
internal import Loyalty
internal import Projections

/// A list of a shop's customers. The state of the visits puts a customer into at most one of `new`, `regular` and `lapsed`; `nearlyFull`
/// and `full` follow from cards alone.
public enum CustomerSegment: String, CaseIterable, Sendable {
    case new, regular, nearlyFull, full, lapsed
}

/// The limits of the segments. Days are those of the shop's zone.
public enum CustomerRules {
    /// A month, because a newcomer's second and third visit happen within it or not at all.
    public static let newDays = 30
    /// Three visits have two pauses, the least number from which a usual one follows.
    public static let regularVisits = 3
    /// A customer lapses after this many times the usual pause.
    static let pauses = 2
    /// Three weeks, so that a holiday after daily visits is no lapse. It also decides about a single visit, which has no pause.
    public static let lapseDaysMin = 21
    /// A year, which bounds the days that a count reads.
    public static let lapseDaysMax = 365
    /// The stamps that a nearly full card lacks at most.
    public static let nearlyFullStamps = 2
}

/// A customer's visits and cards at one shop. A visit is a day with a stamp or a reward that was not taken back.
public struct CustomerRow: StoredRow, Hashable, Sendable {
    static let noun = "a customer's row"

    /// Counted from 1970-01-01; 0 without visits, like ``lastDay``.
    public internal(set) var firstDay = 0
    public internal(set) var lastDay = 0
    public internal(set) var visits = 0
    /// Including redeemed ones, without discarded and expired ones.
    public internal(set) var cards = 0
    public internal(set) var full = 0
    public internal(set) var nearlyFull = 0

    package init() {}

    package init(firstDay: Int, lastDay: Int, visits: Int, cards: Int, full: Int, nearlyFull: Int) {
        (self.firstDay, self.lastDay, self.visits) = (firstDay, lastDay, visits)
        (self.cards, self.full, self.nearlyFull) = (cards, full, nearlyFull)
    }

    mutating func visit(on day: Int) {
        (firstDay, lastDay) = visits == 0 ? (day, day) : (min(firstDay, day), max(lastDay, day))
        visits += 1
    }

    /// The first day on which the customer is lapsed: the mean pause, twice, after the last visit.
    public var lapsesOn: Int {
        let mean = visits > 1 ? (CustomerRules.pauses * (lastDay - firstDay) + visits - 2) / (visits - 1) : 0
        return lastDay + min(max(mean, CustomerRules.lapseDaysMin), CustomerRules.lapseDaysMax)
    }

    /// The first day on which the customer is not new.
    var newUntil: Int { min(firstDay + CustomerRules.newDays, lapsesOn) }

    var isOften: Bool { visits >= CustomerRules.regularVisits }

    /// Nil for a customer who is neither new nor lapsed, and has too few visits to be regular.
    public func state(on day: Int) -> CustomerSegment? {
        if day >= lapsesOn { return .lapsed }
        if day < newUntil { return .new }
        return isOften ? .regular : nil
    }

    private static let rowBytes = 20

    /// Little-endian: first and last day as i32, visits as u32, cards, full and nearly full ones as u16, and two zeros.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: Int32(clamping: firstDay))
        row.append(littleEndian: Int32(clamping: lastDay))
        row.append(littleEndian: UInt32(clamping: visits))
        for count in [cards, full, nearlyFull, 0] { row.append(littleEndian: UInt16(clamping: count)) }
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count == Self.rowBytes else { return nil }
        func day(_ place: Int) -> Int { Int(Int32(bitPattern: row.littleEndian32(at: place))) }
        func count(_ place: Int) -> Int { Int(row[place]) | Int(row[place + 1]) << 8 }
        self.init(
            firstDay: day(0), lastDay: day(4), visits: Int(row.littleEndian32(at: 8)), cards: count(12), full: count(14),
            nearlyFull: count(16))
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let row = CustomerRow(row) else { return nil }
        let cards = "\(row.cards) cards, \(row.full) full, \(row.nearlyFull) nearly full"
        if row.visits == 0 { return "no visit, \(cards)" }
        return "\(row.visits) visits from \(FullDate.text(row.firstDay)) to \(FullDate.text(row.lastDay)), \(cards)"
    }
}

/// The orders of a list of customers, each with its greatest value first.
public enum CustomerSort: String, CaseIterable, Sendable {
    case lastVisit, visits, firstVisit

    fileprivate var number: UInt64 {
        switch self {
        case .lastVisit: 0
        case .visits: 1
        case .firstVisit: 2
        }
    }

    /// Ordered like the visits or days.
    func value(of row: CustomerRow) -> UInt32 {
        switch self {
        case .lastVisit: CustomerKey.value(day: row.lastDay)
        case .visits: UInt32(clamping: row.visits)
        case .firstVisit: CustomerKey.value(day: row.firstDay)
        }
    }
}

/// The numbers in the keys of the model's tables.
package enum CustomerKey {
    /// The lists that have rows of their own, because neither the clock nor another table says who is in them.
    enum List: UInt64, CaseIterable {
        case all = 0
        case nearlyFull = 1
        case full = 2

        func has(_ row: CustomerRow) -> Bool {
            switch self {
            case .all: row.visits > 0
            case .nearlyFull: row.visits > 0 && row.nearlyFull > 0
            case .full: row.visits > 0 && row.full > 0
            }
        }
    }

    /// A day, so that the order of numbers is that of days.
    package static func value(day: Int) -> UInt32 { UInt32(bitPattern: Int32(clamping: day)) ^ 1 << 31 }

    static func day(_ value: UInt32) -> Int { Int(Int32(bitPattern: value ^ 1 << 31)) }

    /// List as u8, order as u8, and four bytes of value.
    static func place(_ list: List, _ sort: CustomerSort, _ value: UInt32) -> UInt64 {
        list.rawValue << 56 | sort.number << 48 | UInt64(value)
    }

    /// All rows of a customer in ``Customers/orderTable``.
    static func places(of row: CustomerRow) -> [UInt64] {
        List.allCases.filter { $0.has(row) }.flatMap { list in CustomerSort.allCases.map { place(list, $0, $0.value(of: row)) } }
    }

    static func placeText(_ place: UInt64) -> String {
        let list = List(rawValue: place >> 56).map { "\($0)" } ?? "list \(place >> 56)"
        let sort = CustomerSort.allCases.first { $0.number == place >> 48 & 0xFF }
        let value = UInt32(truncatingIfNeeded: place)
        return "\(list) by \(sort?.rawValue ?? "order \(place >> 48 & 0xFF)") \(sort == .visits ? "\(value)" : FullDate.text(day(value)))"
    }

    /// How many customers a row of ``Customers/countTable`` counts.
    enum Count: UInt64 {
        case all = 0
        case nearlyFull = 1
        case full = 2
        /// By the first day on which they are not new.
        case new = 3
        /// By the first day on which they are lapsed.
        case active = 4
    }

    /// Count as u8, 1 for customers with ``CustomerRow/isOften`` as u8, and four bytes of day.
    static func count(_ count: Count, isOften: Bool = false, day: Int? = nil) -> UInt64 {
        count.rawValue << 56 | (isOften ? 1 << 48 : 0) | UInt64(day.map { value(day: $0) } ?? 0)
    }

    /// All counts that include a customer.
    static func counts(of row: CustomerRow) -> [UInt64] {
        guard row.visits > 0 else { return [] }
        var counts = [
            count(.all), count(.new, isOften: row.isOften, day: row.newUntil), count(.active, isOften: row.isOften, day: row.lapsesOn),
        ]
        if row.nearlyFull > 0 { counts.append(count(.nearlyFull)) }
        if row.full > 0 { counts.append(count(.full)) }
        return counts
    }

    static func countText(_ key: UInt64) -> String {
        let count = Count(rawValue: key >> 56).map { "\($0)" } ?? "count \(key >> 56)"
        guard key >> 56 > Count.full.rawValue else { return count }
        return "\(count)\(key >> 48 & 1 == 1 ? " often" : "") before \(FullDate.text(day(UInt32(truncatingIfNeeded: key))))"
    }
}

/// A shop's time zone, and the position of the event that set it.
package struct ShopZone: StoredRow, Hashable, Sendable {
    static let noun = "a shop's zone"

    package let name: String
    package let position: UInt64

    package init(name: String, position: UInt64) { (self.name, self.position) = (name, position) }

    /// The position as u64, little-endian, and the name in UTF-8.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: position)
        row.append(contentsOf: name.utf8)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count > 8 else { return nil }
        self.init(
            name: String(decoding: [UInt8](copying: row.extracting(droppingFirst: 8)), as: UTF8.self), position: row.littleEndian64(at: 0))
    }
}
