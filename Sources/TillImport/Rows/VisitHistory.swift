internal import Loyalty

/// The whole file, read: every visit in the order of time, and each name once.
///
/// Memory: 24 bytes a visit, and one entry for each customer and each shop. Files that are sorted by customer instead of by
/// time are common, and a card's history must be in the order of time, so the visits are held and sorted.
struct VisitHistory {
    private(set) var visits: [Visit] = []
    private(set) var customers = NameTable()
    private(set) var shops = NameTable()
    /// By shop: where the earliest row that says so has it.
    private var locations: [Int32: (microseconds: Int64, place: Coordinate)] = [:]

    /// Adds a row. Rows come in the order of the file.
    mutating func add(_ row: VisitRow, line: Int) {
        let shop = shops.number(of: row.shop)
        let customer = row.customer.map { customers.number(of: $0) } ?? Visit.none
        visits.append(Visit(microseconds: row.time.microseconds, customer: customer, shop: shop, line: UInt32(clamping: line)))
        if let place = row.location, locations[shop].map({ row.time.microseconds < $0.microseconds }) ?? true {
            locations[shop] = (row.time.microseconds, place)
        }
    }

    /// Puts the visits in the order of time; those of one moment stay in the order of the file.
    mutating func sortByTime() {
        let isSorted = zip(visits, visits.dropFirst()).allSatisfy { $0.microseconds <= $1.microseconds }
        if !isSorted { visits.sort { ($0.microseconds, $0.line) < ($1.microseconds, $1.line) } }
    }

    /// Where a shop is, as far as the file says.
    func location(ofShop shop: Int32) -> Coordinate? { locations[shop]?.place }
}
