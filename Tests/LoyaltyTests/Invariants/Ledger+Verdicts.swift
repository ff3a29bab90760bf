import Loyalty
import World

/// The verdicts that the rules require for the most important commands, so that wrong rejections are also detected.
extension Ledger {
    /// - Returns: the required rejection, or `nil` if the stamp must be accepted.
    func refusal(of command: Stamp, by actor: AccountID, at now: Instant) -> Rejection? {
        guard people.contains(actor) else { return .notFound }
        guard let slip = slips.values.first(where: { $0.secret == command.secret }), !slip.spent, !slip.withdrawn, !slip.lost,
            Self.isGood(from: slip.issuedAt, until: slip.expiresAt, at: now), command.campaign == nil || command.campaign == slip.campaign
        else { return .codeNotValid }
        if works(actor, at: slip.shop) || works(actor, in: slip.campaign) { return .ownCampaign }
        let home = campaigns[slip.campaign]?.shop
        if closed.contains(slip.shop) || home.map(closed.contains) == true { return .suspended }
        guard runs(slip.campaign, at: now) else { return .campaignNotRunning }
        if isLimited(slip, actor, now) { return .cardLimitReached }
        if passesCaps(slip, actor, now) { return .stampedTooOften(retryAfterSeconds: 0) }
        if opensATakenCard(command, slip, actor, now) { return .notFound }
        // If the clock is set back, a campaign that was over when its own shop closed may run again, but the shop stays closed.
        return home.flatMap { closings[$0] } == nil ? nil : .shopClosed
    }

    /// - Returns: the required rejection, or `nil` if the claim must be accepted.
    func refusal(of command: ClaimCoupon, by actor: AccountID, at now: Instant) -> Rejection? {
        guard people.contains(actor), let known = campaigns[command.campaign], known.kind == .coupon else { return .notFound }
        if works(actor, in: known.campaign) { return .ownCampaign }
        if closed.contains(known.shop) { return .suspended }
        guard runs(command.campaign, at: now) else { return .campaignNotRunning }
        if let paper = papers[command.card] {
            return paper.campaign == command.campaign && paper.holder == actor ? nil : .notFound
        }
        if hasClaimed(actor, command.campaign) { return .couponClaimed }
        // If the clock is set back, a campaign that was over when its shop closed may run again, but the shop stays closed.
        return closings[known.shop] == nil ? nil : .shopClosed
    }

    private func isLimited(_ slip: Slip, _ actor: AccountID, _ now: Instant) -> Bool {
        guard let repeats = campaigns[slip.campaign]?.terms.options.repeats else { return false }
        return collecting(actor, slip.campaign, at: now).isEmpty && filled(actor, slip.campaign) >= repeats
    }

    private func passesCaps(_ slip: Slip, _ actor: AccountID, _ now: Instant) -> Bool {
        isTooMuch(slip.worth, for: actor, in: slip.campaign, at: now)
    }

    private func opensATakenCard(_ command: Stamp, _ slip: Slip, _ actor: AccountID, _ now: Instant) -> Bool {
        var left = slip.worth * factor(of: slip) + welcome(actor, slip.campaign)
        let begun = collecting(actor, slip.campaign, at: now).count
        var most = (campaigns[slip.campaign]?.terms.options.repeats ?? .max) - filled(actor, slip.campaign) - begun
        if let card = collecting(actor, slip.campaign, at: now).first, let paper = papers[card] { left -= paper.goal - paper.stamps }
        var next = command.firstCard.value
        while left > 0, most > 0 {
            most -= 1
            if papers[CardID(next)] != nil { return true }
            left -= campaigns[slip.campaign]?.terms.goal ?? left
            next += 1
        }
        return false
    }

