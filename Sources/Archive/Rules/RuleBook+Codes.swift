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
    let code: CodeID
    let campaign: CampaignID
    let shop: ShopID
    let holder: AccountID
    let actor: AccountID
    let time: Instant
    var left: Int
    /// The maximum that the code may still give, including bonus and welcome stamps.
    var gift: Int
    /// The minimum that the code must still give.
    var owed: Int
}

struct CounterStep {
    let code: CodeID
    let campaign: CampaignID
    let actor: AccountID
    let time: Instant
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
    /// The time of the code's first reversal. One command makes all reversals of a code, so all must have this time.
    var reversedAt: Instant?
    /// The stamps on the first card; ``others`` has those on further cards.
    var first: CodeGift
    var others: [CodeGift] = []

    var gifts: [CodeGift] { [first] + others }
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
        let latest = fact.time.advanced(bySeconds: Int64(Limits.codeValiditySeconds.upperBound))
        require(event.expiresAt > fact.time && event.expiresAt <= latest, "code \(event.code.text) expires at \(event.expiresAt.rfc3339)")
        dropExpired()
        codes[event.code] = LiveCode(
            campaign: event.campaign, shop: event.shop, expiresAt: event.expiresAt, stamps: event.stamps, issuer: fact.actor,
            issuedAt: fact.time, position: fact.position)
        atCounter = CounterStep(code: event.code, campaign: event.campaign, actor: fact.actor, time: fact.time)
    }

    /// Ends the stamping at a counter unless the next event continues it. A shop's people may stamp other people's cards only with a code
    /// that they issue in the same command.
    mutating func checkCounter(before fact: Fact) {
        guard let step = atCounter else { return }
        switch fact.event {
        case .cardOpened(let event) where event.campaign == step.campaign: break
        case .cardExpired(let event) where event.campaign == step.campaign: break
        case .cardStamped(let event) where event.code == step.code: break
        case .paperStamped(let event) where event.code == step.code: break
        default: return atCounter = nil
        }
        if fact.actor != step.actor || fact.time != step.time { atCounter = nil }
    }

    /// Whether this event stamps the holder's card at the counter. False for an erased holder.
    func isGiven(to holder: AccountID) -> Bool { atCounter != nil && !erased.contains(holder) }

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
        taking?.left -= event.worth
        let waitedSince = taking?.codes.first.flatMap { $0.code == event.code ? $0.at : nil }
        if let giving, giving.code == event.code, giving.holder == event.holder {
            require(event.worth <= giving.left && event.stamps <= giving.gift, "code \(event.code.text) gave more stamps than it is worth")
            require(giving.shop == event.shop, "code \(event.code.text) gave its stamps at several shops")
            self.giving?.left -= event.worth
            self.giving?.gift -= event.stamps
            self.giving?.owed -= event.stamps
            spent[event.code]?.left += event.stamps
            let gift = codeGift(of: event)
            spent[event.code]?.others.append(gift)
        } else if let code = waitingCode(of: event) ?? openCode(event.code, fact) {
            require(code.campaign == event.campaign && code.shop == event.shop, "code \(event.code.text) is of another campaign")
            let gift = stamps(of: code, for: event)
            require(
                event.worth <= code.stamps && event.stamps <= gift.upperBound, "code \(event.code.text) gave more stamps than it is worth")
            codes[event.code] = nil
            dropSpent()
            spent[event.code] = SpentCode(
                campaign: event.campaign, shop: event.shop, holder: event.holder, at: fact.time,
                reversibleUntil: min(waitedSince ?? fact.time, fact.time).advanced(bySeconds: Limits.reversalSeconds), left: event.stamps,
                first: codeGift(of: event))
            giving = CodeInUse(
                code: event.code, campaign: event.campaign, shop: code.shop, holder: event.holder, actor: fact.actor, time: fact.time,
                left: code.stamps - event.worth, gift: gift.upperBound - event.stamps, owed: gift.lowerBound - event.stamps)
        }
        let lapses = lapses(event)
        if let giving, giving.left <= 0 { self.giving = nil }
        return lapses
    }

    /// Requires that the next event uses the stamps that a code has left.
    mutating func checkGiving(before fact: Fact) {
        guard let giving else { return }
        let goesOn =
            switch fact.event {
            case .cardOpened(let event): event.campaign == giving.campaign && event.holder == giving.holder
            case .cardStamped(let event): event.code == giving.code && event.holder == giving.holder
            default: false
            }
        if goesOn, fact.time == giving.time, fact.actor == giving.actor { return }
        require(false, "the code used before this event, \(giving.code.text), still had \(giving.left) stamps to give")
        self.giving = nil
    }

    /// Requires that the campaign's staff reverse a code in one command, within a day of its use or of the stamping of its paper card.
    mutating func check(_ event: StampReversed, _ fact: Fact) {
        requireStaff(ofAny: event, fact)
        requireTakesBack(event, fact)
        require(event.holder != fact.actor, "the holder of card \(event.card.text) has taken the stamps back")
        _ = campaign(of: event)
        if var code = spent[event.code] {
            let isFirst = code.reversedAt == nil
            require(isFirst || code.reversedAt == fact.time, "the stamps of code \(event.code.text) were taken back before")
            // An account may have taken over the cards that the code stamped.
            let holders = code.gifts.compactMap { $0.place < 0 ? nil : cards[Int($0.place)].holder }
            let isHolders = ([code.holder] + holders).contains(event.holder)
            require(code.campaign == event.campaign && isHolders, "code \(event.code.text) is of another campaign or holder")
            require(code.shop == event.shop, "the stamps of code \(event.code.text) were taken back from another shop's books")
            require(fact.time < code.reversibleUntil, "the stamps of code \(event.code.text) were taken back too late")
            require(event.stamps <= code.left, "more stamps of code \(event.code.text) were taken back than it gave")
            code.left -= event.stamps
            code.reversedAt = fact.time
            if isFirst {
                countReversal(event.holder, event.campaign)
                beginReversal(of: code, event, fact)
            }
            spent[event.code] = code
            // The campaign's caps do not count reversed stamps.
            gains[Saver(account: event.holder, campaign: event.campaign)]?.removeAll { $0.code == event.code }
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
        let isHeld = card.status == .collecting || card.status == .full
        require(!isHeld || fact.time < card.expiresAt, "card \(event.card.text) lost stamps after its end, which was not recorded")
        guard card.status == .full else { return }
        cards[place].status = .collecting
        requireOnlyCollecting(place, "card \(event.card.text) collects again beside one that does")
    }

    /// Bounds the memory: removes codes whose stamps can no longer be reversed.
    private mutating func dropSpent() {
        guard spent.count >= spentMax else { return }
        let latest = clock.earliest.advanced(bySeconds: -Limits.reversalSeconds)
        spent = spent.filter { $0.value.at > latest }
        spentMax = max(10_000, spent.count * 2)
    }

    private mutating func openCode(_ id: CodeID, _ fact: Fact) -> LiveCode? {
        let code = codes[id]
        require(code != nil, "code \(id.text) was never issued, or was used, destroyed or expired before")
        require(code.map { fact.time < $0.expiresAt } ?? true, "code \(id.text) had expired")
        if let code { requireIssuer(code, id) }
        return code
    }

    /// Bounds the memory: removes codes that expired a day before ``clock``'s earliest moment.
    private mutating func dropExpired() {
        guard codes.count >= codesMax else { return }
        let latest = clock.earliest.advanced(bySeconds: -Int64(Limits.codeValiditySeconds.upperBound))
        codes = codes.filter { $0.value.expiresAt > latest }
        codesMax = max(10_000, codes.count * 2)
    }
}

