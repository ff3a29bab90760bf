/// What posting a review depends on.
public struct PostReviewSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?
    public let reviewWithID: Review?

    public init(actor: Account?, shop: Shop?, reviewWithID: Review?) {
        self.actor = actor
        self.shop = shop
        self.reviewWithID = reviewWithID
    }
}
