public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec

/// The cards of a page of events. Each card is read from the log once, even if many events or answers are about it.
///
/// Reading a card again for each event would be slow, because a card's history can be long, and a whole page can be about one card.
public struct PageOfCards<Source: EventSource> {
    private let past: LogPast<Source>
    /// The cards; nil for a card that did not exist.
    private var cards: [CardID: Card?] = [:]

    /// Creates a page of which no card has been read yet.
    ///
    /// - Parameter past: the log's state at the beginning of the page, from which each card is read once.
    public init(_ past: LogPast<Source>) {
        self.past = past
    }

    /// A card in its state at the beginning of the page, changed by the events of the page that were applied so far.
    public mutating func card(_ id: CardID) throws -> Card? {
        if let known = cards[id] { return known }
        let card = try past.card(id)
        cards[id] = .some(card)
        return card
    }

    /// A card in its state after one of its events. The caller MUST pass all events of the card that the page has, in order.
    public mutating func card(_ id: CardID, after fact: Fact) throws -> Card? {
        guard var card = try card(id) else {
            let opened = Card(opening: fact)
            cards[id] = .some(opened)
            return opened
        }
        // Drops the cached copy first, so that the history has one reference and is changed in place.
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

    /// The newest redemption of a card before an event that makes the code of this redemption invalid; nil if there was none. The code may
    /// have been used or expired before. Each event of the page that requests a code MUST be passed, in order.
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