    /// - Returns: whether the reward must be handed out.
    func accepts(_ command: Redeem, by actor: AccountID, at now: Instant) -> Bool {
        guard people.contains(actor), let (id, voucher) = vouchers.first(where: { $0.value.secret == command.secret }),
            let paper = papers[voucher.card]
        else { return false }
        let isThere = voucher.milestone.map { isOpen($0, paper, at: now) } ?? (paper.isFull && now < paper.endsAt)
        return isThere && paper.requests.last == id
            && Self.isGood(from: voucher.requestedAt, until: voucher.expiresAt, at: now)
            && place(command.shop, actor, in: paper.campaign).map { takesPart($0, in: paper.campaign) } == true
            && !works(paper.holder, in: paper.campaign) && !voucher.isReversed && !voucher.isOver
            && !suspended.contains(paper.holder) && rewards(paper.shop, at: now)
    }

    /// - Returns: whether the reversal must be accepted.
    func accepts(_ command: ReverseRedemption, by actor: AccountID, at now: Instant) -> Bool {
        guard people.contains(actor), let voucher = vouchers[command.redemption], let paper = papers[voucher.card],
            works(actor, in: paper.campaign) || voucher.place.map({ works(actor, at: $0) }) == true, paper.holder != actor,
            command.reason != "", takesBack(actor, at: voucher.place ?? paper.shop, for: paper.campaign, at: now)
        else { return false }
        guard !voucher.isReversed, let redeemedAt = voucher.redeemedAt else { return false }
        return (paper.isRedeemed || voucher.milestone != nil)
            && Self.isGood(from: redeemedAt, until: redeemedAt.advanced(bySeconds: 86_400), at: now)
    }

    /// - Returns: whether the stamps must be reversed; nil if the ledger does not judge the case. It does not judge it if a card was
    ///   adjusted or discarded by its holder, has expired, or had a milestone redeemed.
    func accepts(_ command: ReverseStamp, by actor: AccountID, at now: Instant) -> Bool? {
        guard people.contains(actor), let slip = slips[command.code],
            works(actor, at: slip.shop) || works(actor, in: slip.campaign), slip.spent, !slip.takenBack,
            command.reason != "", let spentAt = slip.spentAt, takesBack(actor, at: slip.shop, for: slip.campaign, at: now)
        else { return false }
        guard Self.isGood(from: spentAt, until: spentAt.advanced(bySeconds: 86_400), at: now) else { return false }
        guard command.stamps.map({ $0 > 0 && $0 <= slip.left ?? slip.given }) ?? true else { return false }
        if strayed.contains(command.code) { return nil }
        let given = papers.filter { $0.value.gains.contains { $0.code == command.code } }
        if given.values.contains(where: { $0.holder == actor }) { return false }
        // A part may be on other cards than the redeemed one.
        if given.values.contains(where: { $0.isRedeemed }) { return command.stamps == nil && slip.left == nil ? false : nil }
        // The reversal may take the stamps off other cards of the holder. The ledger does not judge it if a milestone of such a card was
        // redeemed, or if an operator adjusted such a card. After an earlier reversal, stamps of this code may be on any card of the
        // holder, so the ledger judges only if all of these cards can still lose them.
        let mine = papers.filter { paper in
            given.values.contains { $0.holder == paper.value.holder && $0.campaign == paper.value.campaign }
        }
        if mine.keys.contains(where: { inherited[$0] != nil }) { return nil }
        let isFirst = !slips.values.contains { $0.left != nil && $0.holder == slip.holder && $0.campaign == slip.campaign }
        let isPlain =
            given.allSatisfy { stands($0.key, at: now) }
            && mine.allSatisfy { card, paper in
                paper.redeemedMilestones.isEmpty && !paper.isAdjusted && (isFirst || stands(card, at: now) && !paper.isRedeemed)
            }
        return isPlain ? true : nil
    }

    /// Whether a card's holder has not discarded it, and its time is not over. A card that a reversal emptied and discarded stands too,
    /// because its stamps moved to another card.
    private func stands(_ card: CardID, at now: Instant) -> Bool {
        papers[card].map { (!$0.isDiscarded || moves[card] != nil) && now < $0.endsAt } ?? false
    }