struct LiveRedemption {
    let card: CardID
    let expiresAt: Instant
    /// 0 for the reward of a full card.
    var milestone = 0
}

/// A reward whose hand-out may still be reversed.
struct HandedOut {
    let card: CardID
    let shop: ShopID
    let at: Instant
    /// 0 for the reward of a full card.
    var milestone = 0
}

extension RuleBook {
    mutating func check(_ event: RedemptionRequested, _ fact: Fact) {
        require(event.holder == fact.actor, "somebody else has asked to redeem card \(event.card.text)")
        _ = campaign(event.campaign, of: event.shop)
        requireStranger(event.shop, event.holder)
        requireStranger(to: event.campaign, event.holder)
        requireHandsOutRewards(event.shop, fact)
        requireOnce(event.redemption.value, .redemptionID, "redemption \(event.redemption.text) was requested before")
        requireOnce(event.secret.value, .redemptionSecret, "the secret of redemption \(event.redemption.text) was given out before")
        let latest = fact.time.advanced(bySeconds: Limits.redemptionValiditySeconds)
        require(event.expiresAt > fact.time && event.expiresAt <= latest, "redemption \(event.redemption.text) expires at another time")
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        require(status == .full, "card \(event.card.text) was \(status), not full")
        require(event.expiresAt <= cards[place].redeemUntil, "card \(event.card.text) was to be redeemed after its last day")
        require(event.expiresAt <= cards[place].expiresAt, "card \(event.card.text) was to be redeemed after its end")
        // A new redemption code replaces the card's older one.
        if let older = cards[place].newestRedemption { redemptions[older] = nil }
        cards[place].newestRedemption = event.redemption
        redemptions[event.redemption] = LiveRedemption(card: event.card, expiresAt: event.expiresAt)
    }

