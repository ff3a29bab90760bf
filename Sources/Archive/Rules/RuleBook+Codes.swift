internal import Audit
internal import Loyalty
internal import LoyaltyCodec

struct LiveCode {
    let campaign: CampaignID
    let shop: ShopID
    let expiresAt: Instant
    let stamps: Int
    let issuer: AccountID
    let issuedAt: Instant
    /// 0 for a code from a paper card.
    var position: UInt64 = 0
}

/// A stamp code whose stamps consecutive events put onto one card, and then onto new cards when the previous card is full.
struct CodeInUse {
    /// The first event that used the code.
    let step: Step<CardStamped>
    let shop: ShopID
    var left: Int
    /// The maximum that the code may still give, including bonus and welcome stamps.
    var gift: Int
    /// The minimum that the code must still give.
    var owed: Int
}

/// A used code whose stamps may still be reversed.
struct SpentCode {
    let campaign: CampaignID
    let shop: ShopID
    let holder: AccountID
    let at: Instant
    /// The end of the time in which the stamps can be reversed.
    let reversibleUntil: Instant
    /// Stamps that were not reversed.
    var left: Int
    /// The latest reversal, which one command makes. Later ones leave fewer stamps.
    var reversal: (at: Instant, left: Int)?
    /// The stamps that reversals took off each card.
    var taken: [Int: Int] = [:]
    /// The stamps on the first card; ``others`` has those on further cards.
    var first: CodeGift
    var others: [CodeGift] = []

    var gifts: [CodeGift] { [first] + others }

    /// The last stamps of the code, which reversals take first, on one card.
    func reversed(on place: Int) -> Int {
        var (left, sum) = (gifts.reduce(0) { $0 + Int($1.stamps) } - (reversal?.left ?? 0), 0)
        for gift in gifts.reversed() where left > 0 {
            let stamps = min(left, Int(gift.stamps))
            left -= stamps
            if Int(gift.place) == place { sum += stamps }
        }
        return sum
    }
}

extension RuleBook {
    mutating func check(_ event: CodeIssued, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireOpenCounters(event)
        requirePlace(of: event)
        if let campaign = campaign(of: event) {
            require(campaign.isStampCard && campaign.isRunning(at: fact.time), "campaign \(event.campaign.text) was not running")
        }
        requireOnce(event.code.value, .codeID, "code \(event.code.text) was issued before")
        requireOnce(event.secret.value, .codeSecret, "the secret of code \(event.code.text) was given out before")
        require(Limits.codeStamps.contains(event.stamps), "code \(event.code.text) is worth \(event.stamps) stamps")
        let validity = Int64(Limits.codeValiditySeconds.upperBound)
        requireSoon(event.expiresAt, within: validity, fact, "code \(event.code.text) expires at \(event.expiresAt.rfc3339)")
        // Codes that expired a day before the clock's earliest moment.
        codes.removeOld(through: clock.earliest.advanced(bySeconds: -validity), by: \.expiresAt)
        codes[event.code] = LiveCode(
            campaign: event.campaign, shop: event.shop, expiresAt: event.expiresAt, stamps: event.stamps, issuer: fact.actor,
            issuedAt: fact.time, position: fact.position)
        command.atCounter = Step(event, fact)
    }

    /// Ends the stamping at a counter unless the next event continues it. A shop's people may stamp other people's cards only with a code
    /// that they issue in the same command.
    mutating func checkCounter(before fact: Fact) {
        guard let step = command.atCounter else { return }
        switch fact.event {
        case .cardOpened(let event) where event.campaign == step.event.campaign: break
        case .cardExpired(let event) where event.campaign == step.event.campaign: break
        case .cardStamped(let event) where event.code == step.event.code: break
        case .paperStamped(let event) where event.code == step.event.code: break
        default: return command.atCounter = nil
        }
        if !step.isContinued(by: fact) { command.atCounter = nil }
    }

    /// Whether this event stamps the holder's card at the counter. False for an erased holder.
    func isGiven(to holder: AccountID) -> Bool { command.atCounter != nil && !people.erased.contains(holder) }

    mutating func check(_ event: CodeDestroyed, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireOpenCounterToday(event.shop)
        guard let code = openCode(event.code, fact) else { return }
        require(code.campaign == event.campaign && code.shop == event.shop, "code \(event.code.text) is of another campaign")
        requireOwnCode(code, fact)
        codes[event.code] = nil
    }

