import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// Routes of reviews and replies.
struct ReviewRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/shops/{id}/reviews", reviews), .post("/v1/shops/{id}/reviews", review),
            .post("/v1/reviews/{id}/replies", reply),
            // Replies to the removed post stay, below an item without a text; see `ReviewAnswer.isRemoved`.
            resources.act(.delete, "/v1/reviews/{id}") { [resources] in
                .removeReview(RemoveReview(review: try $0.id(), asOperator: try resources.isOperator($0.sender)))
            },
        ]
    }

    private func reviews(_ request: Request, _ context: APIContext) async throws -> Response {
        let shop = try context.id(Shop.self)
        let page = try resources.page(PageRequest(request), of: Self.listName(of: shop))
        // Open to anyone, so an invalid token is ignored. A valid one makes the answer wait for the account's last write.
        let viewer = try? await resources.gate.admitAnyone(request)?.account
        try await resources.awaitPosition(of: request, by: viewer, in: ShopRatings.name)
        let known = try resources.existing { try $0.shop(shop) }
        let found = try resources.service.models.ratings.reviews(of: shop, before: page.position, limit: page.limit)
        let isLong = found.threads.reduce(0) { $0 + $1.postCount } > Limits.itemsWithoutSlotMax
        return try await resources.withSearchSlot(context, if: isLong) {
            var authors = Authors(at: known, resources)
            let items = try found.threads.map { try answer($0, for: viewer, &authors) }
            return .ok(page.answer(items, next: found.next))
        }
    }

    static func listName(of shop: ShopID) -> String { "reviews of " + shop.text }

    private func review(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self)
        let body = try await request.json { (rating: $0.optionalInt("rating"), text: $0.optionalString("text")) }
        try Self.check(body.text)
        var canonical = CanonicalRequest("POST /v1/shops/reviews", shop)
        canonical.add(body.rating)
        canonical.add(body.text)
        let caller = write.caller(canonical)
        // Counted, because each adds an event and an item, even if its rating replaces another.
        let acceptance = try await resources.counted(.reviews, by: caller) {
            try await resources.service.postReview(of: shop, rating: body.rating, text: body.text, by: caller)
        }
        return try posted(acceptance)
    }

    private func reply(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let parent = try context.id(Review.self)
        let text = try await request.json { $0.string("text") }
        try Self.check(text)
        let caller = write.caller("POST /v1/reviews/replies", parent, text)
        // Counted, because a thread shows a limited number of replies.
        let acceptance = try await resources.counted(.replies, by: caller) {
            try await resources.service.postReply(to: parent, text: text, by: caller)
        }
        return try posted(acceptance)
    }

    private static func check(_ text: String?) throws { if let text { try Limits.reviewText.check(text, "text") } }

    private func posted(_ acceptance: Acceptance) throws -> Response {
        guard let fact = acceptance.facts.last, let answer = try answer(fact, at: acceptance.position) else {
            throw Resources.missingFact(acceptance)
        }
        return .written(.created, for: acceptance, location: "/v1/shops/\(answer.shop.text)/reviews", answer)
    }

    /// The review or reply just posted, without replies yet.
    private func answer(_ fact: Fact, at position: Position) throws -> ReviewAnswer? {
        guard let id = fact.event.shop else { return nil }
        let shop = try resources.existing(through: position) { try $0.shop(id) }
        var authors = Authors(at: shop, through: position, resources)
        func answer(_ post: ReviewID, by author: AccountID, _ text: Sealed?, as field: SealedField, rating: Int?) throws -> ReviewAnswer {
            ReviewAnswer(
                id: post, shop: id, author: try authors.author(author), rating: rating,
                text: try resources.text(text, as: field, of: author), isVerified: try isVerified(author, at: id, before: fact),
                createdAt: fact.time)
        }
        return switch fact.event {
        case .reviewPosted(let event): try answer(event.review, by: event.author, event.text, as: .reviewText, rating: event.rating)
        case .replyPosted(let event): try answer(event.reply, by: event.author, event.text, as: .replyText, rating: nil)
        default: nil
        }
    }

    /// As in the list of reviews: a card belongs to its campaign's own shop, and a card that was taken over counts.
    private func isVerified(_ author: AccountID, at shop: ShopID, before fact: Fact) throws -> Bool {
        let log = resources.service.log
        let items = [TagKind.shop, TagKind.home].map { kind in
            QueryItem(
                types: [.cardOpened, .waitingCardTaken],
                tags: [Tag(kind: .account, value: author.value), Tag(kind: kind, value: shop.value)])
        }
        let opened = try log.positions(
            matching: .items(items), after: .start, through: Position(fact.position), backwards: false, limit: .max)
        return try opened.contains { position in
            guard let event = try log.event(at: position) else { return false }
            return switch try LoyaltyCodec.decode(event).event {
            case .cardOpened(let card): card.campaignShop == shop
            case .waitingCardTaken(let card): card.shop == shop
            default: false
            }
        }
    }

    private func answer(_ thread: ReviewThread, for viewer: AccountID?, _ authors: inout Authors) throws -> ReviewAnswer {
        ReviewAnswer(
            id: thread.id, shop: thread.shop, author: try authors.author(thread.author), rating: thread.rating,
            text: try resources.text(thread.text, as: thread.review.parent == nil ? .reviewText : .replyText, of: thread.author),
            isVerified: thread.isVerified, isRemoved: thread.isRemoved, isMine: thread.author == viewer,
            createdAt: thread.at, replies: try thread.replies.map { try answer($0, for: viewer, &authors) })
    }
}

