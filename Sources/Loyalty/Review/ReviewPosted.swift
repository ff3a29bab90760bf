/// A customer rated a shop, wrote about it, or both. A rating replaces the author's earlier one for that shop.
public struct ReviewPosted: Hashable, Sendable {
    public let review: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// 1 to 5.
    public let rating: Int?
    public let text: Sealed?

    public init(review: ReviewID, shop: ShopID, author: AccountID, rating: Int?, text: Sealed?) {
        self.review = review
        self.shop = shop
        self.author = author
        self.rating = rating
        self.text = text
    }
}