    /// Returns whether stamps of the code lapse.
    mutating func use(_ event: CardStamped, _ fact: Fact) -> Bool {
        command.taking?.left -= event.worth
        let waitedSince = command.taking?.codes.first.flatMap { $0.code == event.code ? $0.at : nil }
        if let giving = command.giving, giving.step.event.code == event.code, giving.step.event.holder == event.holder {
            require(event.worth <= giving.left && event.stamps <= giving.gift, "code \(event.code.text) gave more stamps than it is worth")
            require(giving.shop == event.shop, "code \(event.code.text) gave its stamps at several shops")
            command.giving?.left -= event.worth
            command.giving?.gift -= event.stamps
            command.giving?.owed -= event.stamps
            spent[event.code]?.left += event.stamps
            let gift = codeGift(of: event)
            spent[event.code]?.others.append(gift)
        } else if let code = waitingCode(of: event) ?? openCode(event.code, fact) {
            require(code.campaign == event.campaign && code.shop == event.shop, "code \(event.code.text) is of another campaign")
            let gift = countUse(of: code, for: event)
            require(
                event.worth <= code.stamps && event.stamps <= gift.upperBound, "code \(event.code.text) gave more stamps than it is worth")
            codes[event.code] = nil
            spent.removeOld(through: clock.earliest.advanced(bySeconds: -Limits.reversalSeconds), by: \.at)
            spent[event.code] = SpentCode(
                campaign: event.campaign, shop: event.shop, holder: event.holder, at: fact.time,
                reversibleUntil: min(waitedSince ?? fact.time, fact.time).advanced(bySeconds: Limits.reversalSeconds), left: event.stamps,
                first: codeGift(of: event))
            command.giving = CodeInUse(
                step: Step(event, fact), shop: code.shop, left: code.stamps - event.worth, gift: gift.upperBound - event.stamps,
                owed: gift.lowerBound - event.stamps)
        }
        let lapses = lapses(event)
        if let giving = command.giving, giving.left <= 0 { command.giving = nil }
        return lapses
    }

    /// Requires that the next event uses the stamps that a code has left.
    mutating func checkGiving(before fact: Fact) {
        guard let giving = command.giving else { return }
        let first = giving.step.event
        let goesOn =
            switch fact.event {
            case .cardOpened(let event): event.campaign == first.campaign && event.holder == first.holder
            case .cardStamped(let event): event.code == first.code && event.holder == first.holder
            default: false
            }
        if goesOn, giving.step.isContinued(by: fact) { return }
        require(false, "the code used before this event, \(first.code.text), still had \(giving.left) stamps to give")
        command.giving = nil
    }

    private mutating func limitGains(of event: StampReversed) {
        let saver = Saver(account: event.holder, campaign: event.campaign)
        guard var known = gains[saver] else { return }
        var left = event.left
        for place in known.indices.reversed() where known[place].code == event.code {
            known[place].stamps = min(left, known[place].stamps)
            left -= known[place].stamps
        }
        gains[saver] = known.filter { $0.code != event.code || $0.stamps > 0 }
    }

    /// Requires that the campaign's staff reverse stamps that a code has left, within a day of its use or of its paper card's stamping.
    mutating func check(_ event: StampReversed, _ fact: Fact) {
        requireStaff(ofAny: event, fact)
        requireTakesBack(event, fact)
        require(event.holder != fact.actor, "the holder of card \(event.card.text) has taken the stamps back")
        _ = campaign(of: event)
        if var code = spent[event.code] {
            let isFirst = code.reversal.map { event.left < $0.left } ?? true
            let isSame = code.reversal.map { $0.at == fact.time && $0.left == event.left } ?? false
            require(isFirst || isSame, "the stamps of code \(event.code.text) were taken back before")
            // Stamps that lapsed at a takeover are not left.
            if isFirst, let reversal = code.reversal { code.left = min(code.left, reversal.left) }
            // An account may have taken over the cards that the code stamped.
            let holders = code.gifts.compactMap { $0.place < 0 ? nil : cards[Int($0.place)].holder }
            let isHolders = ([code.holder] + holders).contains(event.holder)
            require(code.campaign == event.campaign && isHolders, "code \(event.code.text) is of another campaign or holder")
            require(code.shop == event.shop, "the stamps of code \(event.code.text) were taken back from another shop's books")
            require(fact.time < code.reversibleUntil, "the stamps of code \(event.code.text) were taken back too late")
            require(event.stamps + event.left <= code.left, "more stamps of code \(event.code.text) were taken back than it had left")
            if isFirst {
                if event.left == 0 { countReversal(event.holder, event.campaign) }
                beginReversal(of: code, event, fact)
            }
            code.left -= event.stamps
            code.reversal = (fact.time, event.left)
            spent[event.code] = code
            // The campaign's caps do not count reversed stamps.
            limitGains(of: event)
        } else {
            require(false, "code \(event.code.text) gave no stamps that could be taken back")
        }
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let card = cards[place]
        require(card.status != .redeemed, "card \(event.card.text) was redeemed, and lost stamps")
        requireSource(event, place, fact)
        require(Int(card.stamps) >= event.stamps, "card \(event.card.text) lost more stamps than it had")
        cards[place].stamps = Int16(clamping: Int(card.stamps) - event.stamps)
        requireMilestonesKept(place, event.card)
        endRedemption(place)
        if card.stamps >= card.goal, event.stamps > 0 { countFilled(-1, event.holder, event.campaign) }
        require(!card.isLive || fact.time < card.expiresAt, "card \(event.card.text) lost stamps after its end, which was not recorded")
        guard card.status == .full else { return }
        cards[place].status = .collecting
        requireOnlyCollecting(place, "card \(event.card.text) collects again beside one that does")
    }

    private mutating func openCode(_ id: CodeID, _ fact: Fact) -> LiveCode? {
        let code = codes[id]
        require(code != nil, "code \(id.text) was never issued, or was used, destroyed or expired before")
        require(code.map { fact.time < $0.expiresAt } ?? true, "code \(id.text) had expired")
        if let code { requireIssuer(code, id) }
        return code
    }
}
