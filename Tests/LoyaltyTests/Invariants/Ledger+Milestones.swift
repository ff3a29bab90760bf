import Loyalty

/// Rules about milestones, which are smaller rewards before a card is full.
extension Ledger {
    /// Whether a milestone of this card may be requested.
    func isOpen(_ milestone: Int, _ paper: Paper, at now: Instant) -> Bool {
        (paper.isCollecting || paper.isFull) && now < paper.endsAt && paper.milestones.contains(milestone) && paper.stamps >= milestone
            && !paper.redeemedMilestones.contains(milestone)
    }

    mutating func enter(_ event: MilestoneRequested, _ fact: Fact) {
        must(vouchers[event.redemption] == nil, "a redemption is requested once")
        must(!vouchers.values.contains { $0.secret == event.secret }, "a redemption code's secret is never given twice")
        guard let paper = papers[event.card] else { return must(false, "card is known") }
        must(isOpen(event.milestone, paper, at: fact.time), "only a milestone that the card has reached is redeemed, once")
        must(paper.holder == fact.actor, "people redeem their own milestones")
        must(rewards(event.shop, at: fact.time), "a shop that has closed hands out nothing after its last day")
        must(event.shop == paper.shop, "a card belongs to its campaign's own shop")
        must(!works(fact.actor, in: event.campaign), "nobody redeems a milestone of a shop that they own or work for")
        let end = min(fact.time.advanced(bySeconds: 300), paper.endsAt)
        must(event.expiresAt == end && fact.time < end, "a redemption code is valid for five minutes, and no longer than its card")
        vouchers[event.redemption] = Voucher(
            card: event.card, milestone: event.milestone, secret: event.secret, requestedAt: fact.time, expiresAt: event.expiresAt)
        papers[event.card]?.requests.append(event.redemption)
    }

    mutating func enter(_ event: MilestoneRedeemed, _ fact: Fact) {
        guard let voucher = vouchers[event.redemption], let paper = papers[voucher.card] else {
            return must(false, "redemption and card are known")
        }
        must(voucher.card == event.card && voucher.milestone == event.milestone, "a redemption redeems its own milestone")
        must(isOpen(event.milestone, paper, at: fact.time), "a milestone is redeemed once, for stamps that the card has")
        must(paper.requests.last == event.redemption, "only the code of the newest request works")
        must(fact.time < voucher.expiresAt, "a redemption code works before it expires")
        must(works(fact.actor, at: event.shop), "only owner and staff redeem")
        must(takesPart(event.shop, in: paper.campaign), "rewards are handed out at the campaign's shops")
        mustName(event.home, event.shop, of: event.campaign)
        must(!works(paper.holder, in: paper.campaign), "nobody redeems a milestone of a shop that they own or work for")
        must(!voucher.isReversed && !voucher.isOver, "a reversed or void redemption code redeems nothing")
        must(rewards(paper.shop, at: fact.time), "a shop that has closed hands out nothing after its last day")
        papers[event.card]?.redeemedMilestones.insert(event.milestone)
        vouchers[event.redemption]?.isRedeemed = true
        vouchers[event.redemption]?.place = event.shop
        vouchers[event.redemption]?.redeemedAt = fact.time
    }

    mutating func enter(_ event: MilestoneReversed, _ fact: Fact) {
        guard let voucher = vouchers[event.redemption], let paper = papers[voucher.card] else {
            return must(false, "redemption and card are known")
        }
        must(voucher.card == event.card && voucher.milestone == event.milestone, "a reversal names the milestone of its redemption")
        must(paper.redeemedMilestones.contains(event.milestone), "only a redeemed milestone is open again")
        must(voucher.isRedeemed && !voucher.isReversed, "a redemption is reversed once")
        mustTakeBack(at: event.shop, event.home, voucher, paper, fact)
        must(voucher.redeemedAt.map { fact.time < $0.advanced(bySeconds: 86_400) } == true, "a reward is taken back within a day")
        papers[event.card]?.redeemedMilestones.remove(event.milestone)
        vouchers[event.redemption]?.isReversed = true
    }

    mutating func mustKeepMilestones(_ card: CardID) {
        guard let paper = papers[card], let highest = paper.redeemedMilestones.max() else { return }
        must(paper.stamps >= highest, "a card keeps the stamps of its redeemed milestones")
    }
}
