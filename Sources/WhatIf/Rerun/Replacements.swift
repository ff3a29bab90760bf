internal import Loyalty

/// The effects of the reversals in one run: the stamps that reversals took off cards, and the cards that reversals emptied and discarded,
/// because another card of the holder collects stamps again in their place.
struct Replacements {
    private(set) var known: [CardID: CardReplacement] = [:]
    private(set) var taken: [CardID: [TakenStamps]] = [:]
    /// The number of events so far. It serves as the position, because the events of a changed run are not in a log.
    private var count: UInt64 = 0
    /// The card from which the last event took stamps, and these stamps; nil if it took none.
    private var last: (card: CardID, taken: TakenStamps)?
    /// The card that a reversal discarded in the last event, and the stamps that the event before that one took off the card. That event
    /// may belong to another reversal, which has another code.
    private var replaced: (card: CardID, taken: TakenStamps?)?

    mutating func take(_ fact: Fact) {
        count += 1
        let (before, discarded) = (last, replaced)
        (last, replaced) = (nil, nil)
        switch fact.event {
        case .stampReversed(let event):
            let stamps = TakenStamps(code: event.code, stamps: event.stamps)
            last = (event.card, stamps)
            taken[event.card, default: []].append(stamps)
            guard let discarded, discarded.card != event.card else { return }
            let own = discarded.taken.flatMap { $0.code == event.code ? $0.stamps : nil } ?? 0
            known[discarded.card] = CardReplacement(card: event.card, code: event.code, stamps: own, position: count - 1)
        case .cardDiscarded(let event) where event.holder != fact.actor:
            replaced = (event.card, before.flatMap { $0.card == event.card ? $0.taken : nil })
        default: break
        }
    }
}
