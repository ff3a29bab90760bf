internal import Audit
internal import Loyalty

/// History as it was recorded, decided again event by event: the check that a re-run is the service's own doing.
struct RecordedHistory {
    private(set) var course: Course
    private(set) var ledger: Ledger
    /// Commands whose decision was the recorded one.
    private(set) var equal = 0
    /// Commands whose decision was another.
    private(set) var different = 0
    /// The first of these.
    private(set) var firstDifference: SelfCheck.Difference?
    /// Card progress as the decisions make it.
    private(set) var cards = FoldedCards()

    init(on ground: Ground, ledger: Ledger) {
        course = Course(on: ground)
        self.ledger = ledger
    }

    /// From here on figures count.
    mutating func open() {
        ledger.isOpen = true
    }

    /// Decides, compares, and goes on from what was recorded.
    ///
    /// - Throws: where an event speaks of a card that was never opened.
    mutating func check(_ intention: Intention) throws(AuditError) {
        let recorded = intention.facts.map(\.event)
        let outcome = intention.command.decide(in: &course, by: intention.actor, at: intention.at)
        if case .success(let events) = outcome, events == recorded { equal += 1 } else { note(outcome, intention) }
        for fact in intention.facts { try take(fact, intention) }
    }

    /// Events that no command could have made.
    mutating func noteBroken(_ facts: [Fact]) {
        different += 1
        guard firstDifference == nil, let first = facts.first else { return }
        firstDifference = SelfCheck.Difference(position: first.position, detail: "the events of the command that begins here are cut short")
    }

    private mutating func take(_ fact: Fact, _ intention: Intention) throws(AuditError) {
        try cards.apply(fact)
        guard let tally = course.take(fact), let holder = fact.event.holder else { return }
        ledger.add(tally, holder: holder, campaign: intention.campaign, shop: intention.shop, at: fact.time)
    }

    private mutating func note(_ outcome: Result<[LoyaltyEvent], Rejection>, _ intention: Intention) {
        different += 1
        guard firstDifference == nil else { return }
        let decided =
            switch outcome {
            case .success(let events): "the decision makes \(events.count) other events"
            case .failure(let rejection): "the decision refuses it: \(rejection)"
            }
        firstDifference = SelfCheck.Difference(position: intention.facts[0].position, detail: "\(intention.kind.rawValue): \(decided)")
    }
}
