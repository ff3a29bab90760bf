import Foundation

/// Signs people in and opens shops over HTTP, as their apps would.
struct Townsfolk: Sendable {
    let caller: Caller
    /// A prefix of phone numbers, so that a second run creates new people.
    let prefix: Int
    /// Nil if answers contain them.
    let codes: SignInCodes?

    /// A number in the only large plan that has room for this many digits.
    ///
    /// - Parameter number: below 1,000,000.
    func phone(_ number: Int) -> String { "+49\(prefix)\(String(format: "%06d", number))" }

    func signIn(_ phone: String) async throws -> String {
        let sent: VerificationBody = try await expect(202, Ask(.post, "/v1/verifications", body: #"{"phone":"\#(phone)"}"#))
        let code = if let shown = sent.devCode { shown } else { try await codes?.code(for: phone) }
        guard let code else { throw LoadError.notInDevelopment }
        let session: SessionBody = try await expect(201, Ask(.post, "/v1/sessions", body: #"{"phone":"\#(phone)","code":"\#(code)"}"#))
        return session.accessToken
    }

    /// With a campaign and paper cards.
    ///
    /// - Parameter hasBranch: whether a second shop shares the campaign.
    func openShop(_ number: Int, hasBranch: Bool = false) async throws -> TownShop {
        let owner = try await signIn(phone(number))
        let (latitude, longitude) = (31 + Double(number % 100) / 100, 121 + Double(number / 100 % 100) / 100)
        let shop = try await open("\(number)", (latitude, longitude), owner)
        var places = [shop.id]
        if hasBranch { places.append(try await open("\(number)-2", (latitude, longitude + Limits.branchDegrees), owner).id) }
        let goal = 5 + number % 6
        let (start, end) = (Date().addingTimeInterval(-86_400), Date().addingTimeInterval(365 * 86_400))
        let campaign: ThingBody = try await expect(
            201,
            Ask(
                .post, "/v1/shops/\(shop.id)/campaigns", route: "POST /v1/shops/{id}/campaigns", token: owner,
                key: "campaign-\(prefix)-\(number)",
                body: """
                    {"kind":"stampCard","title":"\(goal) cups, the next is free","details":"Any drink counts.","goal":\(goal),\
                    "reward":"One free drink","startsAt":"\(start.ISO8601Format())","endsAt":"\(end.ISO8601Format())"\
                    \(places.count > 1 ? #","shops":["\#(places[1])"]"# : "")}
                    """))
        let printed = try await printPapers("\(prefix)-\(number)", of: campaign, at: shop, owner)
        return TownShop(
            id: shop.id, owner: owner, campaign: campaign.id, goal: goal, latitude: latitude, longitude: longitude, places: places,
            papers: printed.codes, paperRefusal: printed.refusal)
    }

    private func open(_ name: String, _ place: (latitude: Double, longitude: Double), _ owner: String) async throws -> ThingBody {
        try await expect(
            201,
            Ask(
                .post, "/v1/shops", token: owner, key: "shop-\(prefix)-\(name)",
                body: """
                    {"name":"奶茶店 \(name)","phone":"+86101000000","address":"南京东路 \(name) 号",\
                    "location":{"latitude":\(place.latitude),"longitude":\(place.longitude)}}
                    """))
    }

    /// The printed codes, or the reason of a server that prints none, without `--dev` and `--public-url`.
    private func printPapers(
        _ key: String, of campaign: ThingBody, at shop: ThingBody, _ owner: String
    ) async throws -> (codes: [String], refusal: String?) {
        let ask = Ask(
            .post, "/v1/shops/\(shop.id)/paper-cards", route: "POST /v1/shops/{id}/paper-cards", token: owner,
            key: "papers-\(key)", body: #"{"campaign":"\#(campaign.id)","count":\#(Limits.papersPerShop)}"#)
        if codes != nil {
            let answer = try await caller.send(ask)
            guard answer.status != 403 || answer.problem != "forbidden" else { return ([], answer.problemDetail ?? "\(answer.status)") }
        }
        let printed: PrintBody = try await expect(201, ask)
        return (printed.cards.map(\.code), nil)
    }

    private func expect<Body: Decodable>(_ status: Int, _ ask: Ask) async throws -> Body {
        let answer = try await caller.send(ask)
        guard answer.status == status else {
            throw LoadError.unexpected(request: ask.route, status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
        }
        return try answer.read()
    }
}

/// A shop with one campaign, and its owner's token.
struct TownShop: Sendable {
    let id: String
    let owner: String
    let campaign: String
    let goal: Int
    let latitude: Double
    let longitude: Double
    /// The shops where cards are stamped and redeemed: the shop, then its branch.
    let places: [String]
    var papers: [String] = []
    /// Why the server printed none.
    var paperRefusal: String?

    func place(_ chance: inout Chance) -> String { places[Int(chance.next() % UInt64(places.count))] }

    /// The shop's JSON member; empty for an owner of one shop.
    func member(_ place: String) -> String { places.count > 1 ? #","shop":"\#(place)""# : "" }
}

/// A customer who collects stamps in one ``Lane``.
struct Customer: Sendable {
    /// For ratings.
    let number: Int
    let phone: String
    var token: String
    /// By the index of the shop.
    var books: [Int: CardBook] = [:]
    /// In the customer's account. One can be shown at the counter, like the code on a phone.
    var papers: [PaperLedger.Paper] = []
    /// The service limits reviews.
    var reviews = ReviewTimes()

    /// The shop with the most full cards, and one of them.
    var waitingReward: (shop: Int, card: CardBook.Card)? {
        let shops = books.filter { !$0.value.full.isEmpty }
        guard let most = shops.max(by: { ($0.value.full.count, $1.key) < ($1.value.full.count, $0.key) }) else { return nil }
        return (most.key, most.value.full[0])
    }
}

/// Reads the sign-in codes of a server with `--sms file:PATH`.
struct SignInCodes: Sendable {
    private struct Message: Decodable {
        let to: String
        let text: String
    }

    private let path: String

    init(_ path: String) { self.path = path }

    /// Waits for the newest code of a phone.
    ///
    /// - Throws: `LoadError.noCode` after ``Limits/codeSecondsMax``; errors of reading the file.
    func code(for phone: String) async throws -> String {
        let end = ContinuousClock.now + .seconds(Limits.codeSecondsMax)
        repeat {
            if let code = try newest(for: phone) { return code }
            try await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now < end
        throw LoadError.noCode(phone: phone, file: path)
    }

    private func newest(for phone: String) throws -> String? {
        let lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
        let number = Data(phone.utf8)
        // The server may be writing the last line, so undecodable lines are skipped.
        for line in lines.reversed() where line.range(of: number) != nil {
            guard let message = try? JSONDecoder().decode(Message.self, from: line), message.to == phone else { continue }
            return message.text.firstMatch(of: /[0-9]{6}/).map { String($0.output) }
        }
        return nil
    }
}
