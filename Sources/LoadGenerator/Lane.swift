import Foundation

/// The work of one connection: sends its customers' requests in turn, and compares the answers with the expected state.
struct Lane: Sendable {
    let caller: Caller
    let folk: Townsfolk
    let shops: [TownShop]
    let ledgers: Ledgers
    var customers: [Customer]
    var chance: Chance

    /// Sends random requests (``Act``) until the end of the run.
    mutating func run(_ schedule: Schedule, until end: ContinuousClock.Instant) async throws {
        while true {
            try Task.checkCancellation()
            let due = schedule.next() ?? .now
            guard due < end, ContinuousClock.now < end else { return }
            if due > .now { try await Task.sleep(until: due, tolerance: .zero, clock: .continuous) }
            let act = Act(percentile: Int(chance.next() % 100))
            let customer = Int(chance.next() % UInt64(customers.count))
            try await play(act, customer, due)
        }
    }

    private mutating func play(_ act: Act, _ customer: Int, _ due: ContinuousClock.Instant) async throws {
        switch act {
        case .browse: try await browse(customer, due)
        case .readCard: try await readCard(customer, due)
        case .stamp: try await stamp(customer, due)
        case .issue: try await issue(due)
        case .paper: try await paper(customer, due)
        case .redeemOrReview:
            if let (shop, card) = customers[customer].waitingReward {
                try await redeem(card, at: shop, customer, due)
            } else {
                try await review(customer, due)
            }
        }
    }

    /// Signs in again if the token has expired.
    mutating func send(_ ask: Ask, as customer: Int, due: ContinuousClock.Instant = .now) async throws -> Answer {
        var ask = ask
        ask.token = customers[customer].token
        let answer = try await caller.send(ask, due: due)
        guard answer.status == 401 else { return answer }
        customers[customer].token = try await folk.signIn(customers[customer].phone)
        ask.token = customers[customer].token
        return try await caller.send(ask)
    }

    /// Nil, and a violation, for another status or a body that cannot be decoded.
    func content<Body: Decodable>(_ answer: Answer, _ status: Int, _ ask: Ask) -> Body? {
        guard answer.status == status, let body: Body = try? answer.read() else {
            ledgers.violations.report("\(ask.route) answered \(answer.status): \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
            return nil
        }
        return body
    }

    mutating func key() -> String { String(chance.next(), radix: 36) + String(chance.next(), radix: 36) }
}

extension Lane {
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
        let ask = Ask(.get, "/v1/campaigns/\(shop.campaign)", route: "GET /v1/campaigns/{id}")
        let campaign: ThingBody? = content(try await caller.send(ask, due: due), 200, ask)
        ledgers.violations.require(campaign?.id == shop.campaign, "a campaign's page is another's")
    }

    private func openShop(_ shop: TownShop, _ due: ContinuousClock.Instant) async throws {
        let ask = Ask(.get, "/v1/shops/\(shop.id)", route: "GET /v1/shops/{id}")
        guard let page: ShopBody = content(try await caller.send(ask, due: due), 200, ask) else { return }
        ledgers.violations.require(
            page.rating.histogram.reduce(0, +) == page.rating.count, "shop \(shop.id): histogram and count do not agree")
    }

    private func readReviews(of shop: TownShop, _ due: ContinuousClock.Instant) async throws {
        let ask = Ask(.get, "/v1/shops/\(shop.id)/reviews?limit=10", route: "GET /v1/shops/{id}/reviews")
        let page: PageBody<ThingBody>? = content(try await caller.send(ask, due: due), 200, ask)
        ledgers.violations.require((page?.items.count ?? 0) <= 10, "a page of ten has more")
    }

    /// The first shop found must be at most a metre away; the others within the radius, by distance.
    private func lookAround(_ shop: TownShop, _ due: ContinuousClock.Instant) async throws {
        let path = "/v1/shops?near=\(shop.latitude),\(shop.longitude)&radius=\(Limits.lookMeters)&limit=10"
        let ask = Ask(.get, path, route: "GET /v1/shops?near")
        guard let page: PageBody<FoundBody> = content(try await caller.send(ask, due: due), 200, ask) else { return }
        if let reason = NearbyRule.violation(of: page.items, within: Double(Limits.lookMeters)) { ledgers.violations.report(reason) }
    }

