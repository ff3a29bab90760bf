import Loyalty

/// Rules about cards that waited for the holder of a phone number.
extension Ledger {
    mutating func enter(_ event: WaitingCardTaken, _ fact: Fact) {
        guard let paper = papers[event.card] else { return must(false, "only a known card is taken over") }
        must(people.contains(event.holder) && event.holder == fact.actor, "people take over cards for themselves")
        must(
            !works(event.holder, at: paper.shop) && !works(event.holder, in: event.campaign), "nobody takes over stamps of a shop of theirs"
        )
        must(paper.isCollecting || paper.isFull, "only collecting and full cards are taken over")
        must(fact.time < paper.endsAt, "no card is taken over after its end")
        must(event.goal == paper.goal && event.stamps <= paper.goal, "a taken card keeps its goal")
        guard let from = event.from else {
            must(paper.holder == event.holder && paper.isCollecting, "stamps move to one's own collecting card")
            must(event.stamps == paper.stamps + event.moved && event.moved > 0, "stamps are neither made nor lost on the way")
            papers[event.card]?.stamps = event.stamps
            return pouring = (event.card, event.moved)
        }
        must(paper.holder == from && !people.contains(from), "only cards of people who never registered are taken over")
        must(pouring?.card == event.onto && pouring?.stamps ?? 0 == event.moved, "the stamps that move are those that arrived")
        pouring = nil
        must(event.stamps + event.moved <= paper.stamps && event.stamps + event.moved > 0, "no stamps are made on the way")
        mustLapseRightly(event, paper)
        hands[Hand(holder: from, campaign: event.campaign)]?.removeAll { $0 == event.card }
        hands[Hand(holder: event.holder, campaign: event.campaign), default: []].append(event.card)
        papers[event.card]?.holder = event.holder
        papers[event.card]?.stamps = event.stamps
        papers[event.card]?.isDiscarded = event.stamps == 0
        papers[event.card]?.gains = [Gain(code: CodeID(event.card.value), at: fact.time, stamps: event.worth)]
        departed.insert(from)
        inherited[event.card] = event.moved
        strayed.formUnion(slips.filter { $0.value.holder == from && $0.value.campaign == event.campaign }.map(\.key))
        if event.stamps == 0, let onto = event.onto { moves[event.card] = onto }
        for gain in paper.gains where slips[gain.code]?.holder == from { slips[gain.code]?.holder = event.holder }
    }

    /// Stamps lapse only as a second welcome, or where the account may fill no further card.
    private mutating func mustLapseRightly(_ event: WaitingCardTaken, _ paper: Paper) {
        let options = campaigns[event.campaign]?.terms.options ?? .none
        let lapsed = paper.stamps - event.stamps - event.moved
        let ended = papers(of: paper.holder, in: event.campaign).count { $0.stamps >= $0.goal && !$0.isFull }
        let isFull = options.repeats.map { filled(event.holder, event.campaign) + ended + (event.stamps == 0 ? 0 : 1) >= $0 } ?? false
        must(lapsed <= options.welcomeStamps ?? 0 || isFull, "only a second welcome and stamps beyond the last card lapse")
        if event.stamps > 0 {
            must(filled(event.holder, event.campaign) < options.repeats ?? .max, "nobody takes over a card beyond the campaign's limit")
        }
    }
}
