public import EventLog
public import Loyalty

/// Some of an account's cards, the newest opened first.
public struct CardPage: Hashable, Sendable {
    public let cards: [Card]
    /// What to ask for to go on; nil where this was the last page.
    public let next: Position?

    /// - Parameter found: up to one more than `limit`, the last of which only tells that there is more.
    init(_ found: [Card], limit: Int) {
        cards = Array(found.prefix(limit))
        next = found.count > limit ? cards.last?.opened : nil
    }
}

extension Card {
    /// Where in the log it was opened.
    var opened: Position? { history.first.map { Position($0.position) } }
}
