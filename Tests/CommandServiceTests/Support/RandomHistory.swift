import CommandService
import EventLog
import Loyalty
import Testing

/// A random history as the pure rules have it: each command with what must come of it.
struct RandomHistory {
    /// One command and its only right outcome.
    struct Moment {
        let step: Mischief.Step
        let facts: Result<[Fact], ServiceError>
        /// The cards that the facts touch, as they stand then.
        let cards: [Card]
        let position: UInt64
    }

    private(set) var moments: [Moment] = []
    /// The world after a number of commands, again and again, where it was asked for.
    private(set) var worlds: [World] = []
    private var pure = PureService()

    /// The world after everything.
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
        let cards = pure.cards(touchedBy: (try? facts.get()) ?? [])
        moments.append(Moment(step: step, facts: facts, cards: cards, position: pure.world.position))
    }
}

extension RandomHistory.Moment {
    /// The outcome that came is the right one, to the last bit.
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
