/// One sign-in on one device, and the refresh tokens that follow from it.
public struct Session: Hashable, Sendable {
    public let id: SessionID
    public let account: AccountID
    public var token: Secret
    public var expiresAt: Instant
    /// Keyed hashes, at most ``Limits/spentTokensMax``, oldest first.
    public var spent: [Secret] = []
    public var isEnded: Bool
    public let startedAt: Instant
    public var refreshedAt: Instant

    public init(id: SessionID, account: AccountID, token: Secret, expiresAt: Instant, isEnded: Bool, startedAt: Instant) {
        (self.id, self.account, self.token) = (id, account, token)
        (self.expiresAt, self.isEnded, self.startedAt) = (expiresAt, isEnded, startedAt)
        refreshedAt = startedAt
    }

    public var withoutSpentTokens: Session {
        var session = self
        session.spent = []
        return session
    }
}

extension Session {
    public init?(opening fact: Fact) {
        guard case .sessionStarted(let event) = fact.event else { return nil }
        self.init(
            id: event.session, account: event.account, token: event.token, expiresAt: event.expiresAt, isEnded: false, startedAt: fact.time)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .sessionRefreshed(let event) where event.session == id:
            spent = (spent + [token]).suffix(Limits.spentTokensMax)
            token = event.token
            expiresAt = event.expiresAt
            refreshedAt = fact.time
        case .sessionEnded(let event) where event.session == id: isEnded = true
        default: break
        }
    }
}

extension [Session] {
    /// Includes expired sessions, which would be alive again if a fast clock is set back.
    func endings(except kept: SessionID? = nil) -> [LoyaltyEvent] {
        filter { $0.id != kept && !$0.isEnded }.sorted { $0.id < $1.id }.map { session in
            .sessionEnded(SessionEnded(session: session.id, account: session.account, ending: .signedOut))
        }
    }
}

extension Session {
    public func isAlive(at now: Instant) -> Bool { !isEnded && now < expiresAt }

    /// Shortened to ``Limits/sessionValiditySeconds``, because the requester's clock may be ahead.
    ///
    /// - Throws: `.invalid` for a moment that has passed.
    static func expiry(askedFor: Instant, at now: Instant) throws(Rejection) -> Instant {
        try FieldChecks.check { $0.require(askedFor > now, "expiresAt", .pastTime) }
        return min(askedFor, now.advanced(bySeconds: Limits.sessionValiditySeconds))
    }
}

/// Why a session ended.
public enum SessionEnding: UInt8, Hashable, Sendable {
    case signedOut = 1
    /// The session is presumed stolen.
    case tokenReused = 2
}
