import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import ReadModels
import Seeds
import Testing

/// Compares the models on random legal histories with a simple, full evaluation of the same facts.
@Suite(.timeLimit(.minutes(15))) struct OracleTests {
    @Test("The models give the same answers as the oracle for a random history", arguments: 0..<6)
    func likeOracle(_ round: Int) async throws {
        let random = SeededRandom(seed: SeededRandom.announced("oracle \(round)").seed &+ UInt64(round))
        var history = RandomHistory(random: random, ages: round >= 4, joins: round % 2 == 1)
        history.grow(to: 1_500)
        let data = TestData()
        let open = try OpenData(data)
        // The history is appended in pieces, so cards are found in the cache, in the rows, and in both.
        for start in stride(from: 0, to: history.facts.count, by: 311) {
            let reached = try await open.append(history.facts[start..<min(start + 311, history.facts.count)])
            #expect(reached)
        }
        try expect(open.models, equal: Oracle(history.facts), history)
        try open.close()
    }

    private func expect(_ models: ReadModels, equal oracle: Oracle, _ history: RandomHistory) throws {
        #expect(oracle.cards.count > 50)
        for card in oracle.cards.values { #expect(try models.cards.card(card.id) == card) }
        for account in history.customers + history.owners {
            #expect(try models.cards.cards(of: account, limit: 1_000).cards == oracle.cards(of: account))
            let wanted: Set<CardStatus> = [.full, .redeemed]
            #expect(try models.cards.cards(of: account, statuses: wanted, limit: 1_000).cards == oracle.cards(of: account, wanted))
        }
        for shop in history.shops { try expect(models.ratings, shop, oracle) }
        for account in history.customers + history.owners { try expect(models.notices, account, oracle) }
        try expect(models.activity, oracle)
    }

    /// Each card is found by its last characters, and each day's first and last act.
    private func expect(_ model: ActivityPlaces, _ oracle: Oracle) throws {
        let cards = oracle.cards.keys
        for card in cards {
            let same = cards.filter { $0.text.suffix(6) == card.text.suffix(6) }
            let typed = try #require(CardEnding(typed: String(card.text.suffix(6)).uppercased()))
            #expect(typed == CardEnding(of: card))
            #expect(try Set(model.cards(ending: typed)) == Set(same))
        }
        let acts = oracle.facts.filter { fact in
            if case .cardReminded = fact.event { return false }
            switch fact.event {
            case .codeIssued, .codeDestroyed, .paperStamped, .paperCardTaken, .paperStampReversed: return true
            default: return fact.event.card != nil
            }
        }
        let days = Dictionary(grouping: acts) { Int($0.time.microseconds / 86_400_000_000) }
        for (day, facts) in days {
            let places = try #require(try model.places(on: day...day))
            #expect(places.first == facts.first?.position && places.last == facts.last?.position)
        }
        let all = try #require(try model.places(on: 0...(days.keys.max() ?? 0)))
        #expect(all.first == acts.first?.position && all.last == acts.last?.position)
        #expect(try model.places(on: 0...1) == nil)
    }

    /// Compares the notices of an account page by page. In random histories, accounts also mark notices as read that they did not receive.
    /// Such a mark lowers the unread count, but never below zero.
    private func expect(_ model: Notices, _ account: AccountID, _ oracle: Oracle) throws {
        let expected = oracle.notices(of: account)
        var (found, before): ([ReceivedNotice], Position?) = ([], nil)
        repeat {
            let page = try model.notices(of: account, before: before, limit: 3)
            found += page.notices
            before = page.next
            let reads = oracle.facts.count { $0.event.reader == account }
            #expect(page.unread == max(0, expected.count - reads))
        } while before != nil
        try #require(found.map(\.notice.id) == expected.map(\.id))
        #expect(found.map(\.isRead) == expected.map(\.isRead))
        for notice in found { #expect(try model.isReceived(notice.notice.id, by: account)) }
        let others = oracle.notices.filter { notice in !expected.contains { $0.id == notice } }
        for notice in others { #expect(try !model.isReceived(notice, by: account)) }
    }

    private func expect(_ model: ShopRatings, _ shop: ShopID, _ oracle: Oracle) throws {
        let ratings = oracle.ratings(of: shop)
        let rating = try model.rating(of: shop)
        #expect(rating.count == ratings.count)
        #expect(rating.sum == ratings.values.reduce(0, +))
        #expect(rating.histogram == (1...5).map { stars in ratings.values.count { $0 == stars } })
        let threads = try model.reviews(of: shop, limit: 1_000).threads
        let removed = oracle.removed
        let reviews = oracle.reviews(of: shop).filter { oracle.isShown($0.event.review, removed) }
        try #require(threads.map(\.id) == reviews.map(\.event.review))
        let holders = oracle.holders(of: shop)
        for (thread, review) in zip(threads, reviews) {
            #expect(thread.isRemoved == removed.contains(thread.id))
            #expect(thread.rating == (thread.isRemoved ? nil : review.event.rating))
            #expect(thread.text == (thread.isRemoved ? nil : review.event.text))
            #expect(thread.at == review.fact.time)
            #expect(thread.isVerified == holders.contains(thread.author))
            try expectReplies(model, thread, oracle, holders)
            #expect(try model.review(thread.id) == thread)
        }
    }

    private func expectReplies(_ model: ShopRatings, _ thread: ReviewThread, _ oracle: Oracle, _ holders: Set<AccountID>) throws {
        let removed = oracle.removed
        let replies = oracle.replies(to: thread.id).filter { oracle.isShown($0.event.reply, removed) }
        try #require(thread.replies.map(\.id) == replies.map(\.event.reply))
        for (shown, reply) in zip(thread.replies, replies) {
            #expect(shown.author == reply.event.author)
            #expect(shown.review.depth == thread.review.depth + 1)
            #expect(shown.isVerified == holders.contains(shown.author))
            #expect(try model.review(shown.id) == shown)
            try expectReplies(model, shown, oracle, holders)
        }
    }
}

extension LoyaltyEvent {
    fileprivate var reader: AccountID? {
        guard case .noticeRead(let event) = self else { return nil }
        return event.account
    }
}