extension ReviewThread {
    /// Also counts the post itself.
    fileprivate var postCount: Int { replies.reduce(1) { $0 + $1.postCount } }
}

struct ReviewAnswer: JSONRecord {
    let id: ReviewID
    let shop: ShopID
    let author: AuthorAnswer
    /// Nil for a reply, a removed review, or none.
    let rating: Int?
    /// Nil if there is none, it was removed, or its author was erased.
    let text: String?
    /// Has or had a card at the shop.
    let isVerified: Bool
    /// A removed post only shows its replies.
    var isRemoved = false
    /// Absent for other readers.
    var isMine = false
    let createdAt: Instant
    var replies: [ReviewAnswer] = []

    var fields: JSONFields {
        [
            "id": id, "shop": shop, "author": author, "rating": rating, "text": text, "verified": isVerified, "removed": isRemoved,
            "isMine": IfPresent(isMine ? true : nil), "createdAt": createdAt, "replies": replies,
        ]
    }
}

/// A public text's author, without the account's id, with which anyone could send offers of work. The handle distinguishes authors at one
/// shop, and reveals neither account nor identity at another shop.
struct AuthorAnswer: JSONRecord {
    let handle: String
    /// Nil if none was chosen, or the author was erased.
    let nickname: String?
    let avatar: ImageID?
    let isShop: Bool

    var fields: JSONFields { ["handle": handle, "nickname": nickname, "avatar": avatar, "isShop": isShop] }
}

/// The authors of one answer, each looked up once.
struct Authors {
    private let resources: Resources
    private let shop: Shop
    /// For answers that a retry must get unchanged.
    private let position: Position?
    private var known: [AccountID: AuthorAnswer] = [:]
    private var customers: [AccountID: CustomerName] = [:]

    init(at shop: Shop, through position: Position? = nil, _ resources: Resources) {
        self.resources = resources
        self.shop = shop
        self.position = position
    }

    mutating func author(_ id: AccountID) throws -> AuthorAnswer {
        if let answer = known[id] { return answer }
        let account = try resources.service.reading(through: position) { try $0.account(id) }
        let profile = try account.map { try resources.service.profile(of: $0) }
        let answer = AuthorAnswer(
            handle: resources.service.keys.handle(of: id, at: shop.id), nickname: profile?.nickname, avatar: profile?.avatar,
            isShop: shop.employs(id))
        known[id] = answer
        return answer
    }

    /// A customer as the shop sees them: with a nickname only if they gave it to this shop, by a review or a reply.
    mutating func customer(_ id: AccountID) throws -> CustomerName {
        if let name = customers[id] { return name }
        let author = try author(id)
        let name = CustomerName(handle: author.handle, nickname: try author.nickname.flatMap { try hasWritten(id) ? $0 : nil })
        customers[id] = name
        return name
    }

    private func hasWritten(_ id: AccountID) throws -> Bool {
        let tags = [Tag(kind: .account, value: id.value), Tag(kind: .shop, value: shop.id.value)]
        let query = Query.items([QueryItem(types: [.reviewPosted, .replyPosted], tags: tags)])
        return try !resources.service.log.events(matching: query, through: position ?? .max, backwards: true, limit: 1).isEmpty
    }
}

/// How a shop names a customer.
struct CustomerName: Hashable, JSONRecord {
    let handle: String
    let nickname: String?

    var fields: JSONFields { ["handle": handle, "nickname": nickname] }
}

extension Rating: JSONRecord {
    var fields: JSONFields { ["average": average, "count": count, "histogram": histogram] }
}
