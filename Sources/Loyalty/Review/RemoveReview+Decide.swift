extension RemoveReview: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RemoveReviewSituation {
        RemoveReviewSituation(actor: try past.account(actor), review: try past.review(review))
    }

    /// What answers it stays: others wrote that. Reviews are public, so that a refusal tells nothing new.
    public func decide(_ situation: RemoveReviewSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.review else { throw .notFound }
        guard known.author == actor || asOperator else { throw .forbidden }
        guard !known.isRemoved else { return [] }
        return [
            .reviewRemoved(
                ReviewRemoved(
                    review: known.id, thread: known.thread, shop: known.shop, author: known.author, byOperator: known.author != actor))
        ]
    }
}
