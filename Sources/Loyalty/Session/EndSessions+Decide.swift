extension EndSessions: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EndSessionsSituation {
        EndSessionsSituation(actor: try past.account(actor), sessions: try past.openSessions(of: actor))
    }

    public func decide(_ situation: EndSessionsSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        return situation.sessions.endings(at: now)
    }
}
