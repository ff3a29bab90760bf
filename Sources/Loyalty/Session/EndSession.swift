/// Sign out of one session.
public struct EndSession: Hashable, Sendable {
    public let session: SessionID

    public init(session: SessionID) { self.session = session }
}

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

/// Sign out of all sessions.
public struct EndSessions: Hashable, Sendable {
    public init() {}
}

extension EndSessions: Decision {
    public typealias Situation = (actor: Account?, sessions: [Session])

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (actor: try past.account(actor), sessions: try past.openSessions(of: actor))
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        return situation.sessions.endings()
    }
}
