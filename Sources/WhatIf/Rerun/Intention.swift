internal import Loyalty

/// The command behind recorded events, as far as it can be derived from them.
struct Intention {
    let command: Command
    let kind: Refusal.Kind
    let actor: AccountID
    /// The actor, or the customer to whom a shop gave stamps at its counter.
    let decider: AccountID
    let at: Instant
    let facts: [Fact]

    let campaign: CampaignID
    /// The shop at which the command was given.
    let shop: ShopID
    var home: ShopID { facts.last?.event.home ?? shop }

    /// Nil for events that do not result from a command about cards.
    ///
    /// - Parameter state: history as recorded, before these events.
    init?(_ facts: [Fact], in state: RunState) {
        guard let last = facts.last, let (command, kind) = Self.command(facts, last.event, in: state) else { return nil }
        guard let campaign = Self.campaign(of: last.event), let shop = last.event.shop else { return nil }
        (self.command, self.kind, self.campaign, self.shop) = (command, kind, campaign, shop)
        (actor, at, self.facts) = (last.actor, last.time, facts)
        decider = kind == .stamp ? last.event.holder ?? last.actor : last.actor
    }

    private static func command(_ facts: [Fact], _ event: LoyaltyEvent, in state: RunState) -> (Command, Refusal.Kind)? {
        if case .paperCardTaken(let taken) = facts.first(where: { !$0.event.isExpiry })?.event {
            return (.takePaper(take(taken, facts)), .stamp)
        }
        return switch event {
        case .codeIssued(let event): (.issueCode(IssueCode(again: event, at: facts[0].time)), .issue)
        case .codeDestroyed(let event): (.destroyCode(DestroyCode(code: event.code)), .destroy)
        case .cardOpened(let event) where event.goal == 0:
            (.claimCoupon(ClaimCoupon(campaign: event.campaign, card: event.card)), .claim)
        case .cardOpened, .cardStamped: (.stamp(stamp(facts, in: state)), .stamp)
        case .cardDiscarded(let event): (.discardCard(DiscardCard(card: event.card)), .discard)
        // The id is needed only for reminders, which are not decided again.
        case .cardExpired(let event): (.ageCard(AgeCard(card: event.card, notice: NoticeID(0))), .expire)
        case .cardAdjusted(let event):
            (.adjustCard(AdjustCard(card: event.card, expected: .any, stamps: event.stamps, reason: event.reason)), .adjust)
        case .waitingCardTaken(let event): (.takeWaitingCard(TakeWaitingCard(card: event.card)), .takeOver)
        case .stampReversed(let event):
            (.reverseStamp(ReverseStamp(code: event.code, stamps: part(event, facts), reason: event.reason)), .takeBack)
        case .redemptionRequested(let event):
            (
                .requestRedemption(
                    RequestRedemption(redemption: event.redemption, card: event.card, secret: event.secret, attempt: event.attempt)),
                .request
            )
        case .cardRedeemed(let event): redeem(event.redemption, at: event.shop, in: state)
        case .redemptionReversed(let event):
            (.reverseRedemption(ReverseRedemption(redemption: event.redemption, reason: event.reason)), .reverse)
        case .milestoneRequested(let event):
            (
                .requestRedemption(
                    RequestRedemption(
                        redemption: event.redemption, card: event.card, milestone: event.milestone, secret: event.secret,
                        attempt: event.attempt)), .request
            )
        case .milestoneRedeemed(let event): redeem(event.redemption, at: event.shop, in: state)
        case .milestoneReversed(let event):
            (.reverseRedemption(ReverseRedemption(redemption: event.redemption, reason: event.reason)), .reverse)
        default: nil
        }
    }

    /// The first new card has the recorded id, or one derived from the code.
    private static func stamp(_ facts: [Fact], in state: RunState) -> Stamp {
        var (code, first) = (CodeID(0), CardID?.none)
        for fact in facts {
            if case .cardStamped(let event) = fact.event { code = event.code }
            if case .cardOpened(let event) = fact.event { first = first ?? event.card }
        }
        return Stamp(
            secret: state.unusedCode(code)?.secret ?? Secret(code.value), campaign: nil, firstCard: first ?? DerivedID.card(for: code))
    }

    private static func take(_ taken: PaperCardTaken, _ facts: [Fact]) -> TakePaper {
        let opened = facts.lazy.compactMap { fact in if case .cardOpened(let event) = fact.event { event.card } else { nil } }
        return TakePaper(paper: taken.paper, firstCard: opened.first ?? DerivedID.card(for: CodeID(taken.paper.id.value)))
    }

    /// Nil if the command left nothing of the code.
    private static func part(_ event: StampReversed, _ facts: [Fact]) -> Int? {
        guard event.left > 0 else { return nil }
        return facts.reduce(0) { sum, fact in if case .stampReversed(let taken) = fact.event { sum + taken.stamps } else { sum } }
    }

