internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// The stamps that a code gave to one card.
struct CodeGift {
    /// The card's index in ``RuleBook/cards``; negative for a card that was never opened.
    let place: Int32
    let stamps: Int16
    /// Whether an account had taken the card over before the gift.
    var isLater = false
}

/// An empty card that was discarded as a part of a reversal of stamps. The reversal makes an earlier, full card of the same holder collect
/// again, and an account can have only one collecting card of a campaign.
struct ReplacedCard {
    let place: Int
    let holder: AccountID
    let campaign: CampaignID
    let actor: AccountID
    let time: Instant
    /// The number of stamps that the event directly before the discarding took off this card; 0 if that event took none off it. The event
    /// may belong to an earlier reversal: older versions of the service took its stamps for stamps of this reversal, so the rule book
    /// still accepts what followed from that.
    let stamps: Int
    let position: UInt64
}

/// The card that lost stamps after a ``ReplacedCard`` was discarded. From then on, the stamps that other codes gave to the discarded card
/// are regarded as stamps of this card.
struct Replacement {
    let place: Int
    let stamps: Int
    let position: UInt64
}

/// The stamps that one card lost instead of other cards. If the stamps of a reversed code are on a full card, the reversal may take the
/// stamps off the account's collecting card, so that the full card stays full.
struct Lending {
    var stamps = 0
    /// The indices of the other cards: those that had the stamps of the reversed codes, and discarded cards that those had replaced.
    var places: Set<Int> = []
}

/// The reversal of one code's stamps, and the stamps that the reversal may still take off each card.
struct Reversal {
    let code: CodeID
    let time: Instant
    /// The number of stamps that the reversed code gave to each card, by the card's index.
    var own: [Int: Int] = [:]
    /// The indices of the cards that have the code's stamps now, and of the discarded cards that had them before.
    var standing: Set<Int> = []
    /// For each discarded or expired card that has stamps of the code, by the card's index: the number of stamps that the reversal may
    /// still take off the card.
    var spent: [Int: Int] = [:]
    /// The indices of the full cards off which the reversal may take stamps. These are the full cards with stamps of the code. If an
    /// earlier reversal took stamps off a card with stamps of this code instead of off a full card, that full card is included.
    var full: Set<Int> = []
    /// The total number of stamps that the reversal may still take off cards that are neither discarded nor expired.
    var held = 0
    /// The card that lost stamps in the reversal's newest event, and the number of these stamps.
    var last: (place: Int, stamps: Int, position: UInt64)?
}

/// Rules about the cards from which a reversal takes stamps.
///
/// A discarded or expired card loses at most the stamps that the code gave to it. The code's stamps on a full card may be taken off that
/// card, or off the account's collecting card instead, so that the full card stays full. If an earlier reversal emptied a card and another
/// card replaced it, the stamps that other codes gave to the emptied card are counted as stamps of its replacement.
extension RuleBook {
    func codeGift(of event: CardStamped) -> CodeGift {
        let place = cardIndex.place(of: event.card.value) ?? -1
        return CodeGift(place: Int32(clamping: place), stamps: Int16(clamping: event.stamps), isLater: takeovers[place] != nil)
    }

    func replacedCard(_ place: Int, _ event: CardDiscarded, _ fact: Fact) -> ReplacedCard {
        let taken = reversal?.last.flatMap { $0.place == place && $0.position + 1 == fact.position ? $0.stamps : nil }
        return ReplacedCard(
            place: place, holder: event.holder, campaign: event.campaign, actor: fact.actor, time: fact.time, stamps: taken ?? 0,
            position: fact.position)
    }

    /// Requires that after a shop's people discarded a card, the next event reverses stamps of the same holder in the same command.
    mutating func checkReplaced(before fact: Fact) {
        guard let replaced else { return }
        self.replaced = nil
        if case .stampReversed(let event) = fact.event, event.holder == replaced.holder, event.campaign == replaced.campaign,
            fact.actor == replaced.actor, fact.time == replaced.time
        {
            if let place = cardIndex.place(of: event.card.value) {
                replacements[replaced.place] = Replacement(place: place, stamps: replaced.stamps, position: replaced.position)
            }
            return
        }
        require(false, "the card discarded before this event was discarded by somebody else")
    }

