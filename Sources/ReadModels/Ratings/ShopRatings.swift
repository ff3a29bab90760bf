public import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// What customers say about shops: each shop's rating, and its reviews with their threads.
///
/// Texts stay sealed here; whoever may read them opens them. Reads are synchronous, take one snapshot each, and wait for
/// nobody; any thread may read while the model moves on.
public final class ShopRatings: Projection {
    public static let name = "shop-ratings"
    public static let schemaVersion = 2
    public static let eventTypes: Set<EventType> = [.cardOpened, .reviewPosted, .replyPosted, .reviewRemoved]
    public static let tables = [ratingTable, givenTable, reviewTable, shopTable, replyTable, holderTable]
    public static let bytesPerChange = 128

    /// Shop → ``RatingRow``.
    static let ratingTable = ModelTable("ratings", key: [.shop]) { RatingRow.text($0) }
    /// Shop, account and position → a rating of the account there, one byte. The newest one counts; removed ones have no row.
    static let givenTable = ModelTable("given", key: [.shop, .account, .position]) { row in
        row.count == 1 && Loyalty.Limits.rating.contains(Int(row[0])) ? "\(row[0]) of 5" : nil
    }
    /// Review or reply → ``ReviewRow``.
    static let reviewTable = ModelTable("reviews", key: [.review]) { ReviewRow.text($0) }
    /// Shop and position → review, 16 bytes.
    static let shopTable = ModelTable("shops", key: [.shop, .position]) { reviewText($0) }
    /// Thread and position → reply, 16 bytes.
    static let replyTable = ModelTable("replies", key: [.review, .position]) { reviewText($0) }
    /// Shop and account → where in the log the account opened its first card there, u64.
    static let holderTable = ModelTable("holders", key: [.shop, .account]) { row in
        row.count == 8 ? "first card at position \(row.littleEndian64(at: 0))" : nil
    }

    let store: ModelStore
    let ratings: Table
    let given: Table
    let reviews: Table
    let shops: Table
    let replies: Table
    let holders: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        ratings = try store.table(Self.ratingTable)
        given = try store.table(Self.givenTable)
        reviews = try store.table(Self.reviewTable)
        shops = try store.table(Self.shopTable)
        replies = try store.table(Self.replyTable)
        holders = try store.table(Self.holderTable)
    }

    private static func reviewText(_ row: Span<UInt8>) -> String? {
        row.count == 16 ? ReviewID(row.bigEndian128(at: 0)).text : nil
    }
}