    private static func redeem(_ redemption: RedemptionID, at shop: ShopID, in state: RunState) -> (Command, Refusal.Kind) {
        (.redeem(Redeem(secret: state.knownRedemption(redemption)?.secret ?? Secret(redemption.value), shop: shop)), .redeem)
    }

    private static func campaign(of event: LoyaltyEvent) -> CampaignID? {
        switch event {
        case .codeIssued(let event): event.campaign
        case .codeDestroyed(let event): event.campaign
        case .paperCardTaken(let event): event.campaign
        default: event.campaign
        }
    }
}

extension IssueCode {
    /// The event has the expiry time, the command the duration.
    fileprivate init(again event: CodeIssued, at time: Instant) {
        let (span, _) = event.expiresAt.microseconds.subtractingReportingOverflow(time.microseconds)
        self.init(
            code: event.code, campaign: event.campaign, secret: event.secret, attempt: event.attempt, stamps: event.stamps,
            validFor: Int(span / 1_000_000), shop: event.shop)
    }
}

/// Groups the events of each command about cards: a code's stamps on several cards, a taken paper card's codes, a reversal's cards, and the
/// expiries that a person's command records first.
///
/// A command that issues several codes, or that uses a code at once, is read as several commands.
struct CommandReader {
    private(set) var pending: [Fact] = []
    private var code: CodeID?
    private var given = 0
    /// Stamps on the paper card that the command takes; nil for other commands.
    private var taking: Int?

    /// The effect of an event on the command that is being read.
    enum Step {
        case unfinished
        /// The complete command's events.
        case command([Fact])
        /// An incomplete command's events. The caller must pass the new event again.
        case broken([Fact])
    }

    /// - Parameter worth: the worth of the event's code; nil without a known code.
    mutating func next(_ fact: Fact, worth: Int?) -> Step {
        switch fact.event {
        case .cardExpired where fact.actor != .system && goesOn(fact, takingBack: nil):
            pending.append(fact)
            return .unfinished
        case .paperCardTaken(let event) where isAboutToBegin && goesOn(fact, takingBack: nil):
            pending.append(fact)
            taking = event.stamps
            return event.stamps > 0 ? .unfinished : .command(taken())
        case .waitingCardTaken(let event) where event.from == nil && isAboutToBegin && goesOn(fact, takingBack: nil):
            pending.append(fact)
            return .unfinished
        case .waitingCardTaken(let event) where event.from != nil && isTakingOver && goesOn(fact, takingBack: false):
            return .command(taken() + [fact])
        case .cardStamped(let event) where taking != nil && goesOn(fact, takingBack: false):
            return add(event.worth, of: event.code, taking, fact)
        // A coupon (a goal of 0) is opened by a single event.
        case .cardOpened(let event) where event.goal > 0 && goesOn(fact, takingBack: false):
            pending.append(fact)
            return .unfinished
        // A shop discards a card only in a reversal.
        case .cardDiscarded(let event) where event.holder != fact.actor && goesOn(fact, takingBack: true):
            pending.append(fact)
            return .unfinished
        case .cardStamped(let event) where goesOn(fact, takingBack: false) && (code ?? event.code) == event.code:
            return add(event.worth, of: event.code, worth, fact)
        case .stampReversed(let event) where goesOn(fact, takingBack: true) && (code ?? event.code) == event.code:
            return add(event.stamps, of: event.code, worth, fact)
        default:
            guard isAboutToBegin else { return .broken(taken()) }
            // Only events that record the expiry of cards may come before another command.
            guard goesOn(fact, takingBack: nil) else { return .broken(taken()) }
            return .command(taken() + [fact])
        }
    }

    /// Whether the command's own events have not begun.
    private var isAboutToBegin: Bool { pending.allSatisfy(\.event.isExpiry) }

    /// Whether a waiting card may be taken over next.
    private var isTakingOver: Bool {
        pending.allSatisfy { fact in
            if case .waitingCardTaken = fact.event { true } else { fact.event.isExpiry }
        }
    }

    private mutating func add(_ stamps: Int, of code: CodeID, _ worth: Int?, _ fact: Fact) -> Step {
        pending.append(fact)
        self.code = code
        given += stamps
        return given < worth ?? 0 ? .unfinished : .command(taken())
    }

    mutating func taken() -> [Fact] {
        let facts = pending
        pending = []
        (code, given, taking) = (nil, 0, nil)
        return facts
    }

    /// - Parameter takingBack: whether the event is part of a reversal; nil if only expiries may come before the event.
    private func goesOn(_ fact: Fact, takingBack: Bool?) -> Bool {
        guard let earliest = pending.first else { return true }
        guard fact.actor == earliest.actor, fact.time == earliest.time else { return false }
        guard let first = pending.first(where: { !$0.event.isExpiry }) else { return true }
        let isReversal =
            switch first.event {
            case .stampReversed, .cardDiscarded: true
            default: false
            }
        return isReversal == takingBack
    }
}

extension LoyaltyEvent {
    fileprivate var isExpiry: Bool { if case .cardExpired = self { true } else { false } }
}