    /// Each of the generator's campaigns has the word in its title.
    private func search(_ due: ContinuousClock.Instant) async throws {
        let ask = Ask(.get, "/v1/campaigns?q=cups&limit=10", route: "GET /v1/campaigns?q")
        guard let page: PageBody<FoundBody> = content(try await caller.send(ask, due: due), 200, ask) else { return }
        ledgers.violations.require(!page.items.isEmpty, "nothing was found of what everything is called")
        ledgers.violations.require(page.items.count <= 10, "a page of ten has more")
    }

    /// Reads a card with its history, or the list of collecting and full cards.
    mutating func readCard(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let books = customers[customer].books.values
        let cards = books.flatMap(\.cards)
        guard !cards.isEmpty, chance.next() % 2 == 0 else { return try await readCards(customer, due) }
        let card = cards[Int(chance.next() % UInt64(cards.count))]
        let ask = Ask(.get, "/v1/cards/\(card.id)", route: "GET /v1/cards/{id}")
        guard let shown: CardBody = content(try await send(ask, as: customer, due: due), 200, ask) else { return }
        book(of: card.id, customer)?.check(shown, ledgers.violations)
    }

    private mutating func readCards(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let ask = Ask(.get, "/v1/me/cards?limit=100", route: "GET /v1/me/cards")
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

extension Lane {
    /// Issues a code for a customer who has paid; browses if too many codes wait.
    mutating func issue(_ due: ContinuousClock.Instant) async throws {
        guard ledgers.codes.waiting < Limits.codesWaitingMax else { return try await browse(0, due) }
        let index = Int(chance.next() % UInt64(shops.count))
        // Half of the customers pay for one cup, one in eight for a whole office.
        let stamps = [1, 1, 1, 1, 2, 2, 3, 10][Int(chance.next() % 8)]
        let place = shops[index].place(&chance)
        let ask = Ask(
            .post, "/v1/campaigns/\(shops[index].campaign)/codes", route: "POST /v1/campaigns/{id}/codes",
            token: shops[index].owner, key: key(), body: #"{"stamps":\#(stamps),"validFor":86400\#(shops[index].member(place))}"#)
        guard let code: CodeBody = content(try await caller.send(ask, due: due), 201, ask) else { return }
        ledgers.places.issued(at: place)
        ledgers.codes.issued(.init(code: code.code, campaign: index, place: place, stamps: stamps))
    }

    /// Enters a waiting stamp code, or issues one. Another customer may be entering the same code.
    mutating func stamp(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        guard let ticket = ledgers.codes.take(&chance) else { return try await issue(due) }
        let ask = Ask(.post, "/v1/stamps", key: key(), body: #"{"code":"\#(ticket.code)"}"#)
        let answer = try await send(ask, as: customer, due: due)
        guard answer.status == 201 else {
            ledgers.violations.require(
                answer.status == 422 && answer.problem == "codeNotValid", "a code that was used answered \(answer.status)")
            return ledgers.codes.entered(ticket, accepted: false)
        }
        ledgers.codes.entered(ticket, accepted: true)
        guard let stamped: StampBody = content(answer, 201, ask) else { return }
        add(ticket.stamps, stamped, at: ticket.campaign, customer)
        ledgers.places.stamped(ticket.stamps, at: ticket.place)
        if chance.next() % 8 == 0 { try await repeated(ask, answer, customer) }
    }

    /// Adds acknowledged stamps to the expected cards, and compares the answer with them.
    mutating func add(_ stamps: Int, _ answer: StampBody, at shop: Int, _ customer: Int) {
        customers[customer].books[shop, default: CardBook(goal: shops[shop].goal)].stamped(stamps, answer, ledgers.violations)
    }

    /// Repeats a request, as after a broken connection. The second answer must equal the first, byte for byte.
    mutating func repeated(_ ask: Ask, _ first: Answer, _ customer: Int) async throws {
        let second = try await send(ask, as: customer)
        ledgers.violations.require(second.status == first.status && second.body == first.body, "the same request again got another answer")
    }

    mutating func redeem(_ card: CardBook.Card, at shop: Int, _ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let asking = Ask(.post, "/v1/cards/\(card.id)/redemption", route: "POST /v1/cards/{id}/redemption", key: key())
        guard let code: CodeBody = content(try await send(asking, as: customer, due: due), 201, asking) else { return }
        let place = shops[shop].place(&chance)
        var redeeming = Ask(
            .post, "/v1/redemptions", token: shops[shop].owner, key: key(), body: #"{"code":"\#(code.code)"\#(shops[shop].member(place))}"#)
        let answer = try await caller.send(redeeming)
        ledgers.violations.require(answer.status == 201, "a redemption code of a full card answered \(answer.status)")
        guard answer.status == 201 else { return }
        customers[customer].books[shop]?.redeemed(card.id)
        ledgers.places.redeemed(at: place)
        guard chance.next() % 4 == 0 else { return }
        redeeming.key = key()
        let again = try await caller.send(redeeming)
        ledgers.violations.require(again.status == 422, "a redemption code worked twice: \(again.status)")
    }

    /// Reviews a shop; browses if the customer has used up the service's limit, so that a refusal is a violation.
    mutating func review(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        guard customers[customer].reviews.haveRoom(at: .now) else { return try await browse(customer, due) }
        let shop = Int(chance.next() % UInt64(shops.count))
        let stars = 1 + Int(chance.next() % 5)
        let ask = Ask(
            .post, "/v1/shops/\(shops[shop].id)/reviews", route: "POST /v1/shops/{id}/reviews", key: key(),
            body: #"{"rating":\#(stars),"text":"\#(stars) 颗星"}"#)
        let _: ThingBody? = content(try await send(ask, as: customer, due: due), 201, ask)
        customers[customer].reviews.add(at: .now)
        ledgers.ratings.rated(shop: shop, by: customers[customer].number, stars)
    }
}

/// The final checks, after all writes.
extension Lane {
    /// Compares at most `countMax` cards with the expected ones.
    mutating func checkCards(_ countMax: Int) async throws {
        var left = countMax
        for customer in customers.indices {
            for card in customers[customer].books.values.flatMap(\.cards) where left > 0 {
                left -= 1
                let ask = Ask(.get, "/v1/cards/\(card.id)", route: "check")
                guard let shown: CardBody = content(try await send(ask, as: customer), 200, ask) else { continue }
                book(of: card.id, customer)?.check(shown, ledgers.violations)
            }
        }
    }

    func checkRatings(of indices: [Int]) async throws {
        for index in indices {
            let ask = Ask(.get, "/v1/shops/\(shops[index].id)", route: "check")
            guard let page: ShopBody = content(try await caller.send(ask), 200, ask) else { continue }
            ledgers.ratings.check(page.rating, of: index, ledgers.violations)
        }
    }

    func checkStatistics(of indices: [Int]) async throws {
        let day = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        // From yesterday, because the run may have begun before midnight.
        let (from, to) = (Date().addingTimeInterval(-86_400).formatted(day), Date().addingTimeInterval(86_400).formatted(day))
        for shop in indices.map({ shops[$0] }) {
            for place in shop.places {
                let path = "/v1/shops/\(place)/statistics?timeZone=UTC&from=\(from)&to=\(to)"
                let ask = Ask(.get, path, route: "check", token: shop.owner)
                guard let shown: StatisticsBody = content(try await caller.send(ask), 200, ask) else { continue }
                ledgers.places.check(shown.totals, of: place, ledgers.violations)
            }
        }
    }

    var cards: Int { customers.reduce(0) { $0 + $1.books.values.reduce(0) { $0 + $1.cards.count } } }
}

/// A kind of request, and its frequency in percent.
enum Act: CaseIterable, Sendable {
    case browse
    case readCard
    case stamp
    case issue
    case paper
    case redeemOrReview

    var percent: Int {
        switch self {
        case .browse: 58
        case .readCard: 20
        case .stamp: 12
        case .issue: 6
        case .paper: 2
        case .redeemOrReview: 2
        }
    }

    /// Takes a random number from 0 to 99.
    init(percentile: Int) {
        var end = 0
        let act = Self.allCases.first { act in
            end += act.percent
            return percentile < end
        }
        self = act ?? .redeemOrReview
    }
}

/// SplitMix64: the same seed gives the same numbers.
struct Chance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
