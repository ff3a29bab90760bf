@testable import TillImport

/// Computes the expected figures of an import by adding up its rows, without cards or a log.
struct Oracle {
    let goal: Int
    let redeems: Bool
    /// Whether all shops have one owner and one campaign.
    var isShared = false

    /// A well-formed row.
    struct Row {
        let time: String
        let customer: String
        let shop: String
        var stamps = 1

        var csv: String { "\(time),\(customer),\(shop),\(stamps)" }
    }

    func counts(_ rows: [Row], malformed: Int = 0) -> [String] {
        let visits = rows.filter { !$0.customer.isEmpty }
        let books = Dictionary(grouping: visits) { [$0.customer, isShared ? "" : $0.shop] }
        let stamped = books.mapValues { $0.reduce(0) { $0 + $1.stamps } }
        let stamps = stamped.values.reduce(0, +)
        let cards = stamped.values.reduce(0) { $0 + ($1 + goal - 1) / goal }
        let full = stamped.values.reduce(0) { $0 + $1 / goal }
        let accounts = Set(stamped.keys.map { $0[0] }).count
        let shops = Set(rows.map(\.shop)).count
        let redeemed = redeems ? full : 0
        let places = isShared ? 2 + shops : 3 * shops
        let entries = books.values.reduce(0) { $0 + stampings($1) }
        let events = accounts + places + visits.count + entries + cards + 2 * redeemed
        return [
            "visits \(rows.count)", "skipped \(rows.count - visits.count)", "malformed \(malformed)", "accounts \(accounts)",
            "shops \(shops)",
            "stamps \(stamps)", "cards \(cards)", "full \(full)", "redeemed \(redeemed)", "events \(events)",
        ]
    }

    /// The number of stamp events for one customer. A code that fills a card and begins the next one causes an event for each card.
    private func stampings(_ rows: [Row]) -> Int {
        let ordered = rows.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        var (before, count) = (0, 0)
        for row in ordered.map(\.element) {
            count += (before + row.stamps - 1) / goal - before / goal + 1
            before += row.stamps
        }
        return count
    }
}
