internal import Loyalty

/// Replays history under changed rules: each recorded command is decided again, and dependents of a rejected one are skipped and counted.
///
/// Only redemptions are added. With `asInHistory`, a redemption in history also redeems further full cards, until no more are left
/// unredeemed than in history. With `whenFull`, a card is redeemed at once.
struct ChangedHistory {
    private(set) var state: RunState
    private(set) var ledger: Ledger
    private(set) var refused: [Refusal: Int] = [:]
    private(set) var decided = 0
    /// Called with every event of this run, for tests.
    var observe: ((Fact) -> Void)?

    private let rules: ProgrammeRules
    private var clock: ShopClock
    private var isInForce = false
    private var derived = 0
    private var position: UInt64 = 0

    init(_ rules: ProgrammeRules, on shared: SharedState, ledger: Ledger) {
        state = RunState(on: shared)
        clock = ShopClock(rules)
        (self.rules, self.ledger) = (rules, ledger)
    }

    /// Applies the changed rules from the next command on.
    mutating func begin() {
        isInForce = true
        ledger.isOpen = true
        state.rules = rules
    }

    /// Applies a recorded event of a paper card. A stamp that the changed goal or caps forbid is left out and counted as refused.
    mutating func carry(_ fact: Fact) {
        if case .paperStamped(let event) = fact.event, let refusal = refusal(of: event, at: fact.time) {
            return refused[Refusal(kind: .stamp, reason: refusal == .cardLimitReached ? .paperFull : .tooOften), default: 0] += 1
        }
        _ = state.apply(fact)
    }

    private func refusal(of event: PaperStamped, at now: Instant) -> Rejection? {
        guard let campaign = state.campaign(event.campaign), let code = state.unusedCode(event.code) else { return nil }
        return campaign.refusal(of: code.stamps, onto: state.paper(event.paper.id) ?? Paper(event.paper), at: now)
    }

    /// - Parameter recorded: recorded history before the events of the intention.
    mutating func follow(_ intention: Intention, recorded: RunState) {
        decided += 1
        position = intention.facts[0].position
        switch intention.command {
        case .issueCode(let command): run(.issueCode(issued(command, intention)), intention)
        case .discardCard(let command): discard(command, intention, recorded)
        case .adjustCard(let command): adjust(command, intention, recorded)
        case .requestRedemption(let command): request(command, intention)
        case .redeem: redeem(intention, recorded)
        case .reverseRedemption(let command): reverse(command, intention, recorded)
        default: run(intention.command, intention)
        }
    }
}

// MARK: Intentions, adapted to the changed state

extension ChangedHistory {
    private mutating func issued(_ command: IssueCode, _ intention: Intention) -> IssueCode {
        guard isInForce, rules.covers(command.campaign, of: intention.home) else { return command }
        let weekday = rules.weekdays.isEmpty ? .monday : clock.weekday(intention.at, at: intention.shop)
        let stamps = rules.weekdays.isEmpty && rules.codeWorth == nil ? command.stamps : rules.worth(command.stamps, on: weekday)
        return IssueCode(
            code: command.code, campaign: command.campaign, secret: command.secret, attempt: command.attempt, stamps: stamps,
            validFor: rules.codeValidSeconds ?? command.validFor, shop: command.shop)
    }

    /// The recorded card if it has the recorded state here; otherwise the holder's oldest card of the campaign in that state.
    private func counterpart(of card: CardID, _ recorded: RunState, at now: Instant) -> CardID? {
        guard let there = recorded.card(card) else { return nil }
        if let same = state.card(card), same.status == there.status { return card }
        guard there.status == .collecting || there.status == .full else { return nil }
        return state.oldestCard(of: there.holder, in: there.campaign, there.status, at: now)
    }

    private mutating func discard(_ command: DiscardCard, _ intention: Intention, _ recorded: RunState) {
        guard let card = counterpart(of: command.card, recorded, at: intention.at) else { return refuse(intention, .noSuchCard) }
        run(.discardCard(DiscardCard(card: card)), intention)
    }

