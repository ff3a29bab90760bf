extension StartSession: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SessionSituation {
        try .load(session, in: &past, by: actor)
    }

    public func decide(_ situation: SessionSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        if let existing = situation.session {
            guard existing.account == actor else { throw .notFound }
            return []
        }
        let expiresAt = try Session.expiry(askedFor: expiresAt, at: now)
        return [.sessionStarted(SessionStarted(session: session, account: actor, token: token, expiresAt: expiresAt))]
    }
}
