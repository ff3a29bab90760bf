public import Loyalty
public import Seeds

extension [Fact] {
    /// The same facts at shops that stamp each other's cards, and that two accounts sell to each other. Positions are dense from 1.
    public func sold(random: SeededRandom) -> [Fact] {
        var (random, facts, shops) = (random, [Fact](), [ShopID]())
        let accounts = [AccountID(1), AccountID(2)]
        func add(_ event: LoyaltyEvent, like fact: Fact) {
            facts.append(Fact(position: UInt64(facts.count) + 1, time: fact.time, actor: fact.actor, event: event))
        }
        func sell(_ shop: ShopID, to account: AccountID, like fact: Fact) {
            let former = accounts[account == accounts[0] ? 1 : 0]
            let sale = ShopTransferred(invitation: InvitationID(1), shop: shop, account: account, formerOwner: former)
            add(.shopTransferred(sale), like: fact)
        }
        for fact in self {
            switch fact.event {
            case .cardStamped(let event) where event.home == nil && !shops.isEmpty:
                // A code stamps at one shop, however many cards.
                let place = shops[Int(event.code.value % UInt128(shops.count))]
                add(.cardStamped(event.home(event.shop, at: place)), like: fact)
            default: add(fact.event, like: fact)
            }
            if case .shopOpened(let event) = fact.event {
                shops.append(event.shop)
                sell(event.shop, to: accounts[0], like: fact)
            }
            if Int.random(in: 0..<60, using: &random) == 0, let shop = shops.randomElement(using: &random) {
                sell(shop, to: accounts[Int.random(in: 0...1, using: &random)], like: fact)
            }
        }
        return facts
    }
}

extension CardStamped {
    fileprivate func home(_ home: ShopID, at place: ShopID) -> CardStamped {
        CardStamped(
            card: card, code: code, campaign: campaign, shop: place, home: place == home ? nil : home, holder: holder, stamps: stamps)
    }
}
