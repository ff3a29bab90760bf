/// Send feedback to the operator.
public struct GiveFeedback: Hashable, Sendable {
    public let text: Sealed

    public init(text: Sealed) {
        self.text = text
    }
}

/// The facts that giving feedback needs.
public struct GiveFeedbackSituation: Hashable, Sendable {
    public let actor: Account?
}

extension GiveFeedback: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> GiveFeedbackSituation {
        GiveFeedbackSituation(actor: try past.account(actor))
    }

    /// A repeated command records another message.
    public func decide(_ situation: GiveFeedbackSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        var checks = FieldChecks()
        checks.require(sealedText: text)
        try checks.verdict()
        return [.feedbackGiven(FeedbackGiven(author: actor, text: text))]
    }
}
