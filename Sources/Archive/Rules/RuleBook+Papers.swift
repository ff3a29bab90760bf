internal import Loyalty
internal import LoyaltyCodec

/// A stamp code on a paper card, used when an account takes the card.
struct WaitingCode {
    let code: CodeID
    let shop: ShopID
    let stamps: Int
    let at: Instant
}

struct LivePaper {
    var isTaken = false
    /// Oldest first; empty after an account took the card.
    var waiting: [WaitingCode] = []
    /// Reversed codes included.
    var stampings = 0

    /// 0 after an account took the card.
    var stamps: Int { waiting.reduce(0) { $0 + $1.stamps } }
}

/// A paper card that an account takes. The next events of the command use the card's codes in order.
struct PaperTaking {
    let step: Step<PaperCardTaken>
    var codes: ArraySlice<WaitingCode>
    /// The stamps that the next events must still give.
    var left: Int
    /// Whether a limit of cards makes the rest of the waiting stamps lapse.
    let lapses: Bool
}

/// Rules about paper cards: a code is put on at most one, and an account takes each at most once.
extension RuleBook {
    mutating func check(_ event: PaperCardsPrinted, _ fact: Fact) {
        require(manages(event.shop, fact.actor), "\(fact.actor.text) printed cards, and is no manager of shop \(event.shop.text)")
        requireOpenCounter(event.shop)
        if let campaign = campaign(event.campaign, of: event.shop) {
            require(campaign.isStampCard, "campaign \(event.campaign.text) has no cards to stamp")
            let isOver = campaign.isEnded || fact.time >= campaign.terms.endsAt
            require(!isOver, "cards were printed for campaign \(event.campaign.text) after its end")
        }
        require(prints[event.print] == nil, "print \(event.print.text) was printed before")
        requireOnce(event.secret.value, .printSecret, "the secret of print \(event.print.text) was given out before")
        require(Limits.paperCards.contains(event.count), "print \(event.print.text) has \(event.count) cards")
        prints[event.print] = event
    }

    mutating func check(_ event: PaperStamped, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireOpenCounters(event)
        requirePlace(of: event)
        requirePrinted(event.paper, event.campaign, event.campaignShop)
        let isNew = command.atCounter?.event.code == event.code
        require(isNew, "code \(event.code.text) was put on paper \(event.paper.id.text), and was not issued for it")
        command.atCounter = nil
        let code = codes.removeValue(forKey: event.code)
        require(code?.shop == event.shop, "code \(event.code.text) was put on paper at another shop than the one that issued it")
        require(code?.stamps == event.stamps, "paper \(event.paper.id.text) got another number of stamps than its code is worth")
        var paper = papers[event.paper.id] ?? LivePaper()
        require(!paper.isTaken, "paper \(event.paper.id.text) was taken before, and no code waits there")
        let before = paper.waiting
        paper.waiting.append(WaitingCode(code: event.code, shop: event.shop, stamps: event.stamps, at: fact.time))
        paper.stampings += 1
        papers[event.paper.id] = paper
        require(
            paper.stampings <= Limits.paperStampingsMax,
            "paper \(event.paper.id.text) was stamped more than \(Limits.paperStampingsMax) times")
        guard let campaign = campaign(of: event) else { return }
        requireWithinCaps(event, after: before, campaign.terms.caps, fact)
        let stamps = paper.stamps
        let goal = campaign.terms.goal
        require(stamps <= goal, "\(stamps) stamps wait on paper \(event.paper.id.text), its campaign's goal is \(goal)")
    }

    mutating func check(_ event: PaperCardTaken, _ fact: Fact) {
        requireOwn(event.holder, fact, "paper \(event.paper.id.text) was taken for somebody else")
        requireStranger(event.shop, event.holder)
        requireStranger(to: event.campaign, event.holder)
        requirePrinted(event.paper, event.campaign, event.shop)
        if event.stamps > 0 { requireCounterForTaken(event.shop, fact) } else { requireOpenCounter(event.shop) }
        if let campaign = campaign(event.campaign, of: event.shop) {
            let runs = event.stamps > 0 ? campaign.givesWhatWaits(at: fact.time) : campaign.isRunning(at: fact.time)
            require(runs, "campaign \(event.campaign.text) was not running")
            requireWithinCaps(event, waiting: papers[event.paper.id]?.stamps ?? 0, campaign.terms.caps, fact)
        }
        var paper = papers[event.paper.id] ?? LivePaper()
        require(!paper.isTaken, "paper \(event.paper.id.text) was taken before")
        let waiting = paper.stamps
        require(event.stamps <= waiting, "paper \(event.paper.id.text) gave \(event.stamps) stamps, and had \(waiting)")
        let isLimited = campaigns[event.campaign]?.terms.options.repeats != nil
        let lapses = event.stamps < waiting
        require(!lapses || isLimited, "stamps of paper \(event.paper.id.text) lapsed, and its campaign limits no cards")
        require(!lapses || event.stamps > 0, "paper \(event.paper.id.text) was taken, and all its stamps lapsed")
        command.taking = PaperTaking(step: Step(event, fact), codes: paper.waiting[...], left: event.stamps, lapses: lapses)
        (paper.isTaken, paper.waiting) = (true, [])
        papers[event.paper.id] = paper
    }

