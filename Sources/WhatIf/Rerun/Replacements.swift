internal import Loyalty

/// The stamps that one run's reversals took off cards, and the cards that they emptied, discarded and replaced.
struct Replacements {
    private(set) var known: [CardID: CardReplacement] = [:]
    private(set) var taken: [CardID: [TakenStamps]] = [:]
    /// Serves as the position, because the events of a changed run are in no log.
    private var count: UInt64 = 0
    private var last: (card: CardID, taken: TakenStamps)?
    /// The card that the last event discarded, and the stamps that the event before took off it, perhaps in another reversal.
    private var replaced: (card: CardID, taken: TakenStamps?)?

    mutating func apply(_ fact: Fact) {
        count += 1
        let (before, discarded) = (last, replaced)
        (last, replaced) = (nil, nil)
        switch fact.event {
        case .stampReversed(let event):
            let stamps = TakenStamps(event)
            last = (event.card, stamps)
            taken[event.card, default: []].append(stamps)
            guard let discarded, discarded.card != event.card else { return }
            let own = discarded.taken.flatMap { $0.isOfCommand(of: event) ? $0.stamps : nil } ?? 0
            known[discarded.card] = CardReplacement(card: event.card, code: event.code, stamps: own, position: count - 1)
        case .cardDiscarded(let event) where event.holder != fact.actor:
            replaced = (event.card, before.flatMap { $0.card == event.card ? $0.taken : nil })
        default: break
        }
    }
}
