internal import Audit
internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// Both courses of history side by side, in one walk through the log.
struct Rerun {
    /// Events that make or change what decisions about cards look at.
    static let eventTypes: Set<EventType> = groundTypes.union(cardTypes)
    private static let groundTypes: Set<EventType> = [
        .accountRegistered, .accountErased, .shopOpened, .shopEdited, .staffAdded, .staffRemoved, .staffJoined, .employmentEnded,
        .shopSuspended, .shopReinstated, .shopClosed, .campaignPublished, .campaignEdited, .campaignEnded,
    ]
    private static let cardTypes: Set<EventType> = [
        .codeIssued, .codeDestroyed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .redemptionRequested, .cardRedeemed,
        .redemptionReversed,
    ]

    let ground = Ground()
    private(set) var recorded: RecordedHistory
    var changed: ChangedHistory
    /// Events that no rule touches, taken as they are.
    private(set) var carried = 0
    private var reader = CommandReader()

    init(_ rules: ProgrammeRules, _ prices: Prices) {
        let ledger = Ledger(prices, rules)
        recorded = RecordedHistory(on: ground, ledger: ledger)
        changed = ChangedHistory(rules, on: ground, ledger: ledger)
    }

    /// Whether the event before was the last one of its command.
    var isBetweenCommands: Bool { reader.pending.isEmpty }

    /// From here on the changed rules hold, and figures count.
    mutating func begin() {
        changed.begin()
        recorded.open()
    }

    /// Takes the next event of the log.
    ///
    /// - Throws: where an event speaks of a card that was never opened.
    mutating func take(_ fact: Fact) throws(AuditError) {
        if Self.isAboutCards(fact.event) {
            try takeCardEvent(fact)
        } else {
            try finish()
            carried += 1
            ground.take(fact)
        }
    }

    /// Judges what is left of a command that was cut short.
    mutating func finish() throws(AuditError) {
        guard !isBetweenCommands else { return }
        try takeBroken(reader.taken())
    }

    private mutating func takeCardEvent(_ fact: Fact) throws(AuditError) {
        var worth: Int?
        if case .cardStamped(let event) = fact.event { worth = recorded.course.unusedCode(event.code)?.stamps }
        switch reader.next(fact, worth: worth) {
        case .unfinished: break
        case .command(let facts): try judge(facts)
        case .broken(let facts):
            try takeBroken(facts)
            try takeCardEvent(fact)
        }
    }

    private mutating func judge(_ facts: [Fact]) throws(AuditError) {
        guard let intention = Intention(facts, in: recorded.course) else { return }
        changed.follow(intention, recorded: recorded.course)
        try recorded.check(intention)
    }

    private mutating func takeBroken(_ facts: [Fact]) throws(AuditError) {
        recorded.noteBroken(facts)
        try judge(facts)
    }

    private static func isAboutCards(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .codeIssued, .codeDestroyed: true
        default: event.card != nil
        }
    }
}