    private mutating func adjust(_ command: AdjustCard, _ intention: Intention, _ recorded: RunState) {
        guard let card = counterpart(of: command.card, recorded, at: intention.at) else { return refuse(intention, .noSuchCard) }
        let again = AdjustCard(card: card, expected: .any, stamps: command.stamps, reason: command.reason)
        run(.adjustCard(again), intention)
    }

    /// Falls back to the holder's oldest full card.
    private mutating func request(_ command: RequestRedemption, _ intention: Intention) {
        if let milestone = command.milestone { return request(milestone, command, intention) }
        var card = command.card
        if state.card(card)?.status != .full {
            guard let other = state.oldestCard(of: intention.actor, in: intention.campaign, .full, at: intention.at) else {
                return refuse(intention, isRedeemedWhenFull(intention) ? .redeemedBefore : .notFull)
            }
            card = other
        }
        let again = RequestRedemption(redemption: command.redemption, card: card, secret: command.secret, attempt: command.attempt)
        run(.requestRedemption(again), intention)
    }

    /// Falls back to the holder's oldest card that has reached the milestone.
    private mutating func request(_ milestone: Int, _ command: RequestRedemption, _ intention: Intention) {
        var card = command.card
        if state.card(card)?.isOpen(milestone: milestone, at: intention.at) != true {
            let other = state.oldestCard(of: intention.actor, in: intention.campaign, reaching: milestone, at: intention.at)
            guard let other else { return refuse(intention, .notReached) }
            card = other
        }
        let again = RequestRedemption(
            redemption: command.redemption, card: card, milestone: milestone, secret: command.secret, attempt: command.attempt)
        run(.requestRedemption(again), intention)
    }

    /// After a card's reward, redeems further full cards until no more are left unredeemed than in history.
    private mutating func redeem(_ intention: Intention, _ recorded: RunState) {
        if case .milestoneRedeemed(let event) = intention.facts[0].event {
            guard state.knownRedemption(event.redemption) != nil else { return refuse(intention, .notRequested) }
            run(intention.command, intention)
            return
        }
        guard case .cardRedeemed(let event) = intention.facts[0].event else { return }
        guard state.knownRedemption(event.redemption) != nil else {
            return refuse(intention, isRedeemedWhenFull(intention) ? .redeemedBefore : .notRequested)
        }
        guard run(intention.command, intention) else { return }
        let left = recorded.fullCount(of: event.holder, in: event.campaign) - 1
        while state.fullCount(of: event.holder, in: event.campaign) > max(0, left) {
            guard let card = state.oldestCard(of: event.holder, in: event.campaign, .full, at: intention.at),
                redeemNow(card, holder: event.holder, at: [Counter(shop: event.shop, staff: intention.actor)], intention)
            else { return }
        }
    }

    /// Falls back to the same card's newest redemption, except for a milestone.
    private mutating func reverse(_ command: ReverseRedemption, _ intention: Intention, _ recorded: RunState) {
        var redemption = command.redemption
        if state.knownRedemption(redemption)?.isRedeemed != true {
            let known = recorded.knownRedemption(redemption)
            guard known?.milestone == nil else { return refuse(intention, .notRedeemed) }
            let card = known.flatMap { state.card($0.card) }
            guard let card, card.status == .redeemed, let other = card.newestRedemption else { return refuse(intention, .notRedeemed) }
            redemption = other
        }
        run(.reverseRedemption(ReverseRedemption(redemption: redemption, reason: command.reason)), intention)
    }

    private func isRedeemedWhenFull(_ intention: Intention) -> Bool {
        isInForce && rules.redemption == .whenFull && rules.covers(intention.campaign, of: intention.home)
    }
}

// MARK: Deciding

extension ChangedHistory {
    /// Applies the events of a decision. Returns whether the command was accepted.
    @discardableResult
    private mutating func run(_ command: Command, _ intention: Intention) -> Bool {
        switch command.decide(in: &state, by: intention.decider, at: intention.at) {
        case .success(let events):
            for event in events { apply(event, by: intention.actor, intention) }
            if isRedeemedWhenFull(intention) { redeemFilled(by: events, intention) }
            return true
        case .failure(let rejection):
            refuse(intention, reason(rejection, command, intention))
            return false
        }
    }

