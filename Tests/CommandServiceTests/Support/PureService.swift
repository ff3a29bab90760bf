import CommandService
import Composition
import Loyalty
import World

/// The service's required behaviour without disk, cache or index: the pure rules over a `World` in memory.
struct PureService {
    private(set) var world = World()

    /// Returns the events that a command must produce, with the positions that they must get, or the command's rejection.
    mutating func perform(_ command: Command, by actor: AccountID, at now: Instant) -> Result<[Fact], ServiceError> {
        switch command.decide(in: &world, by: actor, at: now) {
        case .failure(let rejection): return .failure(.rejected(rejection))
        case .success(let events):
            let facts = events.enumerated().map { number, event in
                Fact(position: world.position + UInt64(number) + 1, time: now, actor: actor, event: event)
            }
            for fact in facts { world.evolve(fact) }
            return .success(facts)
        }
    }

    /// Returns the current state of the cards that the facts touched, in the order of first touch. Leaves out other cards whose end was
    /// recorded along with the command.
    func cards(touchedBy facts: [Fact]) -> [Card] {
        var ids: [CardID] = []
        for fact in facts {
            if case .cardExpired = fact.event { continue }
            if let id = fact.event.card, !ids.contains(id) { ids.append(id) }
        }
        return ids.compactMap { world.cards[$0] }
    }
}
