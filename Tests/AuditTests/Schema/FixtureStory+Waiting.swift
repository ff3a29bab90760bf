import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history in which customers take over cards that shops stamped for their phone numbers before anybody registered with them:
    /// whole cards, and cards whose stamps fill the customers' own ones.
    static func waiting() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_129), shops: 1, customers: 3, joins: true)
        history.grow(to: 900)
        let kinds = Set(
            history.facts.compactMap { fact -> String? in
                guard case .waitingCardTaken(let event) = fact.event else { return nil }
                return event.from == nil ? "filled" : event.stamps == 0 ? "emptied" : event.moved > 0 ? "divided" : "whole"
            })
        if kinds.count < 4 { Issue.record("the story has only \(kinds.sorted())") }
        return history.facts
    }
}
