/// Answer a review or a reply.
public struct PostReply: Hashable, Sendable {
    public let reply: ReviewID
    public let parent: ReviewID
    public let text: Sealed

    public init(reply: ReviewID, parent: ReviewID, text: Sealed) { (self.reply, self.parent, self.text) = (reply, parent, text) }
}

extension PostReply: Decision {
    public typealias Situation = (parent: Review?, reviewWithID: Review?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (parent: try past.review(parent), reviewWithID: try past.review(reply))
    }

    /// Any signed-in account may answer, including the shop's owner.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let answered = situation.parent else { throw .notFound }
        let depth = answered.depth + 1
        try checkFields(depth: depth)
        let reply = Review(id: reply, shop: answered.shop, author: actor, thread: answered.thread, depth: depth)
        if let existing = situation.reviewWithID {
            guard existing == reply else { throw .notFound }
            return []
        }
        guard !answered.isRemoved else { throw .notFound }
        let posted = ReplyPosted(
            reply: reply.id, parent: parent, thread: reply.thread, shop: reply.shop, author: actor, depth: depth, text: text)
        return [.replyPosted(posted)]
    }

    private func checkFields(depth: Int) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(depth <= Limits.replyDepthMax, "", .replyDepth(max: Limits.replyDepthMax))
        checks.require(sealedText: text)
        try checks.verdict()
    }
}
