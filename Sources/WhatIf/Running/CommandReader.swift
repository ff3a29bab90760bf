internal import Loyalty

/// Puts the events of one command together again: a stamp code may fill several cards, with events for each.
///
/// All other commands about cards make one event.
struct CommandReader {
    private(set) var pending: [Fact] = []
    private var code: CodeID?
    private var given = 0

    /// What an event does to the command that is being read.
    enum Step {
        /// The command goes on.
        case unfinished
        /// It ends here; these are its events.
        case command([Fact])
        /// The events of a stamp that do not come to what its code is worth: something else stands in between. Then the event has
        /// to be given once more.
        case broken([Fact])
    }

    /// Takes the next event about cards.
    ///
    /// - Parameter worth: what the event's code is worth; nil where it has none or an unknown one.
    mutating func next(_ fact: Fact, worth: Int?) -> Step {
        switch fact.event {
        case .cardOpened where goesOn(fact):
            pending.append(fact)
            return .unfinished
        case .cardStamped(let event) where goesOn(fact) && (code ?? event.code) == event.code:
            pending.append(fact)
            code = event.code
            given += event.stamps
            return given < worth ?? 0 ? .unfinished : .command(taken())
        default:
            return pending.isEmpty ? .command([fact]) : .broken(taken())
        }
    }

    /// What was read of a command that has not come to its end.
    mutating func taken() -> [Fact] {
        let facts = pending
        pending = []
        (code, given) = (nil, 0)
        return facts
    }

    private func goesOn(_ fact: Fact) -> Bool {
        guard let first = pending.first else { return true }
        return fact.actor == first.actor && fact.time == first.time
    }
}
