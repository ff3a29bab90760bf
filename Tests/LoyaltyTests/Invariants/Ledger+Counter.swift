import Loyalty

/// Rules about the counter: codes, cards and rewards.
extension Ledger {
    mutating func enter(_ event: CodeIssued, _ fact: Fact) {
        must(slips[event.code] == nil, "a code is issued once")
        must(!slips.values.contains { $0.secret == event.secret }, "a stamp code's secret is never given twice")
        must(works(fact.actor, at: event.shop), "only owner and staff issue codes")
        let home = campaigns[event.campaign]?.shop
        must(trades(event.shop) && home.map(trades) == true, "a suspended or closed shop issues no codes")
        must(campaigns[event.campaign]?.kind == .stampCard, "only stamp cards have codes")
        must(takesPart(event.shop, in: event.campaign), "a code is issued at one of its campaign's shops")
        mustName(event.home, event.shop, of: event.campaign)
        must(runs(event.campaign, at: fact.time), "codes are issued while the campaign runs")
        must((1...10).contains(event.stamps), "a code is worth 1 to 10")
        let validity = event.expiresAt.microseconds - fact.time.microseconds
        must(validity > 0 && validity <= 86_400_000_000, "a code is valid for a day at most")
        giving = fact
        slips[event.code] = Slip(
            campaign: event.campaign, shop: event.shop, secret: event.secret, worth: event.stamps, issuedAt: fact.time,
            expiresAt: event.expiresAt, issuer: fact.actor)
    }

    /// Whether this event belongs to a command with which the shop issues a code and uses it at once for the customer.
    private func isGiving(_ fact: Fact) -> Bool {
        giving.map { $0.actor == fact.actor && $0.time == fact.time && fact.position - $0.position <= 120 } ?? false
    }

    mutating func enter(_ event: CodeDestroyed, _ fact: Fact) {
        guard let slip = slips[event.code] else { return must(false, "only a known code is destroyed") }
        let isOwn = slip.issuer == fact.actor && works(fact.actor, at: slip.shop)
        must(isOwn || manages(fact.actor, slip.shop), "managers destroy codes, and staff their own")
        must(trades(slip.shop), "a suspended or closed shop withdraws no codes")
        must(!slip.spent && !slip.withdrawn && !slip.lost && fact.time < slip.expiresAt, "only an open code is destroyed")
        slips[event.code]?.withdrawn = true
    }

    mutating func enter(_ event: CardOpened, _ fact: Fact) {
        must(papers[event.card] == nil, "a card is opened once")
        must(event.holder == fact.actor || isGiving(fact), "people open their own cards")
        must(event.goal == campaigns[event.campaign]?.terms.goal, "a card has its campaign's goal")
        must(event.reward == campaigns[event.campaign]?.terms.reward, "a card has its campaign's reward")
        let most = campaigns[event.campaign]?.terms.options.repeats ?? .max
        must(filled(event.holder, event.campaign) < most, "nobody opens a card beyond the campaign's limit")
        must(campaigns[event.campaign]?.kind != .promotion, "a promotion has no cards")
        if campaigns[event.campaign]?.kind == .coupon { enterCoupon(event, fact) }
        must(collecting(event.holder, event.campaign).isEmpty, "no card is opened beside a collecting one")
        mustName(event.home, event.shop, of: event.campaign)
        papers[event.card] = Paper(
            campaign: event.campaign, shop: event.home ?? event.shop, holder: event.holder, goal: event.goal,
            openedAt: fact.time, milestones: campaigns[event.campaign]?.terms.options.milestones.map(\.at) ?? [])
        hands[Hand(holder: event.holder, campaign: event.campaign), default: []].append(event.card)
        guard let days = campaigns[event.campaign]?.terms.options.cardValidDays else { return }
        papers[event.card]?.endsAt = fact.time.advanced(bySeconds: Int64(days) * 86_400)
    }

