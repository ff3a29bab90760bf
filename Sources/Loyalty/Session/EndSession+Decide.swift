extension EndSession: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SessionSituation {
        try .load(session, in: &past, by: actor)
    }

    public func decide(_ situation: SessionSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let current = situation.session, current.account == actor else { throw .notFound }
        guard !current.isEnded else { return [] }
        return [.sessionEnded(SessionEnded(session: session, account: actor, ending: .signedOut))]
    }
}
