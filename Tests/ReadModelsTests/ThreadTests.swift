import EventLog
import Histories
import Loyalty
import ReadModels
import Seeds
import Testing

/// Threads, verified reviews and replaced ratings, on a history written by hand.
@Suite(.timeLimit(.minutes(15))) struct ThreadTests {
    private var history = RandomHistory(random: SeededRandom(seed: 1), shops: 2, customers: 3)

    private mutating func review(_ rating: Int?, by customer: Int, text: Sealed? = Sealed([1])) -> ReviewID {
        let id = ReviewID(history.id())
        let command = PostReview(review: id, shop: history.shops[0], rating: rating, text: text)
        #expect(history.run(.postReview(command), by: history.customers[customer]).count == 1)
        return id
    }

    private mutating func reply(to parent: ReviewID, by author: AccountID) -> ReviewID {
        let id = ReviewID(history.id())
        #expect(history.run(.postReply(PostReply(reply: id, parent: parent, text: Sealed([2]))), by: author).count == 1)
        return id
    }

    @Test("A thread shows its replies down to the deepest level, and the replies to one review in order")
    mutating func deepest() async throws {
        let root = review(5, by: 0)
        var chain = [root]
        for depth in 1...8 { chain.append(reply(to: chain[depth - 1], by: history.customers[depth % 3])) }
        let (second, third) = (reply(to: root, by: history.owners[0]), reply(to: root, by: history.customers[1]))
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        let thread = try #require(try open.models.ratings.reviews(of: history.shops[0]).threads.first)
        #expect(thread.replies.map(\.id) == [chain[1], second, third])
        var node = thread
        for depth in 1...8 {
            node = try #require(node.replies.first)
            #expect(node.id == chain[depth])
            #expect(node.review.depth == depth)
        }
        #expect(node.replies.isEmpty)
        #expect(try open.models.ratings.review(chain[7])?.replies.map(\.id) == [chain[8]])
        try open.close()
    }

    @Test("Only the latest rating of each account counts, and every review is shown")
    mutating func latestRating() async throws {
        for (rating, customer) in [(5, 0), (1, 1), (2, 0), (nil, 1), (4, 2), (4, 0)] as [(Int?, Int)] {
            _ = review(rating, by: customer)
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        let rating = try open.models.ratings.rating(of: history.shops[0])
        #expect(rating.count == 3)
        #expect(rating.sum == 9)
        #expect(rating.histogram == [1, 0, 0, 2, 0])
        #expect(rating.average == 3)
        #expect(try open.models.ratings.reviews(of: history.shops[0]).threads.count == 6)
        #expect(try open.models.ratings.rating(of: history.shops[1]) == .none)
        try open.close()
    }

    private mutating func remove(_ review: ReviewID, by author: AccountID) {
        #expect(history.run(.removeReview(RemoveReview(review: review, asOperator: false)), by: author).count == 1)
    }

    @Test("Removing an account's current rating restores the one before, and removing a replaced one changes nothing")
    mutating func removedRating() async throws {
        let (first, second, third) = (review(2, by: 0), review(5, by: 0), review(3, by: 0))
        _ = review(4, by: 1)
        let open = try OpenData(TestData())
        var stored = 0
        let removals: [(ReviewID?, [Int])] = [
            (nil, [0, 0, 1, 1, 0]), (second, [0, 0, 1, 1, 0]), (third, [0, 1, 0, 1, 0]), (first, [0, 0, 0, 1, 0]),
        ]
        for (removed, histogram) in removals {
            if let removed { remove(removed, by: history.customers[0]) }
            #expect(try await open.append(history.facts[stored...]))
            stored = history.facts.count
            let rating = try open.models.ratings.rating(of: history.shops[0])
            #expect(rating.histogram == histogram)
            #expect(rating.count == histogram.reduce(0, +))
            #expect(rating.sum == zip(1...5, histogram).reduce(0) { $0 + $1.0 * $1.1 })
        }
        try open.close()
    }

    @Test("A removed review stays without its text until its last reply is removed")
    mutating func removedReview() async throws {
        let root = review(5, by: 0)
        let answer = reply(to: root, by: history.customers[1])
        _ = review(1, by: 2)
        remove(root, by: history.customers[0])
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        let kept = try #require(try open.models.ratings.reviews(of: history.shops[0]).threads.last)
        #expect(kept.id == root && kept.isRemoved && kept.rating == nil && kept.text == nil)
        #expect(kept.replies.map(\.id) == [answer])
        let stored = history.facts.count
        remove(answer, by: history.customers[1])
        #expect(try await open.append(history.facts[stored...]))
        #expect(try open.models.ratings.reviews(of: history.shops[0]).threads.count == 1)
        #expect(try open.models.ratings.review(root) == nil && open.models.ratings.review(answer) == nil)
        try open.close()
    }

    @Test("A reviewer who opens a card of the shop later becomes verified")
    mutating func verifiedLater() async throws {
        let root = review(5, by: 0)
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        #expect(try open.models.ratings.review(root)?.isVerified == false)
        let card = CardOpened(
            card: CardID(history.id()), campaign: CampaignID(1), shop: history.shops[0], holder: history.customers[0], goal: 3,
            reward: "tea")
        let position = UInt64(history.facts.count) + 1
        let fact = Fact(position: position, time: history.now, actor: history.customers[0], event: .cardOpened(card))
        #expect(try await open.append([fact]))
        #expect(try open.models.ratings.review(root)?.isVerified == true)
        try open.close()
    }
}