    private mutating func enterCoupon(_ event: CardOpened, _ fact: Fact) {
        must(!hasClaimed(event.holder, event.campaign), "an account claims a coupon once")
        must(event.holder == fact.actor, "people claim their own coupons")
        must(runs(event.campaign, at: fact.time), "coupons are claimed while the campaign runs")
        must(!works(event.holder, in: event.campaign), "nobody claims a coupon of a shop that they own or work for")
        must(trades(event.shop) && event.home == nil, "nobody claims a coupon of a suspended or closed shop")
    }

    /// Whether the account has ever claimed a coupon of the campaign, in whatever state the coupon is now.
    func hasClaimed(_ holder: AccountID, _ campaign: CampaignID) -> Bool {
        hands[Hand(holder: holder, campaign: campaign)] != nil
    }

    mutating func enter(_ event: CardStamped, _ fact: Fact) {
        guard let slip = slips[event.code], let paper = papers[event.card] else { return must(false, "code and card are known") }
        must(!slip.spent, "one code adds its stamps once")
        must(!slip.withdrawn && !slip.lost, "a destroyed code stamps nothing")
        must(fact.time < slip.expiresAt, "a code stamps before it expires")
        must(slip.campaign == paper.campaign && event.campaign == paper.campaign, "a code stamps its own campaign's cards")
        must(runs(slip.campaign, at: fact.time), "stamps are given while the campaign runs")
        let isGiven = slip.issuer == fact.actor && slip.issuedAt == fact.time && isGiving(fact)
        must(paper.holder == event.holder && (event.holder == fact.actor || isGiven), "people stamp their own cards")
        let isOwn = works(event.holder, in: slip.campaign) || works(event.holder, at: slip.shop)
        must(!isOwn, "nobody stamps a card of a shop that they own or work for")
        must(event.shop == slip.shop, "a CardStamped names the shop that issued the code")
        mustName(event.home, event.shop, of: event.campaign)
        must(event.stamps >= 1, "a CardStamped adds at least one stamp")
        must(paper.isCollecting, "only a collecting card takes stamps")
        must(paper.stamps + event.stamps <= paper.goal, "a card's stamps never pass its goal")
        must(trades(paper.shop) && trades(slip.shop), "nobody collects at a suspended or closed shop")
        must(fact.time < paper.endsAt, "nobody collects on a card whose time is over")
        papers[event.card]?.stamps += event.stamps
        papers[event.card]?.gains.append(Gain(code: event.code, at: fact.time, stamps: event.worth))
        must(!isPassed(by: event, at: fact.time), "no stamp exceeds the campaign's caps")
    }

    mutating func enter(_ event: StampReversed, _ fact: Fact) {
        guard let slip = slips[event.code], let paper = papers[event.card] else { return must(false, "code and card are known") }
        must(slip.spent && !slip.takenBack, "each of a code's stamps is taken back once")
        must(
            takesBack(fact.actor, at: slip.shop, for: slip.campaign, at: fact.time),
            "a shop that has closed takes nothing back after its last day")
        must(slip.spentAt.map { fact.time < $0.advanced(bySeconds: 86_400) } == true, "stamps are taken back within a day")
        must(slip.campaign == paper.campaign && slip.shop == event.shop, "a code's stamps come off its own campaign's cards")
        mustName(event.home, event.shop, of: event.campaign)
        let isStaff = works(fact.actor, at: slip.shop) || works(fact.actor, in: slip.campaign)
        must(isStaff && fact.actor != paper.holder, "only owner and staff take stamps back, and not their own")
        mustBeThere(event)
        must(!paper.isRedeemed, "a redeemed card keeps its stamps")
        must(fact.time < paper.endsAt || paper.isExpired || paper.isDiscarded, "a card's end is recorded before stamps are taken back")
        must(event.stamps >= 1 && event.stamps <= paper.stamps, "a card's stamps never go below zero")
        papers[event.card]?.stamps -= event.stamps
        mustKeepMilestones(event.card)
        endCode(of: event.card)
    }

