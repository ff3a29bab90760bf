/// Send feedback to the operator.
public struct GiveFeedback: Hashable, Sendable {
    public let text: Sealed

    public init(text: Sealed) { self.text = text }
}

extension GiveFeedback: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Account? {
        try past.account(actor)
    }

    /// A repeated command records another message.
    public func decide(_ situation: Account?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation != nil else { throw .notFound }
        var checks = FieldChecks()
        checks.require(sealedText: text)
        try checks.verdict()
        return [.feedbackGiven(FeedbackGiven(author: actor, text: text))]
    }
}
