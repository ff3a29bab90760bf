/// Exchange a refresh token for a new one. Presenting a spent token again ends the session.
///
/// Only a token that was once valid can end a session by reuse. A reader of the log knows the ids of sessions, and could invent a token
/// with such an id. An invented token is refused without any other effect.
public struct RefreshSession: Hashable, Sendable {
    public let session: SessionID
    public let presented: Secret
    public let next: Secret
    public let expiresAt: Instant
    /// Whether the presented token contains the keyed hash that only the service can make. This hash proves that the service issued the
    /// token for this session at some time.
    public let isGenuine: Bool

    public init(session: SessionID, presented: Secret, next: Secret, expiresAt: Instant, isGenuine: Bool = false) {
        self.session = session
        self.presented = presented
        self.next = next
        self.expiresAt = expiresAt
        self.isGenuine = isGenuine
    }
}

/// The facts that refreshing and ending a session need.
public struct SessionSituation: Hashable, Sendable {
    public let actor: Account?
    public let session: Session?

    public init(actor: Account?, session: Session?) {
        self.actor = actor
        self.session = session
    }
}

extension SessionSituation {
    static func load<P: Past>(_ id: SessionID, in past: inout P, by actor: AccountID) throws(P.Failure) -> SessionSituation {
        SessionSituation(actor: try past.account(actor), session: try past.session(id))
    }
}

extension RefreshSession: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SessionSituation {
        try .load(session, in: &past, by: actor)
    }

    /// Tokens are used once, and a second use is detected (RFC 9700, 4.14.2). The second use shows that the token was copied. Either user
    /// may be the thief, so the session ends.
    ///
    /// So this command, unlike other commands, must not be repeated: the first use spends the token, and a second use ends the session.
    public func decide(_ situation: SessionSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        guard let current = situation.session, current.account == actor, current.isAlive(at: now) else { throw .sessionNotValid }
        guard presented == current.token else {
            // A token that was never valid for the session proves nothing, because the session's id in it is no secret.
            guard isGenuine || current.spent.contains(presented) else { throw .sessionNotValid }
            return [.sessionEnded(SessionEnded(session: session, account: actor, ending: .tokenReused))]
        }
        var checks = FieldChecks()
        checks.require(next != presented, "next", .spentToken)
        try checks.verdict()
        let expiresAt = try Session.expiry(askedFor: expiresAt, at: now)
        return [.sessionRefreshed(SessionRefreshed(session: session, account: actor, token: next, expiresAt: expiresAt))]
    }
}
