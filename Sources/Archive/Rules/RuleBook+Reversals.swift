internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// The stamps that a code gave to one card.
struct CodeGift {
    /// The card's index; negative for a card that was never opened.
    let place: Int32
    let stamps: Int16
}

/// A card that its shop discarded in the step of a reversal.
struct ReplacedCard {
    let place: Int
    let holder: AccountID
    let campaign: CampaignID
    let actor: AccountID
    let time: Instant
    /// What the reversal took off it before; 0 for a card that was empty.
    let stamps: Int
    let position: UInt64
}

/// The card that lost stamps after a ``ReplacedCard``. What the discarded one had from other codes is there since.
struct Replacement {
    let place: Int
    let stamps: Int
    let position: UInt64
}

/// The reversal of one code's stamps, and what it may still take from where.
struct Reversal {
    let code: CodeID
    let time: Instant
    /// What each card that is spent may lose, by its index: what it has of the code.
    var spent: [Int: Int] = [:]
    /// The full cards that have stamps of the code.
    var full: Set<Int> = []
    /// What the full cards and the one that collects may lose together.
    var held = 0
    /// The card that lost stamps last, and how many.
    var last: (place: Int, stamps: Int, position: UInt64)?
}

/// Rules about the cards from which a reversal takes stamps.
///
/// A card that its holder has discarded, or whose time is over, loses what it has of the code. What is on full cards comes off the card that
/// collects first, and then off those. Stamps on a card that an earlier reversal emptied and replaced are where they moved to.
extension RuleBook {
    func codeGift(of event: CardStamped) -> CodeGift {
        CodeGift(place: Int32(clamping: cardIndex.place(of: event.card.value) ?? -1), stamps: Int16(clamping: event.stamps))
    }

    func replacedCard(_ place: Int, _ event: CardDiscarded, _ fact: Fact) -> ReplacedCard {
        let taken = reversal?.last.flatMap { $0.place == place && $0.position + 1 == fact.position ? $0.stamps : nil }
        return ReplacedCard(
            place: place, holder: event.holder, campaign: event.campaign, actor: fact.actor, time: fact.time, stamps: taken ?? 0,
            position: fact.position)
    }

    /// Requires that a shop discards a card only in the step of a reversal.
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

    /// Finds the stamps of a code that is about to lose them.
    mutating func beginReversal(of code: SpentCode, _ event: StampReversed, _ fact: Fact) {
        var reversal = Reversal(code: event.code, time: fact.time)
        for gift in code.gifts where gift.place >= 0 {
            let (place, isComplete) = follow(gift, before: fact)
            require(isComplete, "stamps of code \(event.code.text) were taken back that a card had lost before it was replaced")
            switch cards[place].status {
            case .discarded where replacements[place]?.position != fact.position - 1, .expired:
                reversal.spent[place, default: 0] += Int(gift.stamps)
            case .full:
                reversal.full.insert(place)
                reversal.held += Int(gift.stamps)
            case .collecting, .discarded, .redeemed: reversal.held += Int(gift.stamps)
            }
            require(!cards[place].isRewarded, "stamps of code \(event.code.text) were taken back that a reward was handed out for")
        }
        self.reversal = reversal
    }

    /// The card where a gift is now, and whether all of it moved there.
    private func follow(_ gift: CodeGift, before fact: Fact) -> (place: Int, isComplete: Bool) {
        var (place, isComplete, last) = (Int(gift.place), true, UInt64?.none)
        // An empty card that this reversal itself has just discarded counts as the one that collects.
        while cards[place].status == .discarded, let next = replacements[place], next.position + 1 != fact.position,
            next.position > last ?? 0
        {
            let isSameStep = last.map { $0 + 2 == next.position } ?? false
            if !isSameStep, next.stamps < Int(gift.stamps) { isComplete = false }
            (place, last) = (next.place, next.position)
        }
        return (place, isComplete)
    }

    /// Requires that the stamps come off a card which has them, or off the one that collects in its place.
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
    }
}
