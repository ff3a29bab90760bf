public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec

/// The cards of a page of events, each read from the log once, because a card's history can be long.
public struct PageOfCards<Source: EventSource> {
    private let past: LogPast<Source>
    private var cards: [CardID: Card?] = [:]

    public init(_ past: LogPast<Source>) { self.past = past }

    public mutating func card(_ id: CardID) throws -> Card? {
        if let known = cards[id] { return known }
        let card = try past.card(id)
        cards[id] = .some(card)
        return card
    }

    /// The caller MUST pass all of the card's events of the page, in order.
    public mutating func card(_ id: CardID, after fact: Fact) throws -> Card? {
        guard var card = try card(id) else {
            let opened = Card(opening: fact)
            cards[id] = .some(opened)
            return opened
        }
        // Dropped first, so that the history has one reference and is changed in place.
        cards[id] = nil
        card.evolve(fact)
        cards[id] = .some(card)
        return card
    }
}

/// The newest redemptions of a page's cards, each looked up once.
struct PageOfRedemptions<Source: EventSource> {
    private let source: Source
    private var newest: [CardID: RedemptionID?] = [:]

    init(_ source: Source) { self.source = source }

    /// The code that the event makes invalid, if any. Each event that requests a code MUST be passed, in order.
    mutating func replaced(by fact: Fact, of card: CardID) throws -> RedemptionID? {
        let known = newest[card]
        let before = if let known { known } else { try LogPast(source, through: Position(fact.position - 1)).newestRedemption(of: card) }
        if let requested = Redemption(opening: fact) {
            newest[card] = .some(requested.id)
        } else {
            newest[card] = .some(before)
        }
        return before
    }
}
