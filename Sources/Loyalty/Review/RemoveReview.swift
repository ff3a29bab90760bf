/// Take a review or a reply down; its author, or an operator.
public struct RemoveReview: Hashable, Sendable {
    public let review: ReviewID
    /// Whether the actor is an operator: a role of the configuration, so whoever makes the command knows it.
    public let asOperator: Bool

    public init(review: ReviewID, asOperator: Bool) {
        self.review = review
        self.asOperator = asOperator
    }
}
