import Loyalty
import LoyaltyCodec
import World

extension RandomHistory {
    /// A shop stamps a card for a person who never registers, sometimes for one for whom it did before, or a customer takes over all cards
    /// of such a person.
    mutating func join() {
        let waiting = world.cards.values.filter { world.accounts[$0.holder] == nil && !departed.contains($0.holder) }.sorted {
            $0.id < $1.id
        }
        let person = waiting.map(\.holder).randomElement(using: &joining)
        guard let person, Int.random(in: 0..<3, using: &joining) == 0 else {
            return wait(person.flatMap { Bool.random(using: &joining) ? $0 : nil })
        }
        let customer = customers.randomElement(using: &joining)!
        departed.insert(person)
        for card in waiting where card.holder == person { run(.takeWaitingCard(TakeWaitingCard(card: card.id)), by: customer) }
    }

    private mutating func wait(_ person: AccountID?) {
        func next() -> UInt128 { UUIDv7.make(at: now, random: (joining.next(), joining.next())) }
        let campaign = campaigns.randomElement(using: &joining)!
        let stamps = Int.random(in: 1...10, using: &joining)
        let issue = IssueCode(
            code: CodeID(next()), campaign: campaign, secret: Secret(next()), attempt: 0, stamps: stamps, validFor: 600)
        let give = GiveStamps(issue: issue, holder: person ?? AccountID(next()), isWaiting: true, firstCard: CardID(next()))
        run(.giveStamps(give), by: world.shops[world.campaigns[campaign]!.shop]!.owner)
    }
}
