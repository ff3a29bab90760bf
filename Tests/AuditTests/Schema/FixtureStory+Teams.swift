import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history in which shops name their people, choose colors and logos, and offer work to numbers whose holders take the offers.
    static func teams() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_130), shops: 1, customers: 3, teams: true)
        history.grow(to: 900)
        let kinds = Set(
            history.facts.compactMap { fact -> String? in
                switch fact.event {
                case .staffLabeled(let event): event.label == "" ? "unnamed" : "named"
                case .waitingOfferTaken: "taken"
                case .shopEdited(let event): event.look.logo == nil ? "plain" : "logo"
                default: nil
                }
            })
        if !kinds.isSuperset(of: ["named", "taken", "logo"]) { Issue.record("the story has only \(kinds.sorted())") }
        return history.facts
    }
}