    /// Whether a code, a redemption or an offer is valid at this time. It must not have ended, and it must not have been made while the
    /// clock was more than a minute ahead.
    static func isGood(from begin: Instant, until end: Instant, at now: Instant) -> Bool {
        now < end && begin <= now.advanced(bySeconds: 60)
    }

    /// - Returns: the required rejection, or `nil` if the request must be accepted. Ids and secrets that are already in use are not judged
    ///   here.
    func refusal(of command: RequestRedemption, by actor: AccountID, at now: Instant) -> Rejection? {
        guard people.contains(actor), let paper = papers[command.card], paper.holder == actor else { return .notFound }
        if works(actor, in: paper.campaign) { return .ownCampaign }
        if let milestone = command.milestone {
            guard paper.milestones.contains(milestone) else { return .invalid([InvalidField(field: "milestone", fault: .noMilestone)]) }
            guard isOpen(milestone, paper, at: now) else { return .milestoneNotOpen }
        } else {
            guard paper.isFull, now < paper.endsAt else { return .cardNotFull }
        }
        return rewards(paper.shop, at: now) ? nil : .shopClosed
    }

    /// The required outcome of a refresh: `true` for a new token, `false` for the end of the session, `nil` for a rejection.
    func outcome(of command: RefreshSession, by actor: AccountID, at now: Instant) -> Bool? {
        guard people.contains(actor), let family = families[command.session], family.account == actor, !family.isEnded,
            now < family.expiresAt
        else { return nil }
        guard family.token == command.presented else { return family.earlier.contains(command.presented) ? false : nil }
        return command.next != command.presented && command.expiresAt > now ? true : nil
    }

    /// The differences between the world and the ledger about cards, codes and redemptions; only about `touched` cards if they are given.
    func differences(from world: World, in touched: Set<CardID>? = nil) -> [String] {
        var differences: [String] = []
        for id in touched ?? Set(papers.keys) {
            guard let paper = papers[id] else {
                differences.append("the ledger has no \(id)")
                continue
            }
            let expected: CardStatus =
                paper.isDiscarded
                ? .discarded : paper.isRedeemed ? .redeemed : paper.isExpired ? .expired : paper.isFull ? .full : .collecting
            guard let card = world.cards[id], card.status == expected, card.stamps == paper.stamps, card.goal == paper.goal,
                card.holder == paper.holder, card.newestRedemption == paper.requests.last,
                Set(card.terms.milestones.map(\.at).filter { card.redeemedAt(milestone: $0) != nil }) == paper.redeemedMilestones
            else {
                differences.append("\(id) is \(String(describing: world.cards[id])), not \(paper)")
                continue
            }
            let found = world.collectingCard(of: paper.holder, in: paper.campaign)?.id
            if collecting(paper.holder, paper.campaign) != (found.map { [$0] } ?? []) {
                differences.append("collecting card of \(paper.holder) is \(String(describing: found))")
            }
        }
        guard touched == nil else { return differences }
        for (id, search) in world.searches {
            let kept = search.isRemoved ? nil : interests[id]
            let isSame = kept?.alerts == search.alerts && kept?.news == search.after && kept?.dueAt == search.dueAt
            if kept == nil ? !search.isRemoved : !isSame { differences.append("\(id) is \(search), not \(String(describing: kept))") }
        }
        if world.cards.count != papers.count { differences.append("\(world.cards.count) cards, not \(papers.count)") }
        for (id, slip) in slips where world.codes[id]?.isUsed != slip.spent || world.codes[id]?.isDestroyed != slip.withdrawn {
            differences.append("\(id) is \(String(describing: world.codes[id])), not \(slip)")
        }
        for (id, shop) in world.shops where shop.transfer?.invitation != transfers[id]?.invitation {
            differences.append("\(id) is offered by \(String(describing: shop.transfer)), not \(String(describing: transfers[id]))")
        }
        for (id, voucher) in vouchers
        where world.redemptions[id]?.isRedeemed != voucher.isRedeemed || world.redemptions[id]?.isReversed != voucher.isReversed {
            differences.append("\(id) is \(String(describing: world.redemptions[id])), not \(voucher)")
        }
        return differences
    }
}
