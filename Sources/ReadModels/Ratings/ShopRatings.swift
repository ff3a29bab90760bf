public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The ratings and reviews of shops, with their threads.
///
/// Texts stay sealed. Reads are synchronous, take one snapshot each and never wait for the writer. Any thread may read.
public final class ShopRatings: ReadModel {
    public static let name = "shop-ratings"
    public static let schemaVersion = 2
    public static let eventTypes: Set<EventType> = [.cardOpened, .waitingCardTaken, .reviewPosted, .replyPosted, .reviewRemoved]
    public static let tables = [ratingTable, givenTable, reviewTable, shopTable, replyTable, holderTable]
    public static let bytesPerChange = 128
    public static let isInSnapshots = true

    /// Shop → ``Rating``.
    static let ratingTable = ModelTable("ratings", key: [.shop]) { Rating.text($0) }
    /// Shop, account and position → the rating given there, one byte. Only each account's newest counts; removed ones have no row.
    static let givenTable = ModelTable("given", key: [.shop, .account, .position]) { row in
        row.count == 1 && Loyalty.Limits.rating.contains(Int(row[0])) ? "\(row[0]) of 5" : nil
    }
    /// Review or reply → ``ReviewRow``.
    static let reviewTable = ModelTable("reviews", key: [.review]) { ReviewRow.text($0) }
    /// Shop and position → review, 16 bytes.
    static let shopTable = ModelTable("shops", key: [.shop, .position], id: { ReviewID($0).text })
    /// Thread and position → reply, 16 bytes.
    static let replyTable = ModelTable("replies", key: [.review, .position], id: { ReviewID($0).text })
    /// Shop and account → the position of its first card there, u64.
    static let holderTable = ModelTable("holders", key: [.shop, .account], number: { "first card at position \($0)" })

    public let store: ModelStore
    let ratings, given, reviews, shops, replies, holders: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (ratings, given, reviews) = try (store.table(Self.ratingTable), store.table(Self.givenTable), store.table(Self.reviewTable))
        (shops, replies, holders) = try (store.table(Self.shopTable), store.table(Self.replyTable), store.table(Self.holderTable))
    }
}

@available(*, noasync)
extension ShopRatings {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> RatingChanges { RatingChanges() }

    /// Rows of the next flush, plus those whose pages are in memory until the commit.
    public func changes(in pending: borrowing RatingChanges) -> Int { pending.count }

    /// Applies holders of cards, reviews, replies and removals.
    public func apply(_ fact: Fact, to pending: inout RatingChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if case .cardOpened(let event) = fact.event {
            return pending.holders.note(event.campaignShop.value, event.holder.value, at: fact.position)
        }
        if case .waitingCardTaken(let event) = fact.event {
            return pending.holders.note(event.shop.value, event.holder.value, at: fact.position)
        }
        if case .reviewRemoved(let event) = fact.event {
            pending.written += try remove(event, in: &transaction)
            return
        }
        guard let review = PostedReview(fact) else { return }
        try post(review, in: &transaction)
        pending.written += 2
        guard let rating = review.rating else { return }
        try rate(rating, review, in: &transaction)
        pending.written += 2
    }

    /// Applies new cards, nearly all relevant events, without decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout RatingChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        guard let card = OpenedCard(record) else { return false }
        pending.holders.note(card.shop, card.holder, at: position.rawValue)
        return true
    }

    /// Writes the holders of cards, in key order.
    public func flush(_ pending: inout RatingChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.written = 0
        guard pending.holders.count > 0 else { return }
        var rows = try store.writer(holders, in: &transaction)
        try pending.holders.flush(into: &rows)
    }

    private func post(_ review: PostedReview, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let key = RowKey(review.id.value)
        guard try !store.has(reviews, key, in: transaction) else {
            throw ReadModelError(.eventRefused, model: Self.name, "review \(review.id.text) is posted a second time")
        }
        var row: [UInt8] = []
        ReviewRow.encode(review, into: &row)
        try store.put(reviews, key, row.span, in: &transaction)
        if review.parent == nil {
            try store.put(shops, RowKey(review.shop.value, position: review.position), key.bytes, in: &transaction)
        } else {
            try store.put(replies, RowKey(review.thread.value, position: review.position), key.bytes, in: &transaction)
        }
    }
}

/// The changes of a batch. Frequent first cards are collected, and rare reviews are written at once.
public struct RatingChanges {
    /// First positions at which accounts opened cards at shops.
    var holders = FirstPositions()
    /// Rows in the transaction, which holds their pages until it ends.
    var written = 0

    var count: Int { holders.count + written }
}
