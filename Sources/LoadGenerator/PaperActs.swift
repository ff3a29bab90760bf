/// Requests about paper cards: the counter stamps them, customers add and later show them.
extension Lane {
    /// One request about a paper card. Half of the time a customer shows an own one. Otherwise the counter stamps a card of nobody; in a
    /// quarter of these cases, or beyond the goal, the customer takes it. Browses if the pile is empty.
    mutating func paper(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        if let own = customers[customer].papers.last, chance.next() % 2 == 0 { return try await show(own, customer, due) }
        guard let paper = ledgers.papers.draw(&chance) else { return try await browse(customer, due) }
        let stamps = 1 + Int(chance.next() % 2)
        guard paper.stamps + stamps <= shops[paper.shop].goal, chance.next() % 4 > 0 else { return try await take(paper, customer, due) }
        try await put(stamps, onto: paper, due)
    }

    /// A card in nobody's account. Its later holder gets the stamps.
    private mutating func put(_ stamps: Int, onto paper: PaperLedger.Paper, _ due: ContinuousClock.Instant) async throws {
        let place = shops[paper.shop].place(&chance)
        let ask = stamping(paper, stamps, at: place)
        guard let given: GivenBody = content(try await caller.send(ask, due: due), 201, ask) else { return }
        var paper = paper
        paper.stamps += stamps
        paper.stampsByPlace[place, default: 0] += stamps
        ledgers.places.issued(at: place)
        let isRight = given.paper?.stamps == paper.stamps && given.paper?.goal == shops[paper.shop].goal && given.cards.isEmpty
        ledgers.violations.require(
            isRight && given.added == 0,
            "a paper with \(paper.stamps) stamps answered \(String(describing: given.paper)), \(given.added) added")
        ledgers.papers.stamped()
        ledgers.papers.putBack(paper)
    }

    /// The stamps go onto the customer's card.
    private mutating func show(_ paper: PaperLedger.Paper, _ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let stamps = 1 + Int(chance.next() % 3)
        let place = shops[paper.shop].place(&chance)
        let ask = stamping(paper, stamps, at: place)
        guard let given: StampBody = content(try await caller.send(ask, due: due), 201, ask) else { return }
        add(stamps, given, at: paper.shop, customer)
        ledgers.places.issued(at: place)
        ledgers.places.stamped(stamps, at: place)
        ledgers.papers.stamped()
    }

    private mutating func stamping(_ paper: PaperLedger.Paper, _ stamps: Int, at place: String) -> Ask {
        let shop = shops[paper.shop]
        return Ask(
            .post, "/v1/campaigns/\(shop.campaign)/stamps", route: "POST /v1/campaigns/{id}/stamps", token: shop.owner,
            key: key(), body: #"{"paper":"\#(paper.code)","stamps":\#(stamps)\#(shop.member(place))}"#)
    }

    /// The customer gets its stamps. Nobody can take it again.
    private mutating func take(_ paper: PaperLedger.Paper, _ customer: Int, _ due: ContinuousClock.Instant) async throws {
        var ask = Ask(.post, "/v1/me/paper-cards", key: key(), body: #"{"code":"\#(paper.code)"}"#)
        let answer = try await send(ask, as: customer, due: due)
        guard let taken: GivenBody = content(answer, 201, ask) else { return }
        ledgers.papers.taken()
        for (place, stamps) in paper.stampsByPlace { ledgers.places.stamped(stamps, at: place) }
        if let first = taken.cards.first, paper.stamps > 0 {
            add(paper.stamps, StampBody(card: first, cards: taken.cards, added: taken.added), at: paper.shop, customer)
        } else {
            let isBlank = paper.stamps == 0 && taken.cards.isEmpty && taken.added == 0
            ledgers.violations.require(isBlank, "a paper with \(paper.stamps) stamps gave \(taken.added), on \(taken.cards.count) cards")
        }
        customers[customer].papers.append(paper)
        switch chance.next() % 4 {
        case 0: try await repeated(ask, answer, customer)
        case 1:
            ask.key = key()
            let again = try await send(ask, as: Int(chance.next() % UInt64(customers.count)))
            ledgers.violations.require(
                again.status == 422 && again.problem == "paperNotValid", "a paper that was taken before answered \(again.status)")
        default: break
        }
    }
}
