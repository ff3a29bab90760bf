import CommandService
import Composition
import EventLog
import Loyalty
import Testing
import World

/// A random history by the pure rules: each command with its required outcome.
struct RandomHistory {
    /// One command and its only correct outcome.
    struct Moment {
        let step: Mischief.Step
        let facts: Result<[Fact], ServiceError>
        /// The cards that the facts touch, in their state at that time; empty for a step of the system.
        let cards: [Card]
        let position: UInt64
    }

    private(set) var moments: [Moment] = []
    /// The world after every `worldEvery` commands.
    private(set) var worlds: [World] = []
    private var pure = PureService()

    /// The world at the end.
    var world: World { pure.world }

    init(seed: UInt64, steps: Int, worldEvery: Int = .max) {
        var mischief = Mischief(seed: seed)
        for step in Mischief.beginning { perform(step) }
        for number in 1...steps {
            perform(mischief.next(in: pure.world))
            if number.isMultiple(of: worldEvery) { worlds.append(pure.world) }
        }
    }

    private mutating func perform(_ step: Mischief.Step) {
        let facts = pure.perform(step.command, by: step.actor, at: step.at)
        // The system's events are caused by time alone. They answer no request, so there are no cards to compare.
        let cards = step.actor == .system ? [] : pure.cards(touchedBy: (try? facts.get()) ?? [])
        moments.append(Moment(step: step, facts: facts, cards: cards, position: pure.world.position))
    }
}

extension RandomHistory.Moment {
    /// Checks that the outcome equals the expected one exactly.
    func expect(_ came: Result<Acceptance, ServiceError>, _ context: String) throws {
        let what: Comment = "\(context): \(step.command) by \(step.actor)"
        switch (came, facts) {
        case (.success(let acceptance), .success(let facts)):
            try #require(acceptance.facts == facts, what)
            try #require(acceptance.position.rawValue == position, what)
            try #require(acceptance.cards == cards, what)
            try #require(!acceptance.isReplay, what)
        case (.failure(let came), .failure(let expected)): try #require(came == expected, what)
        default: throw TestFailure("came \(came), expected \(facts): \(context): \(step.command) by \(step.actor)")
        }
    }
}