    private mutating func apply(_ event: LoyaltyEvent, by actor: AccountID, _ intention: Intention) {
        let fact = Fact(position: position, time: intention.at, actor: actor, event: event)
        position += 1
        observe?(fact)
        let tally = state.apply(fact)
        guard let holder = event.holder else { return }
        ledger.add(tally, holder: holder, campaign: intention.campaign, shop: event.shop ?? intention.shop, at: intention.at)
    }

    private mutating func redeemFilled(by events: [LoyaltyEvent], _ intention: Intention) {
        for event in events {
            switch event {
            case .cardOpened, .cardStamped, .cardAdjusted, .waitingCardTaken: break
            default: continue
            }
            guard let id = event.card, let card = state.card(id) else { continue }
            for milestone in card.terms.milestones where card.isOpen(milestone: milestone.at, at: intention.at) {
                redeemNow(id, milestone.at, holder: card.holder, at: counters(event, intention), intention)
            }
            if card.status == .full { redeemNow(id, holder: card.holder, at: counters(event, intention), intention) }
        }
    }

    /// A shop that may hand out a reward, and the account that acts there.
    private struct Counter {
        let shop: ShopID
        let staff: AccountID
    }

    /// The shop of the event and the campaign's own shop, because the former may have left the campaign.
    private func counters(_ event: LoyaltyEvent, _ intention: Intention) -> [Counter] {
        let place = event.shop ?? intention.shop
        let shops = event.home.map { [place, $0] } ?? [place]
        return shops.compactMap { id in state.shop(id).map { Counter(shop: id, staff: $0.owner) } }
    }

    /// Requests a redemption and hands out the reward at once, at the first shop that accepts. Returns whether both were accepted.
    @discardableResult
    private mutating func redeemNow(
        _ card: CardID, _ milestone: Int? = nil, holder: AccountID, at counters: [Counter], _ intention: Intention
    ) -> Bool {
        derived += 1
        let redemption = DerivedID.redemption(derived)
        let secret = Secret(redemption.value)
        let request = Command.requestRedemption(
            RequestRedemption(redemption: redemption, card: card, milestone: milestone, secret: secret, attempt: 0))
        guard carryOut(request, by: holder, intention) else { return false }
        for counter in counters {
            if carryOut(.redeem(Redeem(secret: secret, shop: counter.shop)), by: counter.staff, intention) { return true }
        }
        return false
    }

    /// Returns whether the command was accepted and gave events.
    private mutating func carryOut(_ command: Command, by actor: AccountID, _ intention: Intention) -> Bool {
        guard case .success(let events) = command.decide(in: &state, by: actor, at: intention.at), !events.isEmpty else { return false }
        for event in events { apply(event, by: actor, intention) }
        return true
    }

    private mutating func refuse(_ intention: Intention, _ reason: Refusal.Reason) {
        refused[Refusal(kind: intention.kind, reason: reason), default: 0] += 1
    }

    /// A decision deliberately rejects every kind of invalid code alike, so the kind is determined here.
    private func reason(_ rejection: Rejection, _ command: Command, _ intention: Intention) -> Refusal.Reason {
        switch (rejection, command) {
        case (.codeNotValid, .stamp(let command)):
            guard let code = state.code(secret: command.secret) else { return .codeNotIssued }
            return code.status(at: intention.at) == .expired ? .codeExpired : .other
        case (.notFound, .destroyCode): return .codeNotIssued
        case (.codeNotOpen, _): return .codeNotOpen
        case (.stampedTooOften, _), (.requestedTooOften, _): return .tooOften
        case (.cardLimitReached, _): return .limitReached
        case (.cardNotFull, _): return .notFull
        case (.milestoneNotOpen, _): return .notReached
        case (.redemptionNotValid, _): return .redemptionNotValid
        case (.notReversible, _), (.invalid, .reverseStamp): return .notReversible
        case (.invalid, .issueCode): return .aboveCap
        case (.invalid, .adjustCard): return .doesNotFit
        default: return .other
        }
    }
}