    mutating func check(_ event: CardRedeemed, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireStranger(event, event.holder)
        requireHandsOutRewards(event, fact)
        requirePlace(of: event)
        _ = campaign(of: event)
        require(!erased.contains(event.holder), "card \(event.card.text) was redeemed after its holder was erased")
        let redemption = redemptions[event.redemption]
        require(redemption != nil, "redemption \(event.redemption.text) was never requested, or was over before")
        if let redemption {
            require(redemption.card == event.card && redemption.milestone == 0, "redemption \(event.redemption.text) is of another card")
            require(fact.time < redemption.expiresAt, "redemption \(event.redemption.text) had expired")
        }
        redemptions[event.redemption] = nil
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        require(status == .full, "card \(event.card.text) was \(status), not full")
        require(fact.time < cards[place].expiresAt, "card \(event.card.text) was redeemed after its end")
        (cards[place].status, cards[place].isRewarded) = (.redeemed, true)
        dropLasting()
        rewards[event.redemption] = HandedOut(card: event.card, shop: event.shop, at: fact.time)
    }

    mutating func check(_ event: RedemptionReversed, _ fact: Fact) {
        requireStaff(ofAny: event, fact)
        requireTakesBack(event, fact)
        require(event.holder != fact.actor, "the holder of card \(event.card.text) has taken the reward back")
        _ = campaign(of: event)
        let reward = rewards.removeValue(forKey: event.redemption)
        require(reward != nil, "redemption \(event.redemption.text) was never redeemed, or was reversed before")
        if let reward {
            require(reward.card == event.card && reward.milestone == 0, "redemption \(event.redemption.text) is of another card")
            require(reward.shop == event.shop, "redemption \(event.redemption.text) was handed out by another shop")
            let latest = reward.at.advanced(bySeconds: Limits.reversalSeconds)
            require(fact.time < latest, "redemption \(event.redemption.text) was reversed too late")
        }
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        // The reversal makes a card usable again even if the holder has discarded it since.
        let isPossible = status == .redeemed || status == .discarded
        require(isPossible, "card \(event.card.text) was \(status), not redeemed")
        (cards[place].status, cards[place].isRewarded) = (.full, false)
    }

    /// Invalidates the newest redemption code of a card with too few stamps. The code stays invalid even if stamps are added later.
    mutating func endRedemption(_ place: Int) {
        guard let newest = cards[place].newestRedemption, let redemption = redemptions[newest] else { return }
        let needed = redemption.milestone > 0 ? redemption.milestone : Int(cards[place].goal)
        if cards[place].stamps < needed { redemptions[newest] = nil }
    }

    /// Bounds the memory: removes rewards whose hand-out can no longer be reversed.
    mutating func dropLasting() {
        guard rewards.count >= rewardsMax else { return }
        let latest = clock.earliest.advanced(bySeconds: -Limits.reversalSeconds)
        rewards = rewards.filter { $0.value.at > latest }
        rewardsMax = max(10_000, rewards.count * 2)
    }
}
