internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

struct CodeGift {
    /// Negative for a card that was never opened.
    let place: Int32
    let stamps: Int16
    /// Whether the gift came after a takeover of the card.
    var isLater = false
}

/// An empty card that a reversal discarded, because the holder's earlier, full card collects again and an account has only one collecting
/// card of a campaign.
struct ReplacedCard {
    let place: Int
    let step: Step<CardDiscarded>
    /// The stamps that the directly preceding event took off this card. Older versions counted an earlier reversal's stamps as well, so the
    /// rule book accepts them.
    let stamps: Int
    let position: UInt64
}

/// The card that lost stamps after a ``ReplacedCard`` was discarded. It inherits the stamps that other codes gave to the discarded card.
struct Replacement {
    let place: Int
    let stamps: Int
    let position: UInt64
}

/// The stamps that one card lost instead of others. A reversal may take a full card's stamps off the collecting card, so that the full card
/// stays full.
struct Lending {
    var stamps = 0
    /// Indices of the cards with the reversed codes' stamps, and of the discarded cards that those replaced.
    var places: Set<Int> = []
}

struct Reversal {
    let code: CodeID
    let time: Instant
    /// The code's stamps by card index.
    var own: [Int: Int] = [:]
    /// The cards that have the code's stamps now, and the discarded ones that had them before.
    var standing: Set<Int> = []
    /// The stamps that the reversal may still take off discarded or expired cards, by card index.
    var spent: [Int: Int] = [:]
    /// The full cards off which the reversal may take stamps: those with the code's stamps, and those that an earlier reversal spared at
    /// this code's expense.
    var full: Set<Int> = []
    /// The stamps that the reversal may still take off other cards.
    var held = 0
    var last: (place: Int, stamps: Int, position: UInt64)?
}

/// Rules about the cards from which a reversal takes stamps.
///
/// A discarded or expired card loses at most the code's stamps. Stamps on a full card may be taken off the collecting card instead. A card
/// that replaced an emptied one inherits the stamps of other codes.
extension RuleBook {
    func codeGift(of event: CardStamped) -> CodeGift {
        let place = cards.index.place(of: event.card.value) ?? -1
        return CodeGift(place: Int32(clamping: place), stamps: Int16(clamping: event.stamps), isLater: cards.takeovers[place] != nil)
    }

    func replacedCard(_ place: Int, _ event: CardDiscarded, _ fact: Fact) -> ReplacedCard {
        let taken = reversal?.last.flatMap { $0.place == place && $0.position + 1 == fact.position ? $0.stamps : nil }
        return ReplacedCard(place: place, step: Step(event, fact), stamps: taken ?? 0, position: fact.position)
    }

    /// Requires that the next event, in the same command, reverses stamps of the same holder.
    mutating func checkReplaced(before fact: Fact) {
        guard let replaced = command.replaced else { return }
        command.replaced = nil
        let discarded = replaced.step.event
        guard case .stampReversed(let event) = fact.event, event.holder == discarded.holder, event.campaign == discarded.campaign,
            replaced.step.isContinued(by: fact)
        else { return require(false, "the card discarded before this event was discarded by somebody else") }
        if let place = cards.index.place(of: event.card.value) {
            cards.replacements[replaced.place] = Replacement(place: place, stamps: replaced.stamps, position: replaced.position)
        }
    }

    /// Finds the cards that have the stamps of the reversed code.
    mutating func beginReversal(of code: SpentCode, _ event: StampReversed, _ fact: Fact) {
        requireStanding(part(of: code, event), event, fact)
        var reversal = Reversal(code: event.code, time: fact.time)
        var lenders: Set<Int> = []
        for gift in code.gifts.flatMap(divided) where gift.place >= 0 {
            let (place, passed, _) = follow(gift, before: fact)
            reversal.own[Int(gift.place), default: 0] += gift.isLater || cards.takeovers[Int(gift.place)] == nil ? Int(gift.stamps) : 0
            reversal.standing.formUnion(passed + [place])
            reversal.full.formUnion(keepers(of: passed + [place], before: fact))
            switch cards[place].status {
            case .discarded where cards.replacements[place]?.position != fact.position - 1, .expired:
                reversal.spent[place, default: 0] += Int(gift.stamps)
                if (passed + [place]).contains(where: { cards.lendings[$0] != nil }) { lenders.insert(place) }
            case .full:
                reversal.full.insert(place)
                reversal.held += Int(gift.stamps)
            case .collecting, .discarded, .redeemed: reversal.held += Int(gift.stamps)
            }
        }
        // An earlier reversal may have spared a full card at the expense of a discarded or expired one. What that card lacks may now be
        // taken off the full or the collecting card.
        for place in lenders { reversal.held += max(0, (reversal.spent[place] ?? 0) - Int(cards[place].stamps)) }
        self.reversal = reversal
    }

