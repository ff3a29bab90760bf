internal import Loyalty

/// The cards of one run that reversals emptied and discarded because others collect again.
struct Replacements {
    private(set) var known: [CardID: CardReplacement] = [:]
    /// The number of events so far; a changed run has no positions of its own.
    private var count: UInt64 = 0
    /// What the last event took off a card.
    private var taken: (card: CardID, stamps: Int)?
    /// The card that the last event discarded, which is not its holder's act, and what was taken off it directly before.
    private var replaced: (card: CardID, stamps: Int)?

    mutating func take(_ fact: Fact) {
        count += 1
        let (before, discarded) = (taken, replaced)
        (taken, replaced) = (nil, nil)
        switch fact.event {
        case .stampReversed(let event):
            taken = (event.card, event.stamps)
            guard let discarded, discarded.card != event.card else { return }
            known[discarded.card] = CardReplacement(card: event.card, stamps: discarded.stamps, position: count - 1)
        case .cardDiscarded(let event) where event.holder != fact.actor:
            replaced = (event.card, before.flatMap { $0.card == event.card ? $0.stamps : nil } ?? 0)
        default: break
        }
    }
}
