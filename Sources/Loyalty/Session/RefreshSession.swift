/// Exchange a refresh token for a new one. Presenting a spent token again ends the session.
public struct RefreshSession: Hashable, Sendable {
    public let session: SessionID
    public let presented: Secret
    public let next: Secret
    public let expiresAt: Instant
    /// The token's keyed hash proves that the service issued it for this session.
    public let isGenuine: Bool

    public init(session: SessionID, presented: Secret, next: Secret, expiresAt: Instant, isGenuine: Bool = false) {
        (self.session, self.presented, self.next, self.expiresAt, self.isGenuine) = (session, presented, next, expiresAt, isGenuine)
    }
}

extension RefreshSession: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Session? { try past.session(session) }

    /// A second use shows that the token was copied, perhaps by a thief, so the session ends (RFC 9700, 4.14.2). Never retry this command.
    public func decide(_ situation: Session?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let current = situation, current.account == actor, current.isAlive(at: now) else { throw .sessionNotValid }
        guard presented == current.token else {
            // Anybody who reads the log can invent a token with a session's id.
            guard isGenuine || current.spent.contains(presented) else { throw .sessionNotValid }
            return [.sessionEnded(SessionEnded(session: session, account: actor, ending: .tokenReused))]
        }
        try FieldChecks.check { $0.require(next != presented, "next", .spentToken) }
        let expiresAt = try Session.expiry(askedFor: expiresAt, at: now)
        return [.sessionRefreshed(SessionRefreshed(session: session, account: actor, token: next, expiresAt: expiresAt))]
    }
}
