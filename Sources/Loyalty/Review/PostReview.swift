/// Rate a shop, write about it, or both.
public struct PostReview: Hashable, Sendable {
    public let review: ReviewID
    public let shop: ShopID
    public let rating: Int?
    public let text: Sealed?

    public init(review: ReviewID, shop: ShopID, rating: Int?, text: Sealed?) {
        self.review = review
        self.shop = shop
        self.rating = rating
        self.text = text
    }
}
