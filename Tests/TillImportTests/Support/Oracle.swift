@testable import TillImport

/// Counts rows by sums alone, without cards or a log.
struct Oracle {
    let goal: Int
    let redeems: Bool

    /// A well-formed row.
    struct Row {
        let time: String
        let customer: String
        let shop: String

        var csv: String { "\(time),\(customer),\(shop)" }
    }

    func counts(_ rows: [Row], malformed: Int = 0) -> [String] {
        let stamped = Dictionary(grouping: rows.filter { !$0.customer.isEmpty }) { [$0.customer, $0.shop] }.mapValues(\.count)
        let stamps = stamped.values.reduce(0, +)
        let cards = stamped.values.reduce(0) { $0 + ($1 + goal - 1) / goal }
        let full = stamped.values.reduce(0) { $0 + $1 / goal }
        let accounts = Set(stamped.keys.map { $0[0] }).count
        let shops = Set(rows.map(\.shop)).count
        let redeemed = redeems ? full : 0
        let events = accounts + 3 * shops + 2 * stamps + cards + 2 * redeemed
        return [
            "visits \(rows.count)", "skipped \(rows.count - stamps)", "malformed \(malformed)", "accounts \(accounts)", "shops \(shops)",
            "stamps \(stamps)", "cards \(cards)", "full \(full)", "redeemed \(redeemed)", "events \(events)",
        ]
    }
}
