/// What changes nothing.
extension Lane {
    /// A campaign, a shop, what people say about it, what is nearby, or what has a word in it.
    mutating func browse(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let shop = shops[Int(chance.next() % UInt64(shops.count))]
        switch chance.next() % 5 {
        case 0: try await openCampaign(of: shop, due)
        case 1: try await openShop(shop, due)
        case 2: try await readReviews(of: shop, due)
        case 3: try await lookAround(shop, due)
        default: try await search(due)
        }
    }

    private func openCampaign(of shop: TownShop, _ due: ContinuousClock.Instant) async throws {
        let ask = Ask(method: .get, route: "GET /v1/campaigns/{id}", path: "/v1/campaigns/\(shop.campaign)")
        let campaign: ThingBody? = content(try await caller.send(ask, due: due), 200, ask)
        ledgers.violations.require(campaign?.id == shop.campaign, "a campaign's page is another's")
    }

    private func openShop(_ shop: TownShop, _ due: ContinuousClock.Instant) async throws {
        let ask = Ask(method: .get, route: "GET /v1/shops/{id}", path: "/v1/shops/\(shop.id)")
        guard let page: ShopBody = content(try await caller.send(ask, due: due), 200, ask) else { return }
        ledgers.violations.require(
            page.rating.histogram.reduce(0, +) == page.rating.count, "shop \(shop.id): histogram and count do not agree")
    }

    private func readReviews(of shop: TownShop, _ due: ContinuousClock.Instant) async throws {
        let ask = Ask(method: .get, route: "GET /v1/shops/{id}/reviews", path: "/v1/shops/\(shop.id)/reviews?limit=10")
        let page: PageBody<ThingBody>? = content(try await caller.send(ask, due: due), 200, ask)
        ledgers.violations.require((page?.items.count ?? 0) <= 10, "a page of ten has more")
    }

    /// What is around a shop: something stands right there, and nothing is out of order or out of reach.
    private func lookAround(_ shop: TownShop, _ due: ContinuousClock.Instant) async throws {
        let path = "/v1/shops?near=\(shop.latitude),\(shop.longitude)&radius=\(Limits.lookMeters)&limit=10"
        let ask = Ask(method: .get, route: "GET /v1/shops?near", path: path)
        guard let page: PageBody<FoundBody> = content(try await caller.send(ask, due: due), 200, ask) else { return }
        if let reason = NearbyRule.violation(of: page.items, within: Double(Limits.lookMeters)) { ledgers.violations.report(reason) }
    }

    /// What has a word in it that the title of each campaign of this town has.
    private func search(_ due: ContinuousClock.Instant) async throws {
        let ask = Ask(method: .get, route: "GET /v1/campaigns?q", path: "/v1/campaigns?q=cups&limit=10")
        guard let page: PageBody<FoundBody> = content(try await caller.send(ask, due: due), 200, ask) else { return }
        ledgers.violations.require(!page.items.isEmpty, "nothing was found of what everything is called")
        ledgers.violations.require(page.items.count <= 10, "a page of ten has more")
    }

    /// One card with its history, or all that are of use.
    mutating func readCard(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let books = customers[customer].books.values
        let cards = books.flatMap(\.cards)
        guard !cards.isEmpty, chance.next() % 2 == 0 else { return try await readCards(customer, due) }
        let card = cards[Int(chance.next() % UInt64(cards.count))]
        let ask = Ask(method: .get, route: "GET /v1/cards/{id}", path: "/v1/cards/\(card.id)")
        guard let shown: CardBody = content(try await send(ask, as: customer, due: due), 200, ask) else { return }
        book(of: card.id, customer)?.check(shown, ledgers.violations)
    }

    private mutating func readCards(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let ask = Ask(method: .get, route: "GET /v1/me/cards", path: "/v1/me/cards?limit=100")
        guard let page: PageBody<CardBody> = content(try await send(ask, as: customer, due: due), 200, ask) else { return }
        for card in page.items {
            guard let book = book(of: card.id, customer) else {
                ledgers.violations.report("card \(card.id) came from nowhere")
                continue
            }
            book.check(card, ledgers.violations)
        }
        let expected = customers[customer].books.values.flatMap(\.cards).count { ["collecting", "full"].contains($0.status) }
        ledgers.violations.require(
            page.items.count == min(expected, 100), "a customer sees \(page.items.count) cards in place of \(expected)")
    }

    func book(of card: String, _ customer: Int) -> CardBook? {
        customers[customer].books.values.first { $0.cards.contains { $0.id == card } }
    }
}
