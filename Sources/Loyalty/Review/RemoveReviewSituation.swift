/// What taking a review down depends on.
public struct RemoveReviewSituation: Hashable, Sendable {
    public let actor: Account?
    public let review: Review?

    public init(actor: Account?, review: Review?) {
        self.actor = actor
        self.review = review
    }
}
