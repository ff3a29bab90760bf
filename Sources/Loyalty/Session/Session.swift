/// A session: one sign-in on one device, and the refresh tokens that follow from it.
public struct Session: Hashable, Sendable {
    public let id: SessionID
    public let account: AccountID
    /// Keyed hash of the only valid refresh token.
    public var token: Secret
    public var expiresAt: Instant
    /// Keyed hashes of the newest spent refresh tokens, at most ``Limits/spentTokensMax``, oldest first. A client that presents a spent
    /// token has a copy of a token that was already used.
    public var spent: [Secret] = []
    public var isEnded: Bool
    public let startedAt: Instant
    /// The time at which the newest token was made.
    public var refreshedAt: Instant

    public init(id: SessionID, account: AccountID, token: Secret, expiresAt: Instant, isEnded: Bool, startedAt: Instant) {
        self.id = id
        self.account = account
        self.token = token
        self.expiresAt = expiresAt
        self.isEnded = isEnded
        self.startedAt = startedAt
        refreshedAt = startedAt
    }

    /// A copy of the session without its spent tokens, of which there may be up to ``Limits/spentTokensMax``. Lists of open sessions do not
    /// need spent tokens.
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
        case .sessionEnded(let event) where event.session == id:
            isEnded = true
        default:
            break
        }
    }
}

extension [Session] {
    /// One `SessionEnded` for each session that no event has ended, in the order of their ids. Each session gets an event of its own,
    /// because the state of a session is folded from the events of that session alone.
    ///
    /// A session that has expired is ended too: if the clock is ahead and is set back later, the session would be alive again.
    ///
    /// - Parameter kept: the session that stays open.
    func endings(except kept: SessionID? = nil) -> [LoyaltyEvent] {
        filter { $0.id != kept && !$0.isEnded }.sorted { $0.id < $1.id }.map { session in
            .sessionEnded(SessionEnded(session: session.id, account: session.account, ending: .signedOut))
        }
    }
}

extension Session {
    /// Whether a refresh token of this session can be valid at `now`.
    public func isAlive(at now: Instant) -> Bool {
        !isEnded && now < expiresAt
    }

    /// The expiry of a session: the requested moment, or ``Limits/sessionValiditySeconds`` from now if that is earlier.
    ///
    /// A later time is shortened and not refused, because the requester's clock may be a little ahead of the service's clock.
    /// - Throws: `.invalid` for a moment that has passed.
    static func expiry(askedFor: Instant, at now: Instant) throws(Rejection) -> Instant {
        var checks = FieldChecks()
        checks.require(askedFor > now, "expiresAt", .pastTime)
        try checks.verdict()
        return min(askedFor, now.advanced(bySeconds: Limits.sessionValiditySeconds))
    }
}

/// Why a session ended.
public enum SessionEnding: UInt8, Hashable, Sendable {
    case signedOut = 1
    /// A spent refresh token was presented again, so the session is presumed stolen.
    case tokenReused = 2
}
