internal import Audit
internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import PastStates

/// Two runs of history in one walk through the log, under the recorded and under the changed rules.
struct Rerun {
    static let eventTypes: Set<EventType> = groundTypes.union(cardTypes)
    private static let groundTypes = Set(shopTypes + Campaign.eventTypes).union([.accountRegistered, .accountErased, .paperCardsPrinted])
    /// The types of events about a shop.
    static let shopTypes = PastTypes.ofShop
    private static let cardTypes: Set<EventType> = [
        .codeIssued, .codeDestroyed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed,
        .redemptionRequested, .cardRedeemed,
        .redemptionReversed, .cardExpired, .cardReminded, .paperStamped, .paperCardTaken, .paperStampReversed, .milestoneRequested,
        .milestoneRedeemed, .milestoneReversed, .waitingCardTaken,
    ]

    let shared: SharedState
    private(set) var recorded: RecordedHistory
    var changed: ChangedHistory
    /// Events without a new decision, even stamps on paper cards that the changed rules leave out.
    private(set) var carried = 0
    private var reader = CommandReader()

    /// - Parameter knowsEveryone: see ``SharedState/knowsEveryone``.
    init(_ rules: ProgrammeRules, _ prices: Prices, knowsEveryone: Bool = false) {
        shared = SharedState(knowsEveryone: knowsEveryone)
        let ledger = Ledger(prices, rules)
        recorded = RecordedHistory(on: shared, ledger: ledger)
        changed = ChangedHistory(rules, on: shared, ledger: ledger)
    }

    /// Whether the previous event was the last of its command.
    var isBetweenCommands: Bool { reader.pending.isEmpty }

    /// Applies the changed rules, and records figures, from the next event on.
    mutating func begin() {
        changed.begin()
        recorded.open()
    }

    /// - Throws: if an event does not fit the card's earlier events, for example because the card was never opened.
    mutating func apply(_ fact: Fact) throws(AuditError) {
        if case .cardReminded = fact.event {
            // Programme rules do not affect reminders.
            try finish()
            carried += 1
            try recorded.carry(fact)
        } else if Self.isAboutCards(fact.event) {
            try takeCardEvent(fact)
        } else {
            try finish()
            carried += 1
            shared.apply(fact)
            if fact.event.paper != nil {
                try recorded.carry(fact)
                changed.carry(fact)
            }
        }
    }

    /// Handles the events of an incomplete command.
    mutating func finish() throws(AuditError) {
        guard !isBetweenCommands else { return }
        try takeBroken(reader.taken())
    }

    private mutating func takeCardEvent(_ fact: Fact) throws(AuditError) {
        let worth: Int? =
            switch fact.event {
            case .cardStamped(let event): recorded.state.unusedCode(event.code)?.stamps
            case .stampReversed(let event): recorded.state.stampsLeft(of: event.code).map { $0 - event.left }
            default: nil
            }
        if let holder = fact.event.holder, holder != fact.actor, Self.givesStamps(fact.event) { shared.wait(for: holder) }
        if case .waitingCardTaken(let event) = fact.event, let from = event.from { shared.leave(from) }
        switch reader.next(fact, worth: worth) {
        case .unfinished: break
        case .command(let facts): try judge(facts)
        case .broken(let facts):
            try takeBroken(facts)
            try takeCardEvent(fact)
        }
    }

    private mutating func judge(_ facts: [Fact]) throws(AuditError) {
        guard let intention = Intention(facts, in: recorded.state) else { return }
        changed.follow(intention, recorded: recorded.state)
        try recorded.check(intention)
    }

    private mutating func takeBroken(_ facts: [Fact]) throws(AuditError) {
        recorded.noteBroken(facts)
        try judge(facts)
    }

    private static func givesStamps(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .cardOpened, .cardStamped: true
        default: false
        }
    }

    private static func isAboutCards(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .codeIssued, .codeDestroyed, .paperCardTaken: true
        default: event.card != nil
        }
    }
}

/// The recorded history with each command decided again, to check that a re-run behaves like the service.
struct RecordedHistory {
    private(set) var state: RunState
    private(set) var ledger: Ledger
    private(set) var equal = 0
    /// Commands with another decision or with incomplete recorded events.
    private(set) var different = 0
    /// Those of ``different`` that the rules refuse.
    private(set) var refused = 0
    private(set) var firstDifference: SelfCheck.Difference?
    private(set) var cards = FoldedCards()

    init(on shared: SharedState, ledger: Ledger) {
        state = RunState(on: shared)
        self.ledger = ledger
    }

    mutating func open() { ledger.isOpen = true }

    /// - Parameter replayDigest: of a replay without decisions; nil if there was none.
    func check(replayDigest: String? = nil) -> SelfCheck {
        let digest = cards.digest.hex
        return SelfCheck(
            equal: equal, different: different, refused: refused, firstDifference: firstDifference, digest: digest,
            replayDigest: replayDigest ?? digest)
    }

    /// Decides a command, compares the result with the recorded events, and applies these.
    ///
    /// - Throws: if an event does not fit the card's earlier events, for example because the card was never opened.
    mutating func check(_ intention: Intention) throws(AuditError) {
        let recorded = intention.facts.map(\.event)
        let outcome = intention.command.decide(in: &state, by: intention.decider, at: intention.at)
        if case .success(let events) = outcome, events == recorded { equal += 1 } else { note(outcome, intention) }
        for fact in intention.facts { try apply(fact, intention) }
    }

    /// Applies a reminder or an event of a paper card, which is not decided again.
    mutating func carry(_ fact: Fact) throws(AuditError) {
        if fact.event.paper != nil { _ = state.apply(fact) } else { try cards.apply(fact) }
    }

    /// No command could have caused the events of an incomplete command alone.
    mutating func noteBroken(_ facts: [Fact]) {
        different += 1
        guard firstDifference == nil, let first = facts.first else { return }
        firstDifference = SelfCheck.Difference(position: first.position, detail: "the events of the command that begins here are cut short")
    }

    private mutating func apply(_ fact: Fact, _ intention: Intention) throws(AuditError) {
        try cards.apply(fact)
        let tally = state.apply(fact)
        guard let holder = fact.event.holder else { return }
        ledger.add(tally, holder: holder, campaign: intention.campaign, shop: fact.event.shop ?? intention.shop, at: fact.time)
    }

    private mutating func note(_ outcome: Result<[LoyaltyEvent], Rejection>, _ intention: Intention) {
        different += 1
        let decided: String
        switch outcome {
        case .success(let events): decided = "the decision makes \(events.count) other events"
        case .failure(let rejection):
            refused += 1
            decided = "the decision refuses it: \(rejection)"
        }
        guard firstDifference == nil else { return }
        firstDifference = SelfCheck.Difference(position: intention.facts[0].position, detail: "\(intention.kind.rawValue): \(decided)")
    }
}
