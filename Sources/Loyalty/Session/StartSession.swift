/// Begin a session for the actor. The caller MUST have identified the holder by the named number or password.
public struct StartSession: Hashable, Sendable {
    public let session: SessionID
    public let token: Secret
    public let expiresAt: Instant
    /// The number that identified the holder. If it has changed since, the sign-in is refused: the change would have ended the session.
    public let phone: Sealed
    /// The password that the holder proved to know; `nil` for a code. If it has changed since, the sign-in is refused.
    public let password: UInt64?

    public init(session: SessionID, token: Secret, expiresAt: Instant, phone: Sealed, password: UInt64?) {
        (self.session, self.token, self.expiresAt, self.phone, self.password) = (session, token, expiresAt, phone, password)
    }
}

extension StartSession: Decision {
    public typealias Situation = (actor: Account?, session: Session?, open: [Session])

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (actor: try past.account(actor), session: try past.session(session), open: try past.openSessions(of: actor))
    }

    /// With too many sessions, those not refreshed for the longest time end, because each could be misused.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let account = situation.actor else { throw .notFound }
        if let existing = situation.session {
            guard existing.account == actor else { throw .notFound }
            return []
        }
        guard account.sealedPhone(at: now) == phone, password == nil || password == account.password?.position else {
            throw .passwordNotValid
        }
        let expiresAt = try Session.expiry(askedFor: expiresAt, at: now)
        let started = LoyaltyEvent.sessionStarted(SessionStarted(session: session, account: actor, token: token, expiresAt: expiresAt))
        let alive = situation.open.filter { $0.isAlive(at: now) }.sorted { ($0.refreshedAt, $0.id) < ($1.refreshedAt, $1.id) }
        return [started] + Array(alive.prefix(max(0, alive.count + 1 - Limits.openSessionsMax))).endings()
    }
}
