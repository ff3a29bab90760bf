internal import Loyalty

/// The effects of the reversals in one run: the stamps that reversals took off cards, and the cards that reversals emptied and discarded,
/// because another card of the holder collects stamps again in their place.
struct Replacements {
    private(set) var known: [CardID: CardReplacement] = [:]
    private(set) var taken: [CardID: [TakenStamps]] = [:]
    /// The number of events so far. It serves as the position, because the events of a changed run are not in a log.
    private var count: UInt64 = 0
    /// The card from which the last event took stamps, and their number; nil if it took none.
    private var last: (card: CardID, stamps: Int)?
    /// The card that a reversal discarded in the last event, and the number of stamps that the event before that one took off the card.
    private var replaced: (card: CardID, stamps: Int)?

    mutating func take(_ fact: Fact) {
        count += 1
        let (before, discarded) = (last, replaced)
        (last, replaced) = (nil, nil)
        switch fact.event {
        case .stampReversed(let event):
            last = (event.card, event.stamps)
            taken[event.card, default: []].append(TakenStamps(code: event.code, stamps: event.stamps))
            guard let discarded, discarded.card != event.card else { return }
            known[discarded.card] = CardReplacement(card: event.card, stamps: discarded.stamps, position: count - 1)
        case .cardDiscarded(let event) where event.holder != fact.actor:
            replaced = (event.card, before.flatMap { $0.card == event.card ? $0.stamps : nil } ?? 0)
        default: break
        }
    }
}
