import Loyalty

/// What the read models must answer, worked out from the facts in the plainest way: whole scans, no rows, no order but the log's.
struct Oracle {
    let facts: [Fact]

    init(_ facts: some Sequence<Fact>) {
        self.facts = Array(facts)
    }

    var cards: [CardID: Card] {
        var cards: [CardID: Card] = [:]
        for fact in facts {
            guard let id = fact.event.card else { continue }
            if let card = Card(opening: fact) { cards[id] = card } else { cards[id]?.evolve(fact) }
        }
        return cards
    }

    func cards(of account: AccountID, _ statuses: Set<CardStatus> = Set(CardStatus.allCases)) -> [Card] {
        cards.values.filter { $0.holder == account && statuses.contains($0.status) }
            .sorted { $0.history[0].position > $1.history[0].position }
    }

    /// Each account's latest rating of a shop.
    func ratings(of shop: ShopID) -> [AccountID: Int] {
        var ratings: [AccountID: Int] = [:]
        for fact in facts {
            guard case .reviewPosted(let event) = fact.event, event.shop == shop, let rating = event.rating else { continue }
            ratings[event.author] = rating
        }
        return ratings
    }

    /// Everybody who ever opened a card at a shop.
    func holders(of shop: ShopID) -> Set<AccountID> {
        Set(
            facts.compactMap {
                guard case .cardOpened(let event) = $0.event, event.shop == shop else { return nil }
                return event.holder
            })
    }

    /// Reviews of a shop, newest first.
    func reviews(of shop: ShopID) -> [(fact: Fact, event: ReviewPosted)] {
        facts.reversed().compactMap {
            guard case .reviewPosted(let event) = $0.event, event.shop == shop else { return nil }
            return ($0, event)
        }
    }

    /// Answers to a review or a reply, oldest first.
    func replies(to parent: ReviewID) -> [(fact: Fact, event: ReplyPosted)] {
        facts.compactMap {
            guard case .replyPosted(let event) = $0.event, event.parent == parent else { return nil }
            return ($0, event)
        }
    }
}