    /// The code's stamps that one command takes back. After a takeover, which does not record the stamps that lapsed, only the whole code's
    /// are known.
    private func part(of code: SpentCode, _ event: StampReversed) -> [CodeGift] {
        let before = code.reversal?.left
        if code.gifts.contains(where: { !$0.isLater && cards.takeovers[Int($0.place)] != nil }) {
            return before == nil && event.left == 0 ? code.gifts.flatMap(divided) : []
        }
        var (gifts, given): ([CodeGift], Int) = ([], 0)
        for gift in code.gifts {
            let (first, end) = (max(given, event.left), min(given + Int(gift.stamps), before ?? .max))
            given += Int(gift.stamps)
            if first < end { gifts.append(CodeGift(place: gift.place, stamps: Int16(clamping: end - first), isLater: gift.isLater)) }
        }
        return gifts
    }

    private mutating func requireStanding(_ gifts: [CodeGift], _ event: StampReversed, _ fact: Fact) {
        for gift in gifts where gift.place >= 0 {
            let (place, _, isComplete) = follow(gift, before: fact)
            require(isComplete, "stamps of code \(event.code.text) were taken back that a card had lost before it was replaced")
            require(!cards[place].isRewarded, "stamps of code \(event.code.text) were taken back that a reward was handed out for")
        }
    }

    /// A takeover does not record which stamps moved, so each card may have as many of the gift as moved to it or stayed on it.
    private func divided(_ gift: CodeGift) -> [CodeGift] {
        guard !gift.isLater, let takeover = cards.takeovers[Int(gift.place)], let onto = takeover.onto else { return [gift] }
        let moved = CodeGift(place: Int32(onto), stamps: min(gift.stamps, Int16(takeover.moved)))
        let kept = CodeGift(place: gift.place, stamps: min(gift.stamps, Int16(takeover.kept)))
        return takeover.kept == 0 ? [moved] : [kept, moved]
    }

    /// Returns the card that has a gift's stamps now, the replaced cards on the way, and whether all stamps are on it.
    ///
    /// Stamps that a card lost instead of other cards are complete, although they did not move to the replacement.
    private func follow(_ gift: CodeGift, before fact: Fact) -> (place: Int, passed: [Int], isComplete: Bool) {
        var (place, passed, isComplete) = (Int(gift.place), [Int](), true)
        var (lent, last) = (0, UInt64?.none)
        // A replacement that this reversal has just made is not followed: the discarded empty card still counts as the collecting card.
        while cards[place].status == .discarded, let next = cards.replacements[place], next.position + 1 != fact.position,
            next.position > last ?? 0
        {
            let isSameStep = last.map { $0 + 2 == next.position } ?? false
            lent += cards.lendings[place]?.stamps ?? 0
            if !isSameStep, max(next.stamps, lent) < Int(gift.stamps) { isComplete = false }
            passed.append(place)
            (place, last) = (next.place, next.position)
        }
        return (place, passed, isComplete)
    }

    private func keepers(of places: [Int], before fact: Fact) -> Set<Int> {
        var (keepers, known, open) = (Set<Int>(), Set(places), places)
        while let next = open.popLast() {
            var others = cards.lendings[next]?.places ?? []
            if cards[next].status == .discarded, let replacement = cards.replacements[next], replacement.position + 1 != fact.position {
                others.insert(replacement.place)
            }
            for other in others where known.insert(other).inserted {
                if cards[other].status == .full { keepers.insert(other) }
                open.append(other)
            }
        }
        return keepers
    }

    mutating func requireSource(_ event: StampReversed, _ place: Int, _ fact: Fact) {
        guard var reversal, reversal.code == event.code, reversal.time == fact.time else { return }
        let isThere: Bool
        switch cards[place].status {
        case .discarded, .expired:
            isThere = event.stamps <= reversal.spent[place] ?? 0
            reversal.spent[place, default: 0] -= event.stamps
        case .full, .collecting, .redeemed:
            isThere = event.stamps <= reversal.held && (cards[place].status == .collecting || reversal.full.contains(place))
            reversal.held -= event.stamps
        }
        require(isThere, "card \(event.card.text) lost stamps that code \(event.code.text) gave to another card, or nobody")
        reversal.last = (place, event.stamps, fact.position)
        self.reversal = reversal
        let before = spent[event.code]?.taken[place] ?? 0
        spent[event.code]?.taken[place] = before + event.stamps
        let own = min(reversal.own[place] ?? 0, spent[event.code]?.reversed(on: place) ?? 0)
        let lent = before + event.stamps - max(own, before)
        guard lent > 0 else { return }
        cards.lendings[place, default: Lending()].stamps += lent
        cards.lendings[place, default: Lending()].places.formUnion(reversal.standing)
    }
}
