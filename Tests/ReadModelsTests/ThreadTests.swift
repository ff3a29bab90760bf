import EventLog
import Histories
import Loyalty
import ReadModels
import Seeds
import Testing

/// A shop and its reviewers. The real decisions judge each command, and the models follow the events.
private struct ReviewedShop {
    private var history = RandomHistory(random: SeededRandom(seed: 1), shops: 2, customers: 3)
    private let open: OpenData
    private var stored = 0

    init() throws { open = try OpenData(TestData()) }

    func close() throws { try open.close() }

    var shop: ShopID { history.shops[0] }
    var neighbour: ShopID { history.shops[1] }
    var owner: AccountID { history.owners[0] }
    var customers: [AccountID] { history.customers }

    /// The models of reviews, after every event so far.
    mutating func ratings() async throws -> ShopRatings {
        let isApplied = try await open.append(history.facts[stored...])
        #expect(isApplied)
        stored = history.facts.count
        return open.models.ratings
    }

    @discardableResult
    mutating func review(_ rating: Int?, by customer: Int, at source: SourceLocation = #_sourceLocation) -> ReviewID {
        let id = ReviewID(history.id())
        must(.postReview(PostReview(review: id, shop: shop, rating: rating, text: Sealed([1]))), by: customers[customer], source)
        return id
    }

    mutating func reply(to parent: ReviewID, by author: AccountID, at source: SourceLocation = #_sourceLocation) -> ReviewID {
        let id = ReviewID(history.id())
        must(.postReply(PostReply(reply: id, parent: parent, text: Sealed([2]))), by: author, source)
        return id
    }

    mutating func remove(_ review: ReviewID, by author: AccountID, at source: SourceLocation = #_sourceLocation) {
        must(.removeReview(RemoveReview(review: review, asOperator: false)), by: author, source)
    }

    private mutating func must(_ command: Command, by actor: AccountID, _ source: SourceLocation) {
        let events = history.run(command, by: actor)
        #expect(events.count == 1, "\(command)", sourceLocation: source)
    }

    /// Adds a card that a customer opened, after every other event.
    mutating func openLastCard(of customer: AccountID) async throws -> ShopRatings {
        let card = CardOpened(card: CardID(history.id()), campaign: CampaignID(1), shop: shop, holder: customer, goal: 3, reward: "tea")
        let fact = Fact(position: UInt64(stored) + 1, time: history.now, actor: customer, event: .cardOpened(card))
        let isApplied = try await open.append([fact])
        #expect(isApplied)
        return open.models.ratings
    }
}

@Suite(.timeLimit(.minutes(15))) struct ThreadTests {
    @Test("A thread shows its replies down to the deepest level, and the replies to one review in order")
    func deepest() async throws {
        var house = try ReviewedShop()
        let root = house.review(5, by: 0)
        var chain = [root]
        for depth in 1...8 { chain.append(house.reply(to: chain[depth - 1], by: house.customers[depth % 3])) }
        let second = house.reply(to: root, by: house.owner)
        let third = house.reply(to: root, by: house.customers[1])
        let ratings = try await house.ratings()
        let thread = try #require(try ratings.reviews(of: house.shop).threads.first)
        #expect(thread.replies.map(\.id) == [chain[1], second, third])
        var node = thread
        for depth in 1...8 {
            node = try #require(node.replies.first)
            #expect(node.id == chain[depth])
            #expect(node.review.depth == depth)
        }
        #expect(node.replies.isEmpty)
        #expect(try ratings.review(chain[7])?.replies.map(\.id) == [chain[8]])
        try house.close()
    }

    @Test("Only the latest rating of each account counts, and every review is shown")
    func latestRating() async throws {
        var house = try ReviewedShop()
        for (rating, customer) in [(5, 0), (1, 1), (2, 0), (nil, 1), (4, 2), (4, 0)] { house.review(rating, by: customer) }
        let ratings = try await house.ratings()
        // The review without a rating leaves the one star of its author.
        let rating = try ratings.rating(of: house.shop)
        #expect(rating.histogram == [1, 0, 0, 2, 0])
        #expect(rating.count == 3)
        #expect(rating.sum == 9)
        #expect(rating.average == 3)
        #expect(try ratings.reviews(of: house.shop).threads.count == 6)
        #expect(try ratings.rating(of: house.neighbour) == .none)
        try house.close()
    }

    @Test("Removing an account's current rating restores the one before, and removing a replaced one changes nothing")
    func removedRating() async throws {
        var house = try ReviewedShop()
        let (first, replaced, current) = (house.review(2, by: 0), house.review(5, by: 0), house.review(3, by: 0))
        house.review(4, by: 1)
        #expect(try await house.ratings().rating(of: house.shop).histogram == [0, 0, 1, 1, 0])
        for (removed, histogram) in [(replaced, [0, 0, 1, 1, 0]), (current, [0, 1, 0, 1, 0]), (first, [0, 0, 0, 1, 0])] {
            house.remove(removed, by: house.customers[0])
            let rating = try await house.ratings().rating(of: house.shop)
            #expect(rating.histogram == histogram)
            #expect(rating.count == histogram.reduce(0, +))
            #expect(rating.sum == zip(1...5, histogram).reduce(0) { $0 + $1.0 * $1.1 })
        }
        try house.close()
    }

    @Test("A removed review stays without its text until its last reply is removed")
    func removedReview() async throws {
        var house = try ReviewedShop()
        let root = house.review(5, by: 0)
        let answer = house.reply(to: root, by: house.customers[1])
        let other = house.review(1, by: 2)
        house.remove(root, by: house.customers[0])
        let kept = try #require(try await house.ratings().reviews(of: house.shop).threads.last)
        #expect(kept.id == root)
        #expect(kept.isRemoved)
        #expect(kept.rating == nil)
        #expect(kept.text == nil)
        #expect(kept.replies.map(\.id) == [answer])
        house.remove(answer, by: house.customers[1])
        let ratings = try await house.ratings()
        #expect(try ratings.reviews(of: house.shop).threads.map(\.id) == [other])
        #expect(try ratings.review(root) == nil)
        #expect(try ratings.review(answer) == nil)
        try house.close()
    }

    @Test("A reviewer who opens a card of the shop later becomes verified")
    func verifiedLater() async throws {
        var house = try ReviewedShop()
        let review = house.review(5, by: 0)
        #expect(try await house.ratings().review(review)?.isVerified == false)
        let ratings = try await house.openLastCard(of: house.customers[0])
        #expect(try ratings.review(review)?.isVerified == true)
        try house.close()
    }
}
