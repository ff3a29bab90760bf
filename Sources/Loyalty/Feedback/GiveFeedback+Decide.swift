extension GiveFeedback: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> GiveFeedbackSituation {
        GiveFeedbackSituation(actor: try past.account(actor))
    }

    /// Said twice it was said twice: feedback has no identity but its place in the log, and nothing depends on it.
    public func decide(_ situation: GiveFeedbackSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        var checks = FieldChecks()
        checks.require(sealedText: text)
        try checks.verdict()
        return [.feedbackGiven(FeedbackGiven(author: actor, text: text))]
    }
}