    /// Begins the check of a reversal: finds the cards that have the stamps of the reversed code.
    mutating func beginReversal(of code: SpentCode, _ event: StampReversed, _ fact: Fact) {
        var reversal = Reversal(code: event.code, time: fact.time)
        var lenders: Set<Int> = []
        for gift in code.gifts.flatMap(divided) where gift.place >= 0 {
            let (place, passed, isComplete) = follow(gift, before: fact)
            require(isComplete, "stamps of code \(event.code.text) were taken back that a card had lost before it was replaced")
            reversal.own[Int(gift.place), default: 0] += gift.isLater || takeovers[Int(gift.place)] == nil ? Int(gift.stamps) : 0
            reversal.standing.formUnion(passed + [place])
            reversal.full.formUnion(keepers(of: passed + [place], before: fact))
            switch cards[place].status {
            case .discarded where replacements[place]?.position != fact.position - 1, .expired:
                reversal.spent[place, default: 0] += Int(gift.stamps)
                if (passed + [place]).contains(where: { lendings[$0] != nil }) { lenders.insert(place) }
            case .full:
                reversal.full.insert(place)
                reversal.held += Int(gift.stamps)
            case .collecting, .discarded, .redeemed: reversal.held += Int(gift.stamps)
            }
            require(!cards[place].isRewarded, "stamps of code \(event.code.text) were taken back that a reward was handed out for")
        }
        // An earlier reversal may have taken stamps off a discarded or expired card instead of off a full card, so that the full card
        // stayed full. As many stamps as that card lacks may now be taken off the full card, or off the collecting card.
        for place in lenders { reversal.held += max(0, (reversal.spent[place] ?? 0) - Int(cards[place].stamps)) }
        self.reversal = reversal
    }

    /// The cards that may have the stamps of a gift after an account took over the card. It is not known how many of them moved or lapsed,
    /// so each card may have as many as moved to it or stayed on it.
    private func divided(_ gift: CodeGift) -> [CodeGift] {
        guard !gift.isLater, let takeover = takeovers[Int(gift.place)], let onto = takeover.onto else { return [gift] }
        let moved = CodeGift(place: Int32(onto), stamps: min(gift.stamps, Int16(takeover.moved)))
        let kept = CodeGift(place: gift.place, stamps: min(gift.stamps, Int16(takeover.kept)))
        return takeover.kept == 0 ? [moved] : [kept, moved]
    }

    /// Returns the card that now has the stamps which a code gave to one card, and whether it has all of them. If that card was discarded
    /// and replaced, the result is its replacement, and `passed` has the cards that were replaced on the way.
    ///
    /// A card may have lost stamps instead of other cards before it was replaced. Such stamps are complete although they did not move to
    /// the replacement.
    private func follow(_ gift: CodeGift, before fact: Fact) -> (place: Int, passed: [Int], isComplete: Bool) {
        var (place, passed, isComplete) = (Int(gift.place), [Int](), true)
        var (lent, last) = (0, UInt64?.none)
        // The loop does not follow a replacement that this reversal itself has just made. The empty card that the reversal discarded still
        // counts as the account's collecting card.
        while cards[place].status == .discarded, let next = replacements[place], next.position + 1 != fact.position,
            next.position > last ?? 0
        {
            let isSameStep = last.map { $0 + 2 == next.position } ?? false
            lent += lendings[place]?.stamps ?? 0
            if !isSameStep, max(next.stamps, lent) < Int(gift.stamps) { isComplete = false }
            passed.append(place)
            (place, last) = (next.place, next.position)
        }
        return (place, passed, isComplete)
    }

    /// The full cards that stayed full because earlier reversals took stamps off the cards `places` instead of them. This also follows
    /// chains: a first card lost stamps instead of a second one, which lost stamps instead of a third one, or was replaced by it.
    private func keepers(of places: [Int], before fact: Fact) -> Set<Int> {
        var (keepers, known, open) = (Set<Int>(), Set(places), places)
        while let next = open.popLast() {
            var others = lendings[next]?.places ?? []
            if cards[next].status == .discarded, let replacement = replacements[next], replacement.position + 1 != fact.position {
                others.insert(replacement.place)
            }
            for other in others where known.insert(other).inserted {
                if cards[other].status == .full { keepers.insert(other) }
                open.append(other)
            }
        }
        return keepers
    }

    /// Requires that a reversal takes stamps off a card that has the code's stamps, or off the account's collecting card, so that a full
    /// card stays full.
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
        let lent = event.stamps - (reversal.own[place] ?? 0)
        guard lent > 0 else { return }
        lendings[place, default: Lending()].stamps += lent
        lendings[place, default: Lending()].places.formUnion(reversal.standing)
    }
}
