internal import Loyalty

/// The content of a till's file: every visit in the order of time, and each name once.
///
/// Files are often sorted by customer, so all visits are held in memory to be sorted, at 24 bytes each.
struct VisitHistory {
    private(set) var visits: [Visit] = []
    private(set) var customers = NameTable()
    private(set) var shops = NameTable()
    /// From the earliest row of the shop that has a place.
    private var locations: [Int32: (microseconds: Int64, place: Coordinate)] = [:]

    mutating func add(_ row: VisitRow, line: Int) {
        let shop = shops.number(of: row.shop)
        let customer = row.customer.map { customers.number(of: $0) } ?? Visit.none
        visits.append(
            Visit(
                microseconds: row.time.microseconds, customer: customer, shop: shop, line: UInt32(clamping: line),
                stamps: UInt8(clamping: row.stamps)))
        if let place = row.location, locations[shop].map({ row.time.microseconds < $0.microseconds }) ?? true {
            locations[shop] = (row.time.microseconds, place)
        }
    }

    mutating func sortByTime() {
        let isSorted = zip(visits, visits.dropFirst()).allSatisfy { $0.microseconds <= $1.microseconds }
        if !isSorted { visits.sort { ($0.microseconds, $0.line) < ($1.microseconds, $1.line) } }
    }

    /// Gives customers and shops other names. Those that get the same name become one.
    mutating func rename<Failure>(
        customers customerName: (String) throws(Failure) -> String, shops shopName: (String) throws(Failure) -> String
    ) throws(Failure) {
        let customerNumbers = try customers.rename(customerName)
        let shopNumbers = try shops.rename(shopName)
        for index in visits.indices {
            if visits[index].customer != Visit.none { visits[index].customer = customerNumbers[Int(visits[index].customer)] }
            visits[index].shop = shopNumbers[Int(visits[index].shop)]
        }
        locations = Dictionary(locations.map { (shopNumbers[Int($0.key)], $0.value) }) { $0.microseconds <= $1.microseconds ? $0 : $1 }
    }

    func location(ofShop shop: Int32) -> Coordinate? { locations[shop]?.place }
}

/// One visit in 24 bytes, with the numbers of names in the `VisitHistory`.
struct Visit: Equatable {
    let microseconds: Int64
    var customer: Int32
    var shop: Int32
    let line: UInt32
    var stamps: UInt8 = 1

    static let none: Int32 = -1

    var time: Instant { Instant(microseconds: microseconds) }
}

/// Names, each stored once, numbered in the order of their first occurrence. Compared by bytes, as their keyed hashes are.
struct NameTable {
    /// Compared byte by byte, so that two ways to write `é` differ.
    private struct ExactText: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
    }

    private(set) var names: [String] = []
    private var numbers: [ExactText: Int32] = [:]

    var count: Int { names.count }

    subscript(number: Int32) -> String { names[Int(number)] }

    mutating func rename<Failure>(_ newName: (String) throws(Failure) -> String) throws(Failure) -> [Int32] {
        var renamed = NameTable()
        var newNumbers: [Int32] = []
        for name in names { newNumbers.append(renamed.number(of: try newName(name))) }
        self = renamed
        return newNumbers
    }

    mutating func number(of name: String) -> Int32 {
        if let known = numbers[ExactText(text: name)] { return known }
        let number = Int32(names.count)
        names.append(name)
        numbers[ExactText(text: name)] = number
        return number
    }
}
