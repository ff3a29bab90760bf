/// Remove a review or a reply; for its author or an operator.
public struct RemoveReview: Hashable, Sendable {
    public let review: ReviewID
    /// The caller MUST determine this, because the configuration names the operators.
    public let asOperator: Bool

    public init(review: ReviewID, asOperator: Bool) { (self.review, self.asOperator) = (review, asOperator) }
}

extension RemoveReview: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Review? { try past.review(review) }

    /// Replies remain, because other people wrote them.
    public func decide(_ situation: Review?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation else { throw .notFound }
        guard known.author == actor || asOperator else { throw .forbidden }
        guard !known.isRemoved else { return [] }
        let removed = ReviewRemoved(
            review: known.id, thread: known.thread, shop: known.shop, author: known.author, byOperator: known.author != actor)
        return [.reviewRemoved(removed)]
    }
}
