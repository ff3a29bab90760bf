internal import Loyalty
internal import LoyaltyCodec

/// The filled cards and used codes of an account in a campaign with options. Those from before the options are not counted, so the rules
/// are lenient about them.
struct Saving {
    var filled = 0
    var codes = 0
}

extension RuleBook {
    mutating func requireOptions(_ terms: CampaignTerms<TypedText>, of campaign: CampaignID) {
        let options = terms.options
        guard options != .none else { return }
        let kind = campaigns[campaign]?.kind ?? .stampCard
        require(kind != .promotion, "campaign \(campaign.text) has no cards, and terms of cards")
        let collects =
            options.repeats != nil || options.welcomeStamps != nil || !options.bonuses.isEmpty || !options.milestones.isEmpty
        require(kind == .stampCard || !collects, "campaign \(campaign.text) collects nothing, and has terms of collecting")
        let repeatsFit = options.repeats.map(Limits.repeats.contains) ?? true
        let welcomeFits = options.welcomeStamps.map { Limits.welcomeStamps.contains($0) && $0 < terms.goal } ?? true
        let daysFit = options.cardValidDays.map(Limits.cardValidDays.contains) ?? true
        require(repeatsFit && welcomeFits && daysFit, "campaign \(campaign.text) has options outside of their limits")
        require((options.redeemUntil ?? terms.endsAt) >= terms.endsAt, "cards of campaign \(campaign.text) end before it does")
        let isBounded = options.bonuses.count <= Limits.bonuses && options.bonuses.allSatisfy { Limits.bonusFactor.contains($0.factor) }
        require(isBounded, "campaign \(campaign.text) has bonuses outside of their limits")
        requireMilestones(options.milestones, below: terms.goal, campaign)
    }

    /// Requires the present terms of the campaign, and that the account may fill one more card.
    mutating func requireTerms(of event: CardOpened, _ options: CampaignOptions, _ fact: Fact) {
        let expiresAt = options.cardValidDays.map { fact.time.advanced(bySeconds: Int64($0) * Self.daySeconds) }
        let promised = CardTerms(expiresAt: expiresAt, redeemUntil: options.redeemUntil, milestones: options.milestones)
        require(event.terms == promised, "card \(event.card.text) has other terms than its campaign")
        guard let repeats = options.repeats else { return }
        let filled = savings[Saver(account: event.holder, campaign: event.campaign)]?.filled ?? 0
        require(filled < repeats, "card \(event.card.text) was opened for an account that had filled \(filled) of \(repeats)")
    }

    /// Whether a code, or the paper card whose last code it is, does not give all its stamps. Only a limit of filled cards may make stamps
    /// lapse.
    mutating func lapses(_ event: CardStamped) -> Bool {
        if let taking = command.taking, taking.lapses, taking.left <= 0 { return true }
        let isShort = command.giving.map { $0.step.event.code == event.code && $0.left <= 0 && $0.owed > 0 } ?? false
        guard event.worth > event.stamps || isShort else { return false }
        let isLimited = campaigns[event.campaign]?.terms.options.repeats != nil
        require(isLimited, "stamps of code \(event.code.text) lapsed, and its campaign limits no cards")
        return true
    }

    /// With bonus hours and welcome stamps.
    mutating func countUse(of code: LiveCode, for event: CardStamped) -> ClosedRange<Int> {
        guard let options = campaigns[event.campaign]?.terms.options, options != .none else { return code.stamps...code.stamps }
        let saver = Saver(account: event.holder, campaign: event.campaign)
        let isFirst = savings[saver, default: Saving()].codes == 0
        savings[saver, default: Saving()].codes += 1
        let own = code.stamps * factor(of: code, options.bonuses)
        let welcome = isFirst ? options.welcomeStamps ?? 0 : 0
        return own...(own + welcome)
    }

    /// A reversed code no longer counts as used.
    mutating func countReversal(_ holder: AccountID, _ campaign: CampaignID) {
        let saver = Saver(account: holder, campaign: campaign)
        if let codes = savings[saver]?.codes { savings[saver]?.codes = max(0, codes - 1) }
    }

    /// A decrease is recorded even without a limit, so that the number is never too high.
    mutating func countFilled(_ change: Int, _ holder: AccountID, _ campaign: CampaignID) {
        guard change < 0 || campaigns[campaign]?.terms.options.repeats != nil else { return }
        let saver = Saver(account: holder, campaign: campaign)
        let filled = max(0, (savings[saver]?.filled ?? 0) + change)
        if filled > 0 || savings[saver] != nil { savings[saver, default: Saving()].filled = filled }
    }
}
