internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// A review or a reply as it was posted.
public struct PostedReview: Hashable, Sendable {
    public let id: ReviewID
    public let shop: ShopID
    public let author: AccountID
    public let thread: ReviewID
    public let parent: ReviewID?
    /// 0 for a review, at most 8.
    public let depth: Int
    /// 1 to 5; nil for a reply, and for a review without a rating.
    public let rating: Int?
    /// Sealed under the author's data key.
    public let text: Sealed?
    public let at: Instant
    public let position: UInt64
    public let isRemoved: Bool

    init(
        id: ReviewID, shop: ShopID, author: AccountID, thread: ReviewID, parent: ReviewID?, depth: Int, rating: Int?, text: Sealed?,
        at: Instant, position: UInt64, isRemoved: Bool = false
    ) {
        (self.id, self.shop, self.author, self.thread, self.parent, self.depth) = (id, shop, author, thread, parent, depth)
        (self.rating, self.text, self.at, self.position, self.isRemoved) = (rating, text, at, position, isRemoved)
    }

    /// The review without rating and text.
    package var removed: PostedReview {
        PostedReview(
            id: id, shop: shop, author: author, thread: thread, parent: parent, depth: depth, rating: nil, text: nil, at: at,
            position: position, isRemoved: true)
    }

    package init?(_ fact: Fact) {
        switch fact.event {
        case .reviewPosted(let event):
            self.init(
                id: event.review, shop: event.shop, author: event.author, thread: event.review, parent: nil, depth: 0,
                rating: event.rating, text: event.text, at: fact.time, position: fact.position)
        case .replyPosted(let event):
            self.init(
                id: event.reply, shop: event.shop, author: event.author, thread: event.thread, parent: event.parent,
                depth: event.depth, rating: nil, text: event.text, at: fact.time, position: fact.position)
        default: return nil
        }
    }
}

/// The stored form of a review or a reply. All numbers are little-endian.
///
/// ```
///  0 u8 form = 1   1 u8 depth   2 u8 rating, else 0   3 u8 1 if there is a text
///  4 u32 1 if it was removed, else 0   8 u64 position   16 i64 at, µs
/// 24 u128 shop    40 u128 author   56 u128 thread   72 u128 parent, 0 for a review
/// 88 the sealed text to the end
/// ```
package enum ReviewRow {
    private static let form: UInt8 = 1
    private static let textAt = 88

    /// Replaces `row` by a review.
    package static func encode(_ review: PostedReview, into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(form)
        row.append(UInt8(clamping: review.depth))
        row.append(UInt8(clamping: review.rating ?? 0))
        row.append(review.text == nil ? 0 : 1)
        row.append(littleEndian: UInt32(review.isRemoved ? 1 : 0))
        row.append(littleEndian: review.position)
        row.append(littleEndian: review.at.microseconds)
        row.append(littleEndian: review.shop.value)
        row.append(littleEndian: review.author.value)
        row.append(littleEndian: review.thread.value)
        row.append(littleEndian: review.parent?.value ?? 0)
        if let text = review.text { row.append(contentsOf: text.bytes) }
    }

    /// The review or reply; nil if the bytes are not a row.
    package static func decode(_ row: Span<UInt8>, id: ReviewID) -> PostedReview? {
        guard row.count >= textAt, row[0] == form, row[2] <= 5, row[3] <= 1, row.littleEndian32(at: 4) <= 1 else { return nil }
        let depth = Int(row[1])
        let parent = row.littleEndian128(at: 72)
        guard depth == 0 ? parent == 0 : row[2] == 0, depth <= Loyalty.Limits.replyDepthMax else { return nil }
        guard row[3] == 1 || row.count == textAt else { return nil }
        let isRemoved = row[4] == 1
        guard !isRemoved || row[2] == 0 && row[3] == 0 else { return nil }
        var text: [UInt8] = []
        text.append(copying: row.extracting(droppingFirst: textAt))
        return PostedReview(
            id: id, shop: ShopID(row.littleEndian128(at: 24)), author: AccountID(row.littleEndian128(at: 40)),
            thread: ReviewID(row.littleEndian128(at: 56)), parent: depth == 0 ? nil : ReviewID(parent), depth: depth,
            rating: row[2] == 0 ? nil : Int(row[2]), text: row[3] == 1 ? Sealed(text) : nil, at: row.time(at: 16),
            position: row.littleEndian64(at: 8), isRemoved: isRemoved)
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let review = decode(row, id: ReviewID(0)) else { return nil }
        let place = review.parent.map { "reply of depth \(review.depth) to \($0.text)" } ?? "review"
        let rating = review.rating.map { ", \($0) of 5" } ?? ""
        let state = review.isRemoved ? "removed " : ""
        return "\(state)\(place)\(rating) by \(review.author.text) of \(review.shop.text), "
            + "\(review.text?.bytes.count ?? 0) bytes of text, at \(review.at.rfc3339), position \(review.position)"
    }
}