    mutating func check(_ event: PaperStampReversed, _ fact: Fact) {
        requireStaff(ofAny: event, fact)
        requireTakesBack(event, fact)
        requirePrinted(event.paper, event.campaign, event.campaignShop)
        let place = papers[event.paper.id]?.waiting.firstIndex { $0.code == event.code }
        require(place != nil, "code \(event.code.text) did not wait on paper \(event.paper.id.text)")
        guard let place, let code = papers[event.paper.id]?.waiting.remove(at: place) else { return }
        require(code.shop == event.shop, "the stamps of code \(event.code.text) were taken back from another shop's books")
        require(code.stamps == event.stamps, "paper \(event.paper.id.text) lost another number of stamps than the code was worth")
        require(
            fact.time < code.at.advanced(bySeconds: Limits.reversalSeconds),
            "the stamps of code \(event.code.text) were taken back too late")
    }

    /// Requires an open counter. For the codes of a taken paper card, a closed shop that may still hand out rewards suffices.
    mutating func requireCounter(_ shop: ShopID, _ fact: Fact) {
        if command.taking == nil { requireOpenCounter(shop) } else { requireCounterForTaken(shop, fact) }
    }

    private mutating func requireCounterForTaken(_ shop: ShopID, _ fact: Fact) {
        require(!shops.suspended.contains(shop), "shop \(shop.text) was suspended")
        requireHandsOutRewards(shop, fact)
    }

    /// For a taken paper card, the campaign gives stamps until its full cards can no longer be redeemed.
    func gives(_ campaign: LiveCampaign, _ fact: Fact) -> Bool {
        command.taking == nil ? campaign.isRunning(at: fact.time) : campaign.givesWhatWaits(at: fact.time)
    }

    /// Until an account takes it, a paper card counts as one customer.
    private mutating func requireWithinCaps(_ event: PaperStamped, after waiting: [WaitingCode], _ caps: StampCaps, _ fact: Fact) {
        let past = waiting.filter { $0.at <= fact.time }
        if let gap = caps.minimumGapSeconds, let last = past.map(\.at).max() {
            let isLater = fact.time >= last.advanced(bySeconds: Int64(gap))
            require(isLater, "paper \(event.paper.id.text) was stamped twice within \(gap) seconds")
        }
        guard let most = caps.stampsPerDayMax else { return }
        let dayAgo = fact.time.advanced(bySeconds: -Limits.stampDaySeconds)
        let gained = past.filter { $0.at > dayAgo }.reduce(event.stamps) { $0 + $1.stamps }
        require(gained <= most, "paper \(event.paper.id.text) got more than \(most) stamps in a day")
    }

    /// All stamps of a taken paper card count as given by one code, and as at most the maximum of a day.
    private mutating func requireWithinCaps(_ event: PaperCardTaken, waiting: Int, _ caps: StampCaps, _ fact: Fact) {
        guard caps != .none, waiting > 0 else { return }
        let dayAgo = fact.time.advanced(bySeconds: -Limits.stampDaySeconds)
        let saver = Saver(account: event.holder, campaign: event.campaign)
        let past = gains[saver, default: []].filter { $0.at > dayAgo && $0.at <= fact.time }
        if let gap = caps.minimumGapSeconds, let last = past.map(\.at).max() {
            require(
                fact.time >= last.advanced(bySeconds: Int64(gap)),
                "\(event.holder.text) took a paper of campaign \(event.campaign.text) within \(gap) seconds of other stamps")
        }
        guard let most = caps.stampsPerDayMax else { return }
        let gained = past.reduce(min(waiting, most)) { $0 + $1.stamps }
        require(gained <= most, "\(event.holder.text) took a paper of campaign \(event.campaign.text) beyond its \(most) stamps a day")
    }

    /// Requires that all codes of a taken paper card are used in the same command.
    mutating func checkTaking(before fact: Fact) {
        guard let taking = command.taking else { return }
        guard taking.left > 0 else { return command.taking = nil }
        let taken = taking.step.event
        let goesOn =
            switch fact.event {
            case .cardOpened(let event): event.campaign == taken.campaign && event.holder == taken.holder
            case .cardStamped(let event): event.campaign == taken.campaign && event.holder == taken.holder
            default: false
            }
        if goesOn, taking.step.isContinued(by: fact) { return }
        require(false, "the paper taken before this event still had \(taking.left) stamps to give")
        command.taking = nil
    }

    /// Removes and returns the next code of the taken paper card; nil if the event uses another code.
    mutating func waitingCode(of event: CardStamped) -> LiveCode? {
        guard let taking = command.taking, let next = taking.codes.first, next.code == event.code else { return nil }
        command.taking?.codes.removeFirst()
        return LiveCode(
            campaign: event.campaign, shop: next.shop, expiresAt: next.at, stamps: next.stamps, issuer: taking.step.actor, issuedAt: next.at
        )
    }

    private mutating func requirePrinted(_ paper: PaperName, _ campaign: CampaignID, _ shop: ShopID) {
        let print = prints[paper.print]
        let isPrinted = print.map { $0.campaign == campaign && $0.shop == shop && (0..<$0.count).contains(paper.number) } ?? false
        require(isPrinted, "paper \(paper.id.text) was not printed for campaign \(campaign.text)")
    }
}
