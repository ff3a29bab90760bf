/// Sign out of one session.
public struct EndSession: Hashable, Sendable {
    public let session: SessionID

    public init(session: SessionID) { self.session = session }
}

extension EndSession: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Session? { try past.session(session) }

    public func decide(_ situation: Session?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let current = situation, current.account == actor else { throw .notFound }
        guard !current.isEnded else { return [] }
        return [.sessionEnded(SessionEnded(session: session, account: actor, ending: .signedOut))]
    }
}

/// Sign out of all sessions.
public struct EndSessions: Hashable, Sendable {
    public init() {}
}

extension EndSessions: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> [Session] {
        try past.openSessions(of: actor)
    }

    public func decide(_ situation: [Session], by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        situation.endings()
    }
}