    mutating func enter(_ event: CardDiscarded, _ fact: Fact) {
        let isHolder = papers[event.card]?.holder == fact.actor
        must(isHolder || papers[event.card]?.stamps == 0, "only the holder discards a card, or the shop an empty card")
        if !isHolder { leaving = event.card }
        must(papers[event.card]?.isDiscarded == false, "a card is discarded once")
        papers[event.card]?.isDiscarded = true
    }

    mutating func enter(_ event: RedemptionRequested, _ fact: Fact) {
        must(vouchers[event.redemption] == nil, "a redemption is requested once")
        must(!vouchers.values.contains { $0.secret == event.secret }, "a redemption code's secret is never given twice")
        must(rewards(event.shop, at: fact.time), "a shop that has closed hands out nothing after its last day")
        must(papers[event.card]?.isFull == true, "only a full card is redeemed")
        must(papers[event.card]?.holder == fact.actor, "people redeem their own cards")
        must(event.shop == papers[event.card]?.shop, "a card belongs to its campaign's own shop")
        must(!works(fact.actor, in: event.campaign), "nobody redeems a card of a shop that they own or work for")
        let end = min(fact.time.advanced(bySeconds: 300), papers[event.card]?.endsAt ?? fact.time)
        must(event.expiresAt == end && fact.time < end, "a redemption code is valid for five minutes, and no longer than its card")
        vouchers[event.redemption] = Voucher(card: event.card, secret: event.secret, requestedAt: fact.time, expiresAt: event.expiresAt)
        papers[event.card]?.requests.append(event.redemption)
    }

    mutating func enter(_ event: CardRedeemed, _ fact: Fact) {
        guard let voucher = vouchers[event.redemption], let paper = papers[voucher.card] else {
            return must(false, "redemption and card are known")
        }
        must(voucher.card == event.card && voucher.milestone == nil, "a redemption redeems its own card")
        must(paper.isFull && fact.time < paper.endsAt, "a redemption code works once, for a full card that has time left")
        must(paper.requests.last == event.redemption, "only the code of the newest request works")
        must(fact.time < voucher.expiresAt, "a redemption code works before it expires")
        must(works(fact.actor, at: event.shop), "only owner and staff redeem")
        must(takesPart(event.shop, in: paper.campaign), "rewards are handed out at the campaign's shops")
        mustName(event.home, event.shop, of: event.campaign)
        must(!works(paper.holder, in: paper.campaign), "nobody redeems a card of a shop that they own or work for")
        must(!voucher.isReversed && !voucher.isOver, "a reversed or void redemption code redeems nothing")
        must(rewards(paper.shop, at: fact.time), "a shop that has closed hands out nothing after its last day")
        papers[event.card]?.isRedeemed = true
        vouchers[event.redemption]?.isRedeemed = true
        vouchers[event.redemption]?.place = event.shop
        vouchers[event.redemption]?.redeemedAt = fact.time
    }

    mutating func enter(_ event: RedemptionReversed, _ fact: Fact) {
        guard let voucher = vouchers[event.redemption], let paper = papers[voucher.card] else {
            return must(false, "redemption and card are known")
        }
        must(voucher.card == event.card && paper.isRedeemed, "only a redeemed card becomes full again by a reversal")
        must(voucher.isRedeemed && !voucher.isReversed, "a redemption is reversed once")
        mustTakeBack(at: event.shop, event.home, voucher, paper, fact)
        must(voucher.redeemedAt.map { fact.time < $0.advanced(bySeconds: 86_400) } == true, "a reward is taken back within a day")
        papers[event.card]?.isRedeemed = false
        papers[event.card]?.isDiscarded = false
        vouchers[event.redemption]?.isReversed = true
    }

    mutating func enter(_ event: CardAdjusted, _ fact: Fact) {
        guard let paper = papers[event.card] else { return must(false, "only a known card is adjusted") }
        must(!paper.isRedeemed && !paper.isDiscarded, "neither a redeemed nor a discarded card is adjusted")
        must(!paper.isExpired && fact.time < paper.endsAt, "no card is adjusted whose time is over")
        must(event.stamps != 0 && (0...paper.goal).contains(paper.stamps + event.stamps), "an adjustment keeps stamps from 0 to the goal")
        papers[event.card]?.stamps += event.stamps
        papers[event.card]?.isAdjusted = true
        mustKeepMilestones(event.card)
        endCode(of: event.card)
        must(collecting(paper.holder, paper.campaign).count <= 1, "nobody collects on two cards of a campaign")
    }

