import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history of a shop that is offered three times: the scheduler records the lapse of the first offer, the owner's next offer
    /// records that of the second, and the third is open at the end.
    static func lapses() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_128), shops: 1, customers: 3)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop) = (history.owners[0], history.shops[0])
        func offer(to account: AccountID) {
            let invitation = InvitationID(history.id())
            run(.offerTransfer(OfferTransfer(invitation: invitation, shop: shop, account: account)), by: owner)
        }
        offer(to: history.customers[0])
        history.pass(seconds: 7 * 86_400 + 1)
        run(.lapseTransfer(LapseTransfer(shop: shop)), by: .system)
        offer(to: history.customers[1])
        history.pass(seconds: 9 * 86_400)
        offer(to: history.customers[1])
        history.grow(to: 60)
        return history.facts
    }
}
