/// Rate a shop, write about it, or do both.
public struct PostReview: Hashable, Sendable {
    public let review: ReviewID
    public let shop: ShopID
    public let rating: Int?
    public let text: Sealed?

    public init(review: ReviewID, shop: ShopID, rating: Int?, text: Sealed?) {
        (self.review, self.shop, self.rating, self.text) = (review, shop, rating, text)
    }
}

extension PostReview: Decision {
    public typealias Situation = (shop: Shop?, reviewWithID: Review?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (shop: try past.shop(shop), reviewWithID: try past.review(review))
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.shop else { throw .notFound }
        guard !known.employs(actor) else { throw .ownShop }
        try checkFields()
        if let existing = situation.reviewWithID {
            guard existing.author == actor, existing.shop == shop, existing.depth == 0 else { throw .notFound }
            return []
        }
        return [.reviewPosted(ReviewPosted(review: review, shop: shop, author: actor, rating: rating, text: text))]
    }

    private func checkFields() throws(Rejection) {
        var checks = FieldChecks()
        if let rating { checks.require(rating, in: Limits.rating, "rating") }
        checks.require(rating != nil || text != nil, "text", .ratingOrText)
        if let text { checks.require(sealedText: text) }
        try checks.verdict()
    }
}

extension FieldChecks {
    /// Checks only the size, which bounds the event. The service checked the length before sealing.
    mutating func require(sealedText text: Sealed) {
        require(Limits.sealedTextBytes.contains(text.bytes.count), "text", .characters(Limits.textCharacters))
    }
}

/// Send feedback to the operator.
public struct GiveFeedback: Hashable, Sendable {
    public let text: Sealed

    public init(text: Sealed) { self.text = text }
}

extension GiveFeedback: Decision {
    /// A repeated command records another message.
    public func decide(_ situation: Void, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        try FieldChecks.check { $0.require(sealedText: text) }
        return [.feedbackGiven(FeedbackGiven(author: actor, text: text))]
    }
}
