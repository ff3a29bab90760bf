internal import Loyalty

/// The content of a till's file: every visit in the order of time, and each name of a customer or shop once.
///
/// Memory: 24 bytes per visit, and one entry for each customer and each shop. Files are often sorted by customer instead of time, but a
/// card's history must be in the order of time, so all visits are held in memory and sorted.
struct VisitHistory {
    private(set) var visits: [Visit] = []
    private(set) var customers = NameTable()
    private(set) var shops = NameTable()
    /// The place of each shop, from the earliest row of the shop that has a place.
    private var locations: [Int32: (microseconds: Int64, place: Coordinate)] = [:]

    /// Adds a row. Call it for the rows in the order of the file.
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

    /// Sorts the visits by time. Visits of the same time keep the order of the file.
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

    /// The place of a shop; nil if the file does not have it.
    func location(ofShop shop: Int32) -> Coordinate? { locations[shop]?.place }
}

/// One visit of the file in 24 bytes. The names of its customer and shop are in the `VisitHistory`, by number.
struct Visit: Equatable {
    let microseconds: Int64
    /// The number of the customer; ``none`` for an anonymous visit.
    var customer: Int32
    var shop: Int32
    let line: UInt32
    /// The number of stamps that the visit is worth.
    var stamps: UInt8 = 1

    /// The customer number of an anonymous visit.
    static let none: Int32 = -1

    var time: Instant { Instant(microseconds: microseconds) }
}

/// Names, each stored once, numbered in the order of their first occurrence.
///
/// Two names are equal only if their bytes are equal, because the keyed hashes of names also depend on the bytes.
struct NameTable {
    /// A text that is compared byte by byte, so that two ways to write `é` differ.
    private struct ExactText: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    private(set) var names: [String] = []
    private var numbers: [ExactText: Int32] = [:]

    var count: Int { names.count }

    subscript(number: Int32) -> String { names[Int(number)] }

    /// Replaces the names.
    ///
    /// - Returns: the new number of each name, by its old number.
    mutating func rename<Failure>(_ newName: (String) throws(Failure) -> String) throws(Failure) -> [Int32] {
        var renamed = NameTable()
        var newNumbers: [Int32] = []
        for name in names { newNumbers.append(renamed.number(of: try newName(name))) }
        self = renamed
        return newNumbers
    }

    /// Returns the number of a name. A new name receives the next number.
    mutating func number(of name: String) -> Int32 {
        if let known = numbers[ExactText(text: name)] { return known }
        let number = Int32(names.count)
        names.append(name)
        numbers[ExactText(text: name)] = number
        return number
    }
}
