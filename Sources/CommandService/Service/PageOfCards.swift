public import EventLog
public import Loyalty
import LoyaltyCodec

/// The cards of a page of events, each read from the log once, however many of the events or answers are about it.
///
/// A card's history has no small bound, and a page can be about one card alone.
public struct PageOfCards<Source: EventSource> {
    private let past: LogPast<Source>
    /// Nil for a card that was not there.
    private var cards: [CardID: Card?] = [:]

    /// - Parameter past: the cards are first seen as they stood here.
    public init(_ past: LogPast<Source>) {
        self.past = past
    }

    /// A card as it stood where the page begins, and after the events of the page that were taken in.
    public mutating func card(_ id: CardID) throws -> Card? {
        if let known = cards[id] { return known }
        let card = try past.card(id)
        cards[id] = .some(card)
        return card
    }

    /// A card as it stood after one of its events. Each event of the card after the page's beginning MUST be taken in, in order.
    public mutating func card(_ id: CardID, after fact: Fact) throws -> Card? {
        guard var card = try card(id) else {
            let opened = Card(opening: fact)
            cards[id] = .some(opened)
            return opened
        }
        // The only reference to the history is the one that is changed.
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

    init(_ source: Source) {
        self.source = source
    }

    /// The redemption whose code worked until an event of its card, if any. Each event of the page by which a code is asked for MUST be
    /// taken in, in order.
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
