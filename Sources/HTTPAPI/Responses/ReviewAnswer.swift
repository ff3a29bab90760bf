import Loyalty

/// A review or a reply with everything that answers it.
struct ReviewAnswer: JSONWritable {
    let id: ReviewID
    let shop: ShopID
    let author: AuthorAnswer
    /// `nil` for a reply, and for a review that only says something.
    let rating: Int?
    /// `nil` where there is none, or its author was erased.
    let text: String?
    /// Whether the author holds, or has held, a card at the shop.
    let isVerified: Bool
    /// Taken down by its author or an operator: neither rating nor text is left, only its place above what answers it.
    var isRemoved = false
    let createdAt: Instant
    var replies: [ReviewAnswer] = []

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", id)
            $0.field("shop", shop)
            $0.field("author", author)
            $0.field("rating", rating)
            $0.field("text", text)
            $0.field("verified", isVerified)
            $0.field("removed", isRemoved)
            $0.field("createdAt", createdAt)
            $0.array("replies", replies)
        }
    }
}