    mutating func enter(_ event: CardExpired, _ fact: Fact) {
        guard let paper = papers[event.card] else { return must(false, "only a known card expires") }
        must(paper.isCollecting || paper.isFull, "only a collecting or full card expires, and once")
        must(event.dueAt == paper.endsAt && event.dueAt <= fact.time, "a card expires at its end, and not before")
        papers[event.card]?.isExpired = true
    }

    mutating func enter(_ event: CardReminded, _ fact: Fact) {
        guard let paper = papers[event.card] else { return must(false, "only holders of known cards are reminded") }
        must(fact.actor == .system, "time alone causes a reminder")
        must(paper.isCollecting || paper.isFull, "reminders are only for collecting and full cards")
        must([14, 2].contains(event.daysLeft), "holders are reminded fourteen and two days before the end")
        must(event.dueAt == paper.endsAt.advanced(bySeconds: -86_400 * Int64(event.daysLeft)), "a reminder is due daysLeft before the end")
        must(event.dueAt <= fact.time && fact.time < paper.endsAt, "a reminder is sent between its due time and the card's end")
        must(
            closings[paper.shop].map { event.dueAt < $0 } ?? true, "nobody is reminded of a card of a closed shop that rewards nobody then")
        must(event.dueAt > paper.openedAt, "no reminder was due when the card was opened")
        must(paper.reminders.allSatisfy { $0 > event.daysLeft }, "each reminder is sent once, in the order of due times")
        must(notices.insert(event.notice).inserted, "each reminder has a notice of its own")
        speakers[event.notice] = Speaker(shop: event.shop, author: .system)
        papers[event.card]?.reminders.append(event.daysLeft)
    }

    /// Whether a campaign's caps forbid this many stamps for an account.
    func isTooMuch(_ stamps: Int, for account: AccountID, in campaign: CampaignID, at now: Instant) -> Bool {
        guard let caps = campaigns[campaign]?.terms.caps else { return false }
        let gains = gains(of: account, in: campaign).filter { $0.at <= now }
        if let gap = caps.minimumGapSeconds, gains.contains(where: { now < $0.at.advanced(bySeconds: Int64(gap)) }) { return true }
        let lately = gains.filter { now < $0.at.advanced(bySeconds: 86_400) }.map(\.stamps).reduce(0, +)
        return caps.stampsPerDayMax.map { lately + stamps > $0 } ?? false
    }

    /// Whether a recorded stamp exceeds the caps.
    private func isPassed(by event: CardStamped, at now: Instant) -> Bool {
        guard let caps = campaigns[event.campaign]?.terms.caps else { return false }
        let gains = gains(of: event.holder, in: event.campaign).filter { $0.at <= now }
        let others = gains.filter { $0.code != event.code }
        if let gap = caps.minimumGapSeconds, others.contains(where: { now < $0.at.advanced(bySeconds: Int64(gap)) }) { return true }
        let lately = gains.filter { now < $0.at.advanced(bySeconds: 86_400) }.map(\.stamps).reduce(0, +)
        return caps.stampsPerDayMax.map { lately > $0 } ?? false
    }

    private func gains(of account: AccountID, in campaign: CampaignID) -> [Gain] {
        papers(of: account, in: campaign).flatMap(\.gains)
    }

    /// The cards that would receive an account's next stamps at this time.
    func collecting(_ holder: AccountID, _ campaign: CampaignID, at now: Instant) -> [CardID] {
        collecting(holder, campaign).filter { papers[$0].map { now < $0.endsAt } == true }
    }

    func collecting(_ holder: AccountID, _ campaign: CampaignID) -> [CardID] {
        hands[Hand(holder: holder, campaign: campaign), default: []].filter { papers[$0]?.isCollecting == true }
    }
}
