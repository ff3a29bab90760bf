import Foundation

/// Signs people in and opens shops over HTTP, as their apps would.
struct Townsfolk: Sendable {
    let caller: Caller
    /// The prefix of this run's phone numbers, so that a second run on the same data creates new people.
    let prefix: Int
    /// The source of sign-in codes; nil if answers contain them.
    let codes: SignInCodes?

    /// The phone number of a person, in the only large plan that has room for this many digits.
    ///
    /// - Parameter number: below 1,000,000.
    func phone(_ number: Int) -> String { "+49\(prefix)\(String(format: "%06d", number))" }

    func signIn(_ phone: String) async throws -> String {
        let sent: VerificationBody = try await expect(
            202, Ask(method: .post, route: "POST /v1/verifications", path: "/v1/verifications", body: #"{"phone":"\#(phone)"}"#))
        let code = if let shown = sent.devCode { shown } else { try await codes?.code(for: phone) }
        guard let code else { throw LoadError.notInDevelopment }
        let session: SessionBody = try await expect(
            201,
            Ask(method: .post, route: "POST /v1/sessions", path: "/v1/sessions", body: #"{"phone":"\#(phone)","code":"\#(code)"}"#))
        return session.accessToken
    }

    /// Opens a shop with a campaign, and prints paper cards for it.
    ///
    /// - Parameter hasBranch: whether the owner opens a second shop, which shares the campaign.
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
                method: .post, route: "POST /v1/shops/{id}/campaigns", path: "/v1/shops/\(shop.id)/campaigns", token: owner,
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
                method: .post, route: "POST /v1/shops", path: "/v1/shops", token: owner, key: "shop-\(prefix)-\(name)",
                body: """
                    {"name":"奶茶店 \(name)","phone":"+86101000000","address":"南京东路 \(name) 号",\
                    "location":{"latitude":\(place.latitude),"longitude":\(place.longitude)}}
                    """))
    }

    /// Prints a sheet of paper cards and returns their codes. A server with neither `--dev` nor `--public-url` prints none, and the reason
    /// that it gives is returned instead.
    private func printPapers(
        _ key: String, of campaign: ThingBody, at shop: ThingBody, _ owner: String
    ) async throws -> (codes: [String], refusal: String?) {
        let ask = Ask(
            method: .post, route: "POST /v1/shops/{id}/paper-cards", path: "/v1/shops/\(shop.id)/paper-cards", token: owner,
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
            throw LoadError.unexpected(
                request: ask.route, status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
        }
        return try answer.read()
    }
}

/// A shop with one campaign, and the token of its owner.
struct TownShop: Sendable {
    let id: String
    let owner: String
    let campaign: String
    let goal: Int
    let latitude: Double
    let longitude: Double
    /// The ids of the shops at which the campaign's cards are stamped and redeemed: the shop itself first, then its branch, if it has one.
    let places: [String]
    /// The codes of the paper cards that the shop printed; empty if the server prints none.
    var papers: [String] = []
    /// The reason why the server printed no paper cards; nil if it printed some.
    var paperRefusal: String?

    /// A random one of ``places``.
    func place(_ chance: inout Chance) -> String { places[Int(chance.next() % UInt64(places.count))] }

    /// The JSON member that names the shop in a request's body. It is empty for an owner of one shop, because such an owner need not name
    /// the shop.
    func member(_ place: String) -> String { places.count > 1 ? #","shop":"\#(place)""# : "" }
}

/// A customer who collects stamps. Each belongs to one ``Lane``.
struct Customer: Sendable {
    /// A number unique among customers, for ratings.
    let number: Int
    let phone: String
    var token: String
    /// The customer's expected cards, by the index of the shop.
    var books: [Int: CardBook] = [:]
    /// The paper cards that are in the customer's account. The customer can show one at the counter, like the code on a phone, to get
    /// stamps.
    var papers: [PaperLedger.Paper] = []
    /// The times of the customer's latest reviews, because the service accepts a limited number of reviews in ten minutes.
    var reviews = ReviewTimes()

    /// The shop with the most full cards of this customer, and one of these cards.
    var waitingReward: (shop: Int, card: CardBook.Card)? {
        let shops = books.filter { !$0.value.full.isEmpty }
        guard let most = shops.max(by: { ($0.value.full.count, $1.key) < ($1.value.full.count, $0.key) }) else { return nil }
        return (most.key, most.value.full[0])
    }
}

/// Reads the sign-in codes that a server without `--dev` writes to a file, as with `greentea serve --sms file:PATH`.
struct SignInCodes: Sendable {
    private struct Message: Decodable {
        let to: String
        let text: String
    }

    private let path: String

    init(_ path: String) { self.path = path }

    /// Waits for the newest code that was sent to a phone.
    ///
    /// - Throws: `LoadError.noCode` if none comes within ``Limits/codeSecondsMax``; errors of reading the file.
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
        // The server may be writing the last line, so a line that cannot be decoded is skipped.
        for line in lines.reversed() where line.range(of: number) != nil {
            guard let message = try? JSONDecoder().decode(Message.self, from: line), message.to == phone else { continue }
            return message.text.firstMatch(of: /[0-9]{6}/).map { String($0.output) }
        }
        return nil
    }
}
